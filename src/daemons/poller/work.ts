import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../../database/connection.ts";
import { runAsPoller } from "../../database/poller.ts";
import {
  daemons,
  discoverySessions,
  finalPhases,
  runningPhases,
  type SessionPhase,
  sessionPhases,
} from "../../database/tables/index.ts";
import type { Settings } from "../../env.ts";
import { enterVisit, holds, type Lease, leaveVisit, lockDaemon } from "./claim/lease.ts";
import { nilId, type Progress } from "./report/protocol.ts";

/** The current scan of a daemon: already sent to it, or the next one to send. */
export interface Work {
  id: string;
  phase: SessionPhase;
  is_cancelled: boolean;
  subnet_ids: string[] | null;
  /** The host that the daemon runs on; null if unknown. */
  host_id: string | null;
}

/** A row of {@link readWork}. The fields of the scan are null if there is no current scan. */
type WorkRow = Record<string, unknown> &
  Omit<Work, "id" | "phase"> & {
    id: string | null;
    phase: SessionPhase | null;
    unsettled_id: string | null;
  };

/** Reads the current scan, and the complete scan that has not been settled yet. */
const readWork = (database: Database, lease: Lease) =>
  database.execute<WorkRow>(sql`
    select session.id, session.phase, session.subnet_ids, daemon.host_id,
      session.cancel_requested_at is not null as is_cancelled,
      (select session.id from ${discoverySessions} as session
        where ${ofDaemon(lease)} and session.phase = 'Complete' and session.settled_at is null
        order by session.finished_at desc limit 1) as unsettled_id
    from ${daemons} as daemon left join ${discoverySessions} as session
      on session.organization_id = daemon.organization_id and session.daemon_id = daemon.id and ${runs}
    where daemon.organization_id = ${lease.organization_id} and daemon.id = ${lease.id}
      and ${holds(lease)}`);

/** The state of a daemon's scans after {@link advance}. */
interface Next {
  work: Work | null;
  /** A complete scan that has not been settled yet. */
  unsettled_id: string | null;
}

/** The state of the current scan, as reported by a poll. */
interface Reported {
  progress: Progress | null;
  /** True if entities were stored and confirmed. */
  hasMoved: boolean;
  /**
   * True if the daemon is ready for work and reports neither progress nor entities, so it is not
   * running a scan.
   */
  isIdle: boolean;
}

/**
 * Advances the scans of a daemon, in one call and one transaction: records the reported progress,
 * fails a stalled scan, and starts the next waiting scan.
 * @returns null if the lease is lost
 * @throws {ApiError} 409 or 503
 */
export async function advance(
  settings: Settings,
  lease: Lease,
  { progress, hasMoved, isIdle }: Reported,
): Promise<Next | null> {
  const build = (database: Database) =>
    [
      lockDaemon(database, lease),
      recordProgress(database, lease, progress ?? noProgress),
      recordMove(database, lease, { hasMoved, isIdle }),
      failStalled(database, lease),
      startNext(database, lease),
      readWork(database, lease),
    ] as const;
  const [, , , , , { rows }] = await runAsPoller(settings, build, lease.databaseTime);
  const [row] = rows;
  if (!row) {
    return null;
  }
  const { unsettled_id, id, phase, ...rest } = row;
  return { work: id === null || phase === null ? null : { id, phase, ...rest }, unsettled_id };
}

/**
 * Progress that does not match any scan, so that {@link advance} always sends the same statements.
 */
const noProgress: Progress = {
  session_id: nilId,
  phase: "Pending",
  progress: 0,
  error: null,
  hosts_discovered: null,
  estimated_remaining_secs: null,
};

/**
 * Returns the statements that settle a complete scan: they end the bindings that the scan did not
 * see again (`app.settle_scan`), and mark the scan as settled in the same transaction. They must be
 * the first statements of a batch.
 * @param sessionId if null, nothing changes
 */
export const settle = (database: Database, lease: Lease, sessionId: string | null) =>
  [
    enterVisit(database, lease),
    database.execute(sql`select app.settle_scan(${sessionId}::uuid)`),
    leaveVisit(database),
    database.execute(sql`
      update ${discoverySessions} as session set settled_at = now()
      where ${ofDaemon(lease)} and session.id = ${sessionId}::uuid and session.settled_at is null`),
  ] as const;

/** Moves the current scan to a later phase, in a separate call. */
export const moveSession = (
  settings: Settings,
  lease: Lease,
  sessionId: string,
  to: { phase: "Starting" | "Cancelled" } | { phase: "Failed"; error: string },
) =>
  runAsPoller(
    settings,
    (database) => [
      database.execute(sql`
        update ${discoverySessions} as session set phase = ${to.phase}, moved_at = now(),
          initiated_at = ${to.phase === "Starting" ? sql`now()` : sql`session.initiated_at`},
          error = ${"error" in to ? to.error : null},
          finished_at = ${to.phase === "Starting" ? sql`null` : sql`now()`}
        where ${ofDaemon(lease)} and session.id = ${sessionId} and ${runs}
          and ${rank(sql`${to.phase}::text`)} > ${rank(sql`session.phase`)}`),
    ],
    lease.databaseTime,
  );

/** Number of minutes without progress after which a scan fails (API contract, section 10). */
const stalledMinutes = 5;

/**
 * A scan fails after this many consecutive idle polls, once its daemon has reported progress (API
 * contract, section 10). A daemon that restarts forgets its scan; a daemon that is running a scan
 * reports its progress in every poll. Polls of a daemon start at least `healthyPollSeconds` apart.
 */
const idlePolls = 3;

const textsOf = (texts: readonly string[]): SQL => sql`(${sql.param(texts)}::text[])`;

/** Selects scans of the daemon, as `session`, while the lease is valid. */
export const ofDaemon = (
  lease: Lease,
): SQL => sql`session.organization_id = ${lease.organization_id}
  and session.daemon_id = ${lease.id} and ${holds(lease)}`;

/** True for a scan `session` that has started and has not ended. */
export const runs: SQL = sql`session.phase = any ${textsOf(runningPhases)}`;

/** Returns SQL for the position of a phase in the order of phases. */
const rank = (phase: SQL): SQL => sql`array_position(${textsOf(sessionPhases)}, ${phase})`;

/**
 * Records the progress that a daemon reports for its current scan. The phase and the percentage
 * never go backwards.
 */
const recordProgress = (database: Database, lease: Lease, progress: Progress) => {
  const isFinal = finalPhases.some((phase) => phase === progress.phase);
  const reached = progress.phase === "Complete" ? 100 : progress.progress;
  const error = progress.phase === "Failed" ? (progress.error ?? "failed") : null;
  return database.execute(sql`
    with moved as (
      select session.organization_id, session.id, reported.*,
        (reported.phase, reported.progress, reported.hosts_discovered, reported.estimated_remaining_secs)
          is distinct from (session.phase, session.progress, session.hosts_discovered,
            session.estimated_remaining_secs) as has_moved
      from ${discoverySessions} as session cross join lateral (
        select ${progress.phase}::text as phase,
          greatest(session.progress, ${reached}::int) as progress,
          coalesce(${progress.hosts_discovered ?? null}::int, session.hosts_discovered) as hosts_discovered,
          ${progress.estimated_remaining_secs ?? null}::int as estimated_remaining_secs) as reported
      where ${ofDaemon(lease)} and session.id = ${progress.session_id} and ${runs}
        and ${rank(sql`reported.phase`)} >= ${rank(sql`session.phase`)})
    update ${discoverySessions} as session set
      phase = moved.phase, progress = moved.progress, hosts_discovered = moved.hosts_discovered,
      estimated_remaining_secs = moved.estimated_remaining_secs, error = ${error}::text,
      moved_at = now(), finished_at = ${isFinal ? sql`now()` : sql`null`},
      -- A daemon that reports progress has accepted the scan, even if its response was lost.
      initiated_at = coalesce(session.initiated_at, now())
    from moved
    where session.organization_id = moved.organization_id and session.id = moved.id
      and moved.has_moved`);
};

/**
 * Confirmed entities are treated as progress. An idle poll moves `moved_at` back by its share of
 * {@link stalledMinutes}.
 */
const recordMove = (
  database: Database,
  lease: Lease,
  { hasMoved, isIdle }: Pick<Reported, "hasMoved" | "isIdle">,
) =>
  database.execute(sql`
    update ${discoverySessions} as session set moved_at = case when ${hasMoved} then now()
      else session.moved_at - make_interval(secs => ${(stalledMinutes * 60) / idlePolls}) end
    where ${ofDaemon(lease)} and ${runs}
      and (${hasMoved} or (${isIdle} and session.phase in ('Started', 'Scanning')))`);

/** Fails a scan that has made no progress for {@link stalledMinutes}. */
const failStalled = (database: Database, lease: Lease) =>
  database.execute(sql`
    update ${discoverySessions} as session set finished_at = now(),
      phase = case when cancel_requested_at is null then 'Failed' else 'Cancelled' end,
      error = case when cancel_requested_at is null then 'stalled' end
    where ${ofDaemon(lease)} and ${runs}
      and session.moved_at <= now() - make_interval(mins => ${stalledMinutes})`);

/** Starts the scan that has been waiting the longest, unless one is running. */
const startNext = (database: Database, lease: Lease) =>
  database.execute(sql`
    update ${discoverySessions} as session set phase = 'Pending', started_at = now(), moved_at = now()
    where ${ofDaemon(lease)} and session.id = (
      select waiting.id from ${discoverySessions} as waiting
      where waiting.organization_id = ${lease.organization_id} and waiting.daemon_id = ${lease.id}
        and waiting.phase = 'Queued'
      order by waiting.created_at, waiting.id limit 1 for update)
    and not exists (
      select from ${discoverySessions} as running
      where running.organization_id = ${lease.organization_id} and running.daemon_id = ${lease.id}
        and running.phase = any ${textsOf(runningPhases)})`);
