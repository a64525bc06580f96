import { sql } from "drizzle-orm";
import { runAsPoller } from "../../database/poller.ts";
import { daemons } from "../../database/tables/index.ts";
import { ingestThrough } from "../../discovery/ingest/ingest.ts";
import type { IngestResult } from "../../discovery/report.ts";
import { inSteps, Pace } from "../../discovery/steps.ts";
import type { Settings } from "../../env.ts";
import { ApiError } from "../../errors/errors.ts";
import { holds, inVisit, type Lease } from "./claim/lease.ts";
import type { ConfirmedEntities } from "./report/confirmation.ts";
import {
  gapsOf,
  partlyStoredOf,
  putOffOf,
  type Unstored,
  unstoredOf,
} from "./report/confirmation.ts";
import type { ConvertedReport } from "./report/reported-entities.ts";

/** A leased daemon on its network. */
export type Visited = Lease & { network_id: string };

/** What came of a report. */
export type Ingested =
  /**
   * Everything has its verdict, and what was seen and cannot be stored is remembered. `leftOut`:
   * how many hosts have no room for something, which is left out.
   */
  | { state: "ingested"; stored: ConfirmedEntities; unstored: Unstored; leftOut: number }
  /** Another visit has taken over. Nothing has changed. */
  | { state: "lease_lost" }
  /**
   * The database failed. Whatever was stored is stored again with the next poll, unless the daemon
   * loses it before then; so it is remembered as seen, if the database takes that much.
   */
  | { state: "failed"; error: unknown; isRemembered: boolean };

/** Ingests what a daemon reports into its own network, behind the gate of its visit. */
export async function ingestReport(
  settings: Settings,
  visited: Visited,
  report: ConvertedReport,
): Promise<Ingested> {
  try {
    const { hosts, subnets } = await ingestEntities(settings, visited, report);
    const unstored = unstoredOf(report, hosts);
    await noteGaps(settings, visited, [...unstored.hosts, ...partlyStoredOf(report)]);
    const byIndex = new Map(report.hosts.map((host) => [host.index, host]));
    const stored = {
      hosts: hosts.flatMap(({ index, host_id }) => {
        const host = byIndex.get(index);
        return host && host_id !== null ? [{ pending: host.pending, id: host_id }] : [];
      }),
      subnets: subnets.flatMap(({ subnet_id }, position) => {
        const subnet = report.subnets[position];
        // A daemon scans nothing before its subnets are confirmed. One that is not stored keeps its id.
        return subnet?.pending
          ? [{ pending: subnet.pending, id: subnet_id ?? subnet.pending.id }]
          : [];
      }),
    };
    await rememberOwnHost(settings, visited, stored);
    const leftOut = hosts.filter(({ issues }) => issues.some(({ code }) => code === "too_many"));
    return { state: "ingested", stored, unstored, leftOut: leftOut.length };
  } catch (error) {
    return error instanceof ApiError && error.code === "entity_not_found"
      ? { state: "lease_lost" }
      : { state: "failed", error, isRemembered: await rememberPutOff(settings, visited, report) };
  }
}

/** Whether the database now knows what was seen and is not stored. */
async function rememberPutOff(
  settings: Settings,
  visited: Visited,
  report: ConvertedReport,
): Promise<boolean> {
  try {
    await noteGaps(settings, visited, putOffOf(report).hosts);
    return true;
  } catch {
    // The reason is known already: the database fails.
    return false;
  }
}

async function ingestEntities(
  settings: Settings,
  visited: Visited,
  { hosts, subnets }: ConvertedReport,
): Promise<Pick<IngestResult, "hosts" | "subnets">> {
  if (hosts.length + subnets.length === 0) {
    return { hosts: [], subnets: [] };
  }
  return ingestThrough(
    async (report) => {
      const rows = await inVisit<{ result: unknown }>(
        settings,
        visited,
        sql`select app.ingest_visit(${visited.network_id}, ${report}::jsonb) as result`,
      );
      return rows[0]?.result;
    },
    { source: null, observed_at: null, subnets, hosts, failed: [] },
  );
}

/** Before anything is confirmed: what is given back to the daemon does not come again. */
async function noteGaps(
  settings: Settings,
  visited: Visited,
  unstored: Unstored["hosts"],
): Promise<void> {
  const { hosts, addresses } = await inSteps(gapsOf({ hosts: unstored }, new Pace()));
  if (hosts === null || hosts.length + addresses.length > 0) {
    await inVisit(
      settings,
      visited,
      sql`select app.note_scan_gaps(${sql.param(hosts)}::uuid[], ${sql.param(addresses)}::inet[])`,
    );
  }
}

/** A daemon reports the host that it lives on under the id that its work named. */
async function rememberOwnHost(
  settings: Settings,
  visited: Visited,
  { hosts }: ConfirmedEntities,
): Promise<void> {
  const { organization_id, id } = visited;
  const own = hosts.find(({ pending }) => pending.id === id);
  if (own) {
    await runAsPoller(
      settings,
      (database) => [
        database.execute(sql`
          update ${daemons} as daemon set host_id = ${own.id}
          where daemon.organization_id = ${organization_id} and daemon.id = ${id}
            and daemon.host_id is distinct from ${own.id} and ${holds(visited)}`),
      ],
      visited.databaseTime,
    );
  }
}
