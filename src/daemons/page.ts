import { and, asc, count, type SQL, sql } from "drizzle-orm";
import type { Database } from "../database/connection.ts";
import { daemons } from "../database/schema/index.ts";
import type { TenantSession } from "../database/tenant.ts";
import { readAhead } from "../http/read-ahead.ts";
import { type DaemonFilters, passes } from "./filters.ts";
import { type Daemon, daemonColumns, daemonWire } from "./wire.ts";

const portionSize = 1000;

const order = [asc(daemons.created_at), asc(daemons.id)];

/**
 * A page of the daemons that pass filters and their number, in one statement. One row per daemon; a single row without one
 * where the page is empty.
 */
export function daemonPage(
  database: Database,
  filters: DaemonFilters,
  { limit, offset }: { limit: number; offset: number },
) {
  const total = database
    .select({ total_count: count().as("total_count") })
    .from(daemons)
    .where(passes(filters))
    .as("total");
  const daemon = database
    .select(daemonColumns)
    .from(daemons)
    .where(passes(filters))
    .orderBy(...order)
    .limit(limit)
    .offset(offset)
    .as("daemon");
  return database
    .select({ total_count: total.total_count, daemon: daemon._.selectedFields })
    .from(total)
    .leftJoin(daemon, sql`true`)
    .orderBy(asc(daemon.created_at), asc(daemon.id));
}

/** All daemons that pass, from `offset` on, in portions, each found by the key of the last one. */
export async function everyDaemon(tenant: TenantSession, filters: DaemonFilters, offset: number) {
  const [rows] = await tenant.ask((database) => [
    daemonPage(database, filters, { limit: portionSize, offset }),
  ]);
  const first = rows.flatMap(({ daemon }) => (daemon ? [daemonWire(daemon)] : []));
  const portions = readAhead(first, (portion, signal) => {
    const last = portion.at(-1);
    return last === undefined || portion.length < portionSize
      ? null
      : fetchAfter(tenant, filters, last, signal);
  });
  return { portions, offset, total_count: rows[0]?.total_count ?? 0 };
}

async function fetchAfter(
  tenant: TenantSession,
  filters: DaemonFilters,
  { created_at, id }: Daemon,
  signal: AbortSignal,
): Promise<Daemon[]> {
  const isAfter: SQL = sql`(${daemons.created_at}, ${daemons.id})
    > (${created_at}::timestamptz, ${id}::uuid)`;
  const [portion] = await tenant.ask(
    (database) => [
      database
        .select(daemonColumns)
        .from(daemons)
        .where(and(isAfter, passes(filters)))
        .orderBy(...order)
        .limit(portionSize),
    ],
    { signal },
  );
  return portion.map(daemonWire);
}
