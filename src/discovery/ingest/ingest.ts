import { type SQL, sql } from "drizzle-orm";
import { conflict, type Violations } from "../../database/failure.ts";
import { inventoryViolations } from "../../database/inventory-violations.ts";
import { ApiError } from "../../errors/errors.ts";
import type { IngestResult, Report, ReportedHost } from "../report.ts";
import { inSteps, Pace, type Steps } from "../steps.ts";
import { type UnitedHost, uniteHost } from "../unite.ts";
import { parameterOf } from "./parameter.ts";
import { resultOf } from "./result.ts";

/** A report, and what it is ingested for. */
interface Ingest {
  /** The network that was looked at: nothing outside it is read or written. */
  networkId: string;
  /** Of all that is seen now: an import, or a scan. */
  discoveryId: string;
  /** What records that it creates have as their source. */
  sourceType: "Import" | "Discovery";
  report: Report;
  /** Changes nothing, and says what would become of every host. */
  dryRun: boolean;
}

/**
 * Runs one statement as one call and one transaction, in the role `inventory_api` behind a gate, and
 * with {@link ingestViolations}.
 * @returns the column `result` of its one row
 */
type RunIngest = (statement: SQL) => Promise<unknown>;

/** Only a concurrent change can violate a constraint here: the report is then ingested again. */
export const ingestViolations: Violations = Object.fromEntries(
  Object.keys(inventoryViolations).map((name) => [name, conflict]),
);

/** Attempts to ingest a report that meets concurrent changes. */
const maximumRuns = 3;

/**
 * Ingests a report of a network: one call of the database and one transaction, whatever its size. The
 * rules are in `app.ingest`, in the order of section 10 of the API contract.
 * @param run called again if the report meets another change, which then comes first
 * @throws {ApiError} 404 for a network that the caller does not see; what `run` throws
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
 * {@link ingest}, where another statement calls `app.ingest`.
 * @param send takes the parameter `report` of `app.ingest`, and returns what that returns
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
      const isMet = error instanceof ApiError && error.code === "request_conflict";
      if (!isMet || runs === maximumRuns) {
        throw error;
      }
    }
  }
}

/** The hosts of a report, and the parameter of `app.ingest`. In steps, as other requests share the thread. */
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
