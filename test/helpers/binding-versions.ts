import { asc, eq } from "drizzle-orm";
import { bindings } from "../../src/database/tables/index.ts";
import { database, sql } from "./database.ts";
import type { Network } from "./organization.ts";

/** All versions of a binding, the oldest first. */
export const versionsOf = (liveId: string) =>
  database
    .select()
    .from(bindings)
    .where(eq(bindings.live_id, liveId))
    .orderBy(asc(bindings.valid_from));

/** An instant of the database's clock that has passed once it is known. */
export async function passedInstant(): Promise<string> {
  const [row] = await sql`
    select to_char(app.fix_instant() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as instant`;
  return String(row?.["instant"]);
}

/**
 * Makes many live bindings in one statement. Three at a time are of the same instant, so that their
 * ids decide the order.
 */
export async function mintManyBindings(
  organizationId: string,
  network: Network,
  count: number,
): Promise<void> {
  await sql.transaction([
    sql`select set_config('app.seeds_conflicts', 'on', true)`,
    sql`
    insert into bindings (organization_id, network_id, type, service_id, port_id,
      created_at, updated_at, last_seen_at, valid_from)
    select ${organizationId}, ${network.id}, 'Port', ${network.service_id}, ${network.port_id},
      instant, instant, instant, instant
    from generate_series(1, ${count}::int) as number,
      lateral (select timestamptz '2026-01-01T00:00:00Z' + (number / 3) * interval '1 ms')
        as moment (instant)`,
  ]);
}
