import { sql } from "drizzle-orm";
import { runAsPoller } from "../../../database/poller.ts";
import { recordset } from "../../../database/recordset.ts";
import { daemons, discoverySessions } from "../../../database/tables/index.ts";
import type { Settings } from "../../../env.ts";
import { nextRun } from "../../schedule.ts";

/** Maximum number of schedules per statement, statements per cycle, and milliseconds per cycle. */
const scheduleBounds = { step: 1000, steps: 10, ms: 10_000 } as const;

interface DueSchedule extends Record<string, unknown> {
  organization_id: string;
  id: string;
  schedule_cron: string;
  schedule_timezone: string;
  next_scan_at: string;
}

/**
 * Requests the scans that are due. A daemon gets one scan, even if its schedule has come due
 * several times since the last cycle, and none while an earlier scheduled scan is still waiting.
 * Schedules of suspended organizations advance without starting a scan, so that a resumed
 * organization continues with the next one. Concurrent cycles start each scan once: only the cycle
 * that advances the schedule starts it.
 * @throws {ApiError} when the database fails
 */
export async function startDueScans(settings: Settings): Promise<void> {
  const startedAt = Date.now();
  let started = 0;
  for (let step = 0; step < scheduleBounds.steps; step++) {
    const [{ rows }] = await runAsPoller(settings, (database) => [
      database.execute<DueSchedule>(sql`
        select organization_id, id, schedule_cron, schedule_timezone,
          to_char(next_scan_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as next_scan_at
        from ${daemons} where next_scan_at <= now() order by next_scan_at limit ${scheduleBounds.step}`),
    ]);
    if (rows.length > 0) {
      started += await start(settings, rows);
    }
    if (rows.length < scheduleBounds.step || Date.now() - startedAt > scheduleBounds.ms) {
      break;
    }
  }
  if (started > 0) {
    console.log(JSON.stringify({ event: "scheduled_scans", started }));
  }
}

async function start(settings: Settings, due: readonly DueSchedule[]): Promise<number> {
  const now = Date.now();
  const moves = due.map(({ organization_id, id, next_scan_at, ...schedule }) => ({
    organization_id,
    id,
    due_at: next_scan_at,
    // The Worker's clock may be behind the database's clock, which decides whether a scan is due.
    next_at: nextOf(schedule, new Date(Math.max(now, Date.parse(next_scan_at)))),
  }));
  const [{ rows }] = await runAsPoller(settings, (database) => [
    database.execute<{ started: number }>(sql`
      with moved as (
        update ${daemons} as daemon set next_scan_at = due.next_at
        from ${recordset("due", moves, {
          organization_id: "uuid",
          id: "uuid",
          due_at: "timestamptz",
          next_at: "timestamptz",
        })}
        where daemon.organization_id = due.organization_id and daemon.id = due.id
          and daemon.next_scan_at = due.due_at
        returning daemon.organization_id, daemon.network_id, daemon.id, daemon.schedule_is_full_scan),
      started as (
        insert into ${discoverySessions} 
          (organization_id, network_id, daemon_id, is_full_scan, is_scheduled)
        select moved.organization_id, moved.network_id, moved.id, moved.schedule_is_full_scan, true
        from moved
        where not app.is_suspended(moved.organization_id) and not exists (
          select from ${discoverySessions} as waiting
          where waiting.organization_id = moved.organization_id and waiting.daemon_id = moved.id
            and waiting.is_scheduled and waiting.phase = 'Queued')
        returning 1)
      select count(*)::int as started from started`),
  ]);
  return rows[0]?.started ?? 0;
}

/**
 * Returns null if the schedule will never be due again, or if the platform no longer knows its time
 * zone.
 */
function nextOf(
  {
    schedule_cron: cron,
    schedule_timezone: timezone,
  }: Pick<DueSchedule, "schedule_cron" | "schedule_timezone">,
  after: Date,
): Date | null {
  try {
    return nextRun({ cron, timezone }, after);
  } catch {
    return null;
  }
}
