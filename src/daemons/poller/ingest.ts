import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../../database/connection.ts";
import { runAsPoller } from "../../database/poller.ts";
import { daemons } from "../../database/tables/index.ts";
import { ingest } from "../../discovery/ingest/ingest.ts";
import type { HostResult, IngestResult } from "../../discovery/report.ts";
import { inSteps, Pace } from "../../discovery/steps.ts";
import type { Settings } from "../../env.ts";
import { ApiError } from "../../errors/errors.ts";
import { enterVisit, leaveVisit, type VisitLease } from "./claim/lease.ts";
import {
  type ConfirmedEntities,
  deferredOf,
  type Gaps,
  gapsOf,
  partlyStoredOf,
  type Unstored,
  unstoredOf,
} from "./report/confirmation.ts";
import type { ConvertedReport } from "./report/reported-entities.ts";

/** The result of ingesting a report. */
export type Ingested =
  /**
   * The transaction is committed. `stored` contains the entities to confirm, and `unstored`
   * contains the rest. `leftOut` counts the hosts that were stored without some of their parts,
   * because those parts would exceed a limit. `ignored` counts the hosts in `stored` that a scan of
   * another host found: they are confirmed unchanged.
   */
  | {
      state: "ingested";
      stored: ConfirmedEntities;
      unstored: Unstored;
      leftOut: number;
      ignored: number;
    }
  /**
   * The database failed. The daemon sends everything again in its next poll, unless it restarts
   * first. `areGapsRecorded` is true if the report's hosts were recorded as seen, so that nothing
   * is ended because of their absence.
   */
  | { state: "failed"; error: unknown; areGapsRecorded: boolean };

/**
 * Ingests a daemon's report into the daemon's own network, with one database call, and with a
 * second one if the first fails. The gaps are committed together with the report, because an entity
 * that is returned to the daemon unchanged is not reported again.
 * @throws {ApiError} 404 if the lease is lost; in that case, nothing has changed
 */
export async function ingestReport(
  settings: Settings,
  lease: VisitLease,
  report: ConvertedReport,
): Promise<Ingested> {
  try {
    const { hosts, subnets } = await ingestEntities(settings, lease, report);
    const byIndex = new Map(report.hosts.map((host) => [host.index, host]));
    const ignored = new Set(hosts.filter(isIgnored));
    const stored = {
      hosts: hosts.flatMap((result) => {
        const host = byIndex.get(result.index);
        const id = ignored.has(result) ? host?.id : result.host_id;
        return host && id ? [{ pending: host.pending, id }] : [];
      }),
      subnets: subnets.flatMap(({ subnet_id }, position) => {
        const subnet = report.subnets[position];
        // A daemon does not scan until its subnets are confirmed, so a subnet that is not stored is
        // confirmed as well.
        return subnet?.pending
          ? [{ pending: subnet.pending, id: subnet_id ?? subnet.pending.id }]
          : [];
      }),
    };
    const leftOut = hosts.filter(({ issues }) => issues.some(({ code }) => code === "too_many"));
    return {
      state: "ingested",
      stored,
      unstored: unstoredOf(
        report,
        hosts.filter((result) => !ignored.has(result)),
      ),
      leftOut: leftOut.length,
      ignored: ignored.size,
    };
  } catch (error) {
    if (error instanceof ApiError && error.code === "entity_not_found") {
      throw error;
    }
    return {
      state: "failed",
      error,
      areGapsRecorded: await recordDeferred(settings, lease, report),
    };
  }
}

/** True for a host that was found by a scan of another host. */
const isIgnored = ({ issues }: HostResult) => issues.some(({ code }) => code === "other_host");

/**
 * Records every host in a report as a gap after the report's transaction has failed. Returns false
 * if that fails too.
 */
async function recordDeferred(
  settings: Settings,
  lease: VisitLease,
  report: ConvertedReport,
): Promise<boolean> {
  try {
    await recordGaps(settings, lease, await inSteps(gapsOf(deferredOf(report), new Pace())));
    return true;
  } catch {
    // The caller already reports the first failure.
    return false;
  }
}

async function ingestEntities(
  settings: Settings,
  lease: VisitLease,
  report: ConvertedReport,
): Promise<Pick<IngestResult, "hosts" | "subnets">> {
  const { hosts, subnets, refused } = report;
  // `app.ingest_visit` adds the hosts that it cannot store.
  const known = [...refused.hosts, ...partlyStoredOf(report)];
  const gaps = await inSteps(gapsOf(known, new Pace()));
  if (hosts.length + subnets.length === 0) {
    await recordGaps(settings, lease, gaps);
    return { hosts: [], subnets: [] };
  }
  return ingest(
    async (parameter) => {
      const [, { rows }] = await runAsPoller(
        settings,
        (database) => [
          enterVisit(database, lease),
          database.execute<{ result: unknown }>(ingestStatement(lease, report, parameter)),
          ...gapStatements(database, gaps),
          leaveVisit(database),
        ],
        lease.databaseTime,
      );
      return rows[0]?.result;
    },
    { source: null, observed_at: null, subnets, hosts, failed: [] },
  );
}

/**
 * Ingests the report. If the report contains the daemon's own host, links the daemon to the stored
 * host.
 */
function ingestStatement(
  { organization_id, network_id, id }: VisitLease,
  { hosts }: ConvertedReport,
  parameter: string,
): SQL {
  const call = sql`app.ingest_visit(${network_id}, ${parameter}::jsonb)`;
  // A daemon reports the host that it runs on under the id from the scan request.
  const own = hosts.find(({ pending }) => pending.id === id);
  if (!own) {
    return sql`select ${call} as result`;
  }
  return sql`
    with ingested as materialized (select ${call} as result),
    own as (
      select (host.value->>2)::uuid as id
      from ingested cross join lateral jsonb_array_elements(ingested.result->'hosts') as host
      where (host.value->>0)::int = ${own.index} and host.value->>2 is not null),
    linked as (
      update ${daemons} as daemon set host_id = own.id from own
      where daemon.organization_id = ${organization_id} and daemon.id = ${id}
        and daemon.host_id is distinct from own.id)
    select result from ingested`;
}

/** Records gaps in a separate call, behind the gate of the visit. */
async function recordGaps(settings: Settings, lease: VisitLease, gaps: Gaps): Promise<void> {
  if (hasGaps(gaps)) {
    await runAsPoller(
      settings,
      (database) => [
        enterVisit(database, lease),
        ...gapStatements(database, gaps),
        leaveVisit(database),
      ],
      lease.databaseTime,
    );
  }
}

const hasGaps = ({ hosts, addresses }: Gaps) =>
  hosts === null || hosts.length + addresses.length > 0;

/** Returns the statement that records gaps, or no statement if there are no gaps. */
const gapStatements = (database: Database, gaps: Gaps) =>
  hasGaps(gaps)
    ? [
        database.execute(sql`
          select app.note_scan_gaps(${sql.param(gaps.hosts)}::uuid[], ${sql.param(gaps.addresses)}::inet[])`),
      ]
    : [];
