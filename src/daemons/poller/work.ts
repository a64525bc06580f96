import { sql } from "drizzle-orm";
import type { Database } from "../../database/connection.ts";
import { runAsPoller } from "../../database/poller.ts";
import { daemons, discoverySessions, type SessionPhase } from "../../database/tables/index.ts";
import type { Settings } from "../../env.ts";
import { holds, type Lease, lockDaemon } from "./lease.ts";
import { nilId, type Progress } from "./protocol.ts";
import {
  failStalled,
  ofDaemon,
  rank,
  recordMove,
  recordProgress,
  runs,
  takeNext,
} from "./session-moves.ts";

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

/** The scan that runs, and the complete one of which absences are still to be found. */
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
  /** The complete scan of which absences are still to be found. */
  unsettled_id: string | null;
}

/**
 * Moves the scans of a daemon on, in one call and one transaction: what it said of its scan, what
 * stands still, what comes next.
 * @param said what the daemon said of its scan
 * @param hasMoved whether entities of it were taken over
 * @returns null where the lease is lost
 * @throws {ApiError} when the database fails
 */
export async function advance(
  settings: Settings,
  lease: Lease,
  said: Progress | null,
  hasMoved: boolean,
): Promise<Next | null> {
  const [, , , , , { rows }] = await runAsPoller(settings, (database) => [
    lockDaemon(database, lease),
    recordProgress(database, lease, said ?? nothing),
    recordMove(database, lease, hasMoved),
    failStalled(database, lease),
    takeNext(database, lease),
    readWork(database, lease),
  ]);
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
) => runAsPoller(settings, (database) => [moveWork(database, lease, sessionId, to)]);
