import type { SQL } from "drizzle-orm";
import type { IngestResult, Report } from "../report.ts";

/** What a report is ingested for. */
export interface Ingest {
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

/** A report as it goes to the database, and how what comes back is read. */
export interface PreparedIngest {
  /**
   * The one statement that ingests the report. It runs in the role `inventory_api` behind a gate, in a
   * transaction of its own or with others that lock no network and no host before it. Its one row has
   * the column `result`.
   */
  statement: SQL;
  /** @param result the column of the row */
  read(result: unknown): IngestResult;
}

/** Prepares a report: hosts that contradict each other fail here, without the database. */
export function prepareIngest(_: Ingest): PreparedIngest {
  throw new Error("not yet");
}
