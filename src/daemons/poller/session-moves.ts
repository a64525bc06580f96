import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../../database/connection.ts";
import {
  discoverySessions,
  finalPhases,
  runningPhases,
  sessionPhases,
} from "../../database/tables/index.ts";
import { holds, type Lease } from "./lease.ts";
import type { Progress } from "./protocol.ts";

/** Minutes after which a scan that stands still fails (API contract, section 10). */
const stalledMinutes = 5;

const textsOf = (texts: readonly string[]): SQL => sql`(${sql.param(texts)}::text[])`;

/** Scans of the daemon, as `session`, while the lease holds. */
export const ofDaemon = (
  lease: Lease,
): SQL => sql`session.organization_id = ${lease.organization_id}
  and session.daemon_id = ${lease.id} and ${holds(lease)}`;

/** Whether the scan `session` runs. */
export const runs: SQL = sql`session.phase = any ${textsOf(runningPhases)}`;

/** The place of a phase in the order in which they follow each other. */
export const rank = (phase: SQL): SQL => sql`array_position(${textsOf(sessionPhases)}, ${phase})`;

/** Records how far a daemon says that it is with the scan that it runs. It only goes forward. */
export const recordProgress = (database: Database, lease: Lease, progress: Progress) => {
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

/** Entities that were confirmed are a move as well. */
export const recordMove = (database: Database, lease: Lease, hasMoved: boolean) =>
  database.execute(sql`
    update ${discoverySessions} as session set moved_at = now()
    where ${hasMoved} and ${ofDaemon(lease)} and ${runs}`);

/** Fails the scan of a daemon that stands still. */
export const failStalled = (database: Database, lease: Lease) =>
  database.execute(sql`
    update ${discoverySessions} as session set finished_at = now(),
      phase = case when cancel_requested_at is null then 'Failed' else 'Cancelled' end,
      error = case when cancel_requested_at is null then 'stalled' end
    where ${ofDaemon(lease)} and ${runs}
      and session.moved_at <= now() - make_interval(mins => ${stalledMinutes})`);

/** Takes the scan that has waited longest, where none runs. */
export const takeNext = (database: Database, lease: Lease) =>
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
