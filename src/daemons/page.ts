import { and, asc, count, type SQL, sql } from "drizzle-orm";
import type { Database } from "../database/connection.ts";
import type { TenantSession } from "../database/session.ts";
import { daemons } from "../database/tables/index.ts";
import { chunksByKey } from "../http/list/chunks.ts";
import type { StreamedList } from "../http/list/stream.ts";
import { type DaemonFilters, passes } from "./filters.ts";
import { type Daemon, daemonColumns, daemonWire } from "./wire.ts";

/** Rows of a chunk. A daemon is at most 11 KB of JSON (checks of the table), a chunk about 1 MB. */
const chunkSize = 100;

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

/** All daemons that pass, from `offset` on, in chunks, each found by the key of the last one. */
export async function everyDaemon(
  tenant: TenantSession,
  filters: DaemonFilters,
  { offset, signal }: { offset: number; signal: AbortSignal },
): Promise<StreamedList<Daemon>> {
  const [rows] = await tenant.run(
    (database) => [daemonPage(database, filters, { limit: chunkSize, offset })],
    { signal },
  );
  const first = rows.flatMap(({ daemon }) => (daemon ? [daemonWire(daemon)] : []));
  const sizes = { first: chunkSize, next: chunkSize };
  const next = chunksByKey(first, sizes, (last) => fetchAfter(tenant, filters, last, signal));
  return { next, offset, total_count: rows[0]?.total_count ?? 0 };
}

async function fetchAfter(
  tenant: TenantSession,
  filters: DaemonFilters,
  { created_at, id }: Daemon,
  signal: AbortSignal,
): Promise<Daemon[]> {
  const isAfter: SQL = sql`(${daemons.created_at}, ${daemons.id})
    > (${created_at}::timestamptz, ${id}::uuid)`;
  const [chunk] = await tenant.run(
    (database) => [
      database
        .select(daemonColumns)
        .from(daemons)
        .where(and(isAfter, passes(filters)))
        .orderBy(...order)
        .limit(chunkSize),
    ],
    { signal },
  );
  return chunk.map(daemonWire);
}
