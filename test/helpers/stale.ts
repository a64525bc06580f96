import { staleSweep } from "../../src/database/sweep.ts";
import { sql } from "./database.ts";

/** Moves the last sighting of a host into the past by a number of hours. */
export const passHours = (hours: number, hostId: string) => sql`
  update hosts set last_seen_at = last_seen_at - make_interval(hours => ${hours}::int)
  where id = ${hostId} and valid_to is null`;

/** Runs the job for all organizations, in as many calls as it needs. */
export async function sweepStaleAll(): Promise<void> {
  let began: string | null = null;
  for (;;) {
    const { began_at, has_more } = await sweepStaleOnce({}, began);
    if (!has_more) {
      return;
    }
    began = began_at;
  }
}

/**
 * One call of the job.
 * @param bounds values that override the job's bounds
 * @param beganAt the start of its run; omitted for the first call of a run
 */
export async function sweepStaleOnce(
  { changed = staleSweep.changed, lookedAt = staleSweep.lookedAt },
  beganAt: string | null = null,
): Promise<{ began_at: string; swept: number; has_more: boolean }> {
  const [, rows] = await sql.transaction([
    sql`set local role inventory_poller`,
    sql`select began_at::text, swept, has_more
      from app.sweep_stale_hosts(${beganAt}::timestamptz, ${changed}, ${lookedAt})`,
  ]);
  const [row] = rows ?? [];
  return { began_at: row?.["began_at"], swept: row?.["swept"], has_more: row?.["has_more"] };
}
