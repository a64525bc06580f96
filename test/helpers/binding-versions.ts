import { asc, eq } from "drizzle-orm";
import { bindings } from "../../src/database/tables/index.ts";
import { database, sql } from "./database.ts";
import type { Network } from "./organization.ts";
import { recountRecords } from "./record-counts.ts";

/** Reads all versions of a binding, oldest first. */
export const versionsOf = (liveId: string) =>
  database
    .select()
    .from(bindings)
    .where(eq(bindings.live_id, liveId))
    .orderBy(asc(bindings.valid_from));

/** An instant on the database's clock that is in the past when this returns. */
export async function passedInstant(): Promise<string> {
  const [row] = await sql`
    select to_char(app.fix_instant() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as instant`;
  return String(row?.["instant"]);
}

/**
 * Creates live bindings, each to a different port. Each group of three has the same `created_at`,
 * so that their ids determine the order.
 * @param validFrom the start of their versions; by default, their creation
 */
export async function mintManyBindings(
  organizationId: string,
  network: Network,
  count: number,
  validFrom: string | null = null,
): Promise<void> {
  const { id, host_id, service_id } = network;
  await sql.transaction([
    // The rules compare each new binding with all other bindings of the host, which takes seconds
    // for thousands of them.
    sql`set local session_replication_role = replica`,
    sql`
    with port as (
      insert into ports (organization_id, network_id, host_id, number, protocol,
        last_seen_at, valid_from)
      select ${organizationId}, ${id}, ${host_id}, number, 'Udp', now(), now()
      from generate_series(1, ${count}::int) as number
      returning id, number)
    insert into bindings (organization_id, network_id, host_id, type, service_id, port_id,
      created_at, updated_at, last_seen_at, valid_from)
    select ${organizationId}, ${id}, ${host_id}, 'Port', ${service_id}, id,
      created, created, created, coalesce(${validFrom}::timestamptz, created)
    from port,
      lateral (select timestamptz '2026-01-01T00:00:00Z' + (number / 3) * interval '1 ms')
        as moment (created)`,
    sql.query(recountRecords, [organizationId]),
  ]);
}
