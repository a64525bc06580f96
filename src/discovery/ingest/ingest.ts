import { conflict, type Violations } from "../../database/failure.ts";
import { inventoryViolations } from "../../database/inventory-violations.ts";
import { ApiError } from "../../errors/errors.ts";
import type { IngestResult, Report, ReportedHost } from "../report.ts";
import { inSteps, Pace, type Steps } from "../steps.ts";
import { type UnitedHost, uniteHost } from "../unite.ts";
import { parameterOf } from "./parameter.ts";
import { resultOf } from "./result.ts";

/** Only a concurrent change can violate a constraint here, so the report is ingested again. */
export const ingestViolations: Violations = Object.fromEntries(
  Object.keys(inventoryViolations).map((name) => [name, conflict]),
);

/** Maximum number of attempts to ingest a report that conflicts with concurrent changes. */
const maximumRuns = 3;

/**
 * Ingests a report about a network in one database call and one transaction, regardless of its
 * size. The rules are implemented in `app.ingest`, in the same order as in section 10 of the API
 * contract.
 * @param send receives the `report` parameter of `app.ingest`, and returns its result. Called again
 *   after a conflict with another change, which then precedes the report
 * @throws any error that `send` throws
 */
export async function ingest(
  send: (parameter: string) => Promise<unknown>,
  report: Report,
): Promise<IngestResult> {
  const { hosts, parameter } = await inSteps(prepareReport(report));
  for (let runs = 1; ; runs++) {
    try {
      return resultOf(report, hosts, await send(parameter));
    } catch (error) {
      const isConflict = error instanceof ApiError && error.code === "request_conflict";
      if (!isConflict || runs === maximumRuns) {
        throw error;
      }
    }
  }
}

/**
 * Prepares the hosts of a report and the parameter of `app.ingest`. Runs in steps, since other
 * requests share the thread.
 */
export function* prepareReport(report: Report): Steps<{
  hosts: { host: ReportedHost; united: UnitedHost }[];
  parameter: string;
}> {
  const pace = new Pace();
  const hosts: { host: ReportedHost; united: UnitedHost }[] = [];
  for (const host of report.hosts) {
    if (pace.isOver(10 * (1 + host.addresses.length))) {
      yield;
    }
    hosts.push({ host, united: yield* uniteHost(host, pace) });
  }
  return { hosts, parameter: yield* parameterOf(report, hosts, pace) };
}
