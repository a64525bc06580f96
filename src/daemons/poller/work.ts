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
import { holds, type Lease, lockDaemon } from "./claim/lease.ts";
import { nilId, type Progress } from "./report/protocol.ts";

/** The scan that a daemon is to run, or runs. */
export interface Work {
  id: string;
  phase: SessionPhase;
  is_cancelled: boolean;
  subnet_ids: string[] | null;
  /** The host that the daemon lives on, where it is known. */
  host_id: string | null;
}

/** A row of {@link readWork}; without a scan that runs, its fields are null. */
type WorkRow = Record<string, unknown> &
  Omit<Work, "id" | "phase"> & {
    id: string | null;
    phase: SessionPhase | null;
    unsettled_id: string | null;
  };

/** The scan that runs, and the complete one that is still to be settled. */
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

/** What a daemon is to do next. */
export interface Next {
  /** The scan that it is to run, or runs. */
  work: Work | null;
  /** The complete scan that is still to be settled. */
  unsettled_id: string | null;
}

/** What a poll says of the scan that runs. */
interface Reported {
  progress: Progress | null;
  /** Whether entities of it were taken over. */
  hasMoved: boolean;
  /** Whether the daemon is ready for work and has neither progress nor entities: it runs no scan. */
  isIdle: boolean;
}

/**
 * Moves the scans of a daemon on, in one call and one transaction: what it reports of its scan, what
 * stands still, what comes next.
 * @returns null where the lease is lost
 * @throws {ApiError} when the database fails
 */
export async function advance(
  settings: Settings,
  lease: Lease,
  { progress, hasMoved, isIdle }: Reported,
): Promise<Next | null> {
  const build = (database: Database) =>
    [
      lockDaemon(database, lease),
      recordProgress(database, lease, progress ?? nothing),
      recordMove(database, lease, { hasMoved, isIdle }),
      failStalled(database, lease),
      takeNext(database, lease),
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

/** Progress of no scan. */
const nothing: Progress = {
  session_id: nilId,
  phase: "Pending",
  progress: 0,
  error: null,
  hosts_discovered: null,
  estimated_remaining_secs: null,
};

/** Ends a scan that runs, or says that its daemon has taken it. */
const moveWork = (
  database: Database,
  lease: Lease,
  sessionId: string,
  to: { phase: "Starting" | "Cancelled" } | { phase: "Failed"; error: string },
) =>
  database.execute(sql`
    update ${discoverySessions} as session set phase = ${to.phase}, moved_at = now(),
      initiated_at = ${to.phase === "Starting" ? sql`now()` : sql`session.initiated_at`},
      error = ${"error" in to ? to.error : null},
      finished_at = ${to.phase === "Starting" ? sql`null` : sql`now()`}
    where ${ofDaemon(lease)} and session.id = ${sessionId} and ${runs}
      and ${rank(sql`${to.phase}::text`)} > ${rank(sql`session.phase`)}`);

/** Moves a scan on, in a call of its own. */
export const moveSession = (
  settings: Settings,
  lease: Lease,
  sessionId: string,
  to: Parameters<typeof moveWork>[3],
) =>
  runAsPoller(
    settings,
    (database) => [moveWork(database, lease, sessionId, to)],
    lease.databaseTime,
  );

/** Minutes after which a scan that stands still fails (API contract, section 10). */
const stalledMinutes = 5;

/**
 * Polls in a row after which a scan fails whose daemon has reported progress of it and is idle now (API contract,
 * section 10). A daemon that restarts forgets its scan; one that runs a scan reports its progress with every poll.
 * Polls of a daemon begin at least `healthyPollSeconds` apart.
 */
const idlePolls = 3;

const textsOf = (texts: readonly string[]): SQL => sql`(${sql.param(texts)}::text[])`;

/** Scans of the daemon, as `session`, while the lease holds. */
export const ofDaemon = (
  lease: Lease,
): SQL => sql`session.organization_id = ${lease.organization_id}
  and session.daemon_id = ${lease.id} and ${holds(lease)}`;

/** Whether the scan `session` runs. */
export const runs: SQL = sql`session.phase = any ${textsOf(runningPhases)}`;

/** The place of a phase in the order in which they follow each other. */
const rank = (phase: SQL): SQL => sql`array_position(${textsOf(sessionPhases)}, ${phase})`;

/** Records how far a daemon says that it is with the scan that it runs. It only goes forward. */
const recordProgress = (database: Database, lease: Lease, progress: Progress) => {
  const isFinal = finalPhases.some((phase) => phase === progress.phase);
  const reached = progress.phase === "Complete" ? 100 : progress.progress;
  const error = progress.phase === "Failed" ? (progress.error ?? "failed") : null;
  return database.execute(sql`
    with moved as (
      select session.organization_id, session.id, said.*,
        (said.phase, said.progress, said.hosts_discovered, said.estimated_remaining_secs)
          is distinct from (session.phase, session.progress, session.hosts_discovered,
            session.estimated_remaining_secs) as has_moved
      from ${discoverySessions} as session cross join lateral (
        select ${progress.phase}::text as phase,
          greatest(session.progress, ${reached}::int) as progress,
          coalesce(${progress.hosts_discovered ?? null}::int, session.hosts_discovered) as hosts_discovered,
          ${progress.estimated_remaining_secs ?? null}::int as estimated_remaining_secs) as said
      where ${ofDaemon(lease)} and session.id = ${progress.session_id} and ${runs}
        and ${rank(sql`said.phase`)} >= ${rank(sql`session.phase`)})
    update ${discoverySessions} as session set
      phase = moved.phase, progress = moved.progress, hosts_discovered = moved.hosts_discovered,
      estimated_remaining_secs = moved.estimated_remaining_secs, error = ${error}::text,
      moved_at = now(), finished_at = ${isFinal ? sql`now()` : sql`null`},
      -- It has taken a scan of which it says something, also where its answer was lost.
      initiated_at = coalesce(session.initiated_at, now())
    from moved
    where session.organization_id = moved.organization_id and session.id = moved.id
      and moved.has_moved`);
};

/**
 * Entities that were confirmed count as progress as well. An idle poll counts as its share of the minutes after
 * which the scan fails: `moved_at` goes back instead of on.
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

/** Fails the scan of a daemon that stands still. */
const failStalled = (database: Database, lease: Lease) =>
  database.execute(sql`
    update ${discoverySessions} as session set finished_at = now(),
      phase = case when cancel_requested_at is null then 'Failed' else 'Cancelled' end,
      error = case when cancel_requested_at is null then 'stalled' end
    where ${ofDaemon(lease)} and ${runs}
      and session.moved_at <= now() - make_interval(mins => ${stalledMinutes})`);

/** Takes the scan that has waited longest, where none runs. */
const takeNext = (database: Database, lease: Lease) =>
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
