import { type SQL, sql } from "drizzle-orm";
import { conflict, type Violations } from "../../database/failure.ts";
import { inventoryViolations } from "../../database/inventory-violations.ts";
import { ApiError } from "../../errors/errors.ts";
import type { IngestResult, Report, ReportedHost } from "../report.ts";
import { inSteps, Pace, type Steps } from "../steps.ts";
import { type UnitedHost, uniteHost } from "../unite.ts";
import { parameterOf } from "./parameter.ts";
import { resultOf } from "./result.ts";

/** A report, with the parameters of its ingestion. */
interface Ingest {
  /** The observed network: nothing outside it is read or written. */
  networkId: string;
  /** The id of the import or scan, which is stored with all records that it observed. */
  discoveryId: string;
  /** The source of the records that the ingestion creates. */
  sourceType: "Import" | "Discovery";
  report: Report;
  /** If true, changes nothing and only returns the outcome that every host would have. */
  dryRun: boolean;
}

/**
 * Runs one statement in one call and one transaction, as the role `inventory_api`, behind a gate,
 * with {@link ingestViolations}.
 * @returns the column `result` of its only row
 */
type RunIngest = (statement: SQL) => Promise<unknown>;

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
 * @param run called again after a conflict with another change, which then precedes the report
 * @throws {ApiError} 404 for a network that is not visible to the caller; also throws errors of
 *   `run`
 */
export async function ingest(
  run: RunIngest,
  { networkId, discoveryId, sourceType, report, dryRun }: Ingest,
): Promise<IngestResult> {
  return ingestThrough(
    (parameter) =>
      run(sql`
    select app.ingest(${networkId}, ${discoveryId}, ${sourceType}, ${parameter}::jsonb,
      ${dryRun}) as result`),
    report,
  );
}

/**
 * Like {@link ingest}, for callers whose own statement calls `app.ingest`.
 * @param send receives the `report` parameter of `app.ingest`, and returns its result
 */
export async function ingestThrough(
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
