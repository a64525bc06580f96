import { and, asc, count, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { Database } from "../database/connection.ts";
import { bindings } from "../database/schema/index.ts";
import { bindingColumns } from "./wire.ts";

/** Which bindings: those that carry all of the given ids. */
export interface BindingFilters {
  service_id?: string | undefined;
  network_id?: string | undefined;
  port_id?: string | undefined;
  ip_address_id?: string | undefined;
}

const filterColumns = ["service_id", "network_id", "port_id", "ip_address_id"] as const;

const filtered = (filters: BindingFilters): SQL[] =>
  filterColumns.flatMap((column) => {
    const id = filters[column];
    return id === undefined ? [] : [eq(bindings[column], id)];
  });

/** The live versions. */
export const live: SQL = isNull(bindings.valid_to);

/** The versions of an instant: `valid_from <= at < valid_to` (API contract, section 5). */
export const asOf = (at: SQL): SQL =>
  sql`(${bindings.valid_from} <= ${at} and (${bindings.valid_to} is null or ${bindings.valid_to} > ${at}))`;

/**
 * A page of bindings and their number, in one statement and so of one instant. One row per binding;
 * a single row without one where the page is empty.
 * @param versions {@link live} or {@link asOf}
 */
export function bindingPage(
  database: Database,
  filters: BindingFilters,
  versions: SQL,
  { limit, offset }: { limit: number; offset: number },
) {
  const where = and(versions, ...filtered(filters));
  const total = database
    .select({ total_count: count().as("total_count") })
    .from(bindings)
    .where(where)
    .as("total");
  const binding = database
    .select({ ...bindingColumns, live_id: bindings.live_id })
    .from(bindings)
    .where(where)
    .orderBy(asc(bindings.created_at), asc(bindings.live_id))
    .limit(limit)
    .offset(offset)
    .as("binding");
  const { live_id, ...columns } = binding._.selectedFields;
  return database
    .select({ total_count: total.total_count, binding: columns })
    .from(total)
    .leftJoin(binding, sql`true`)
    .orderBy(asc(binding.created_at), asc(live_id));
}

/** The bindings that come after one in the order of the list. */
export function bindingsAfter(
  database: Database,
  filters: BindingFilters,
  versions: SQL,
  { last, limit }: { last: { created_at: string; live_id: string }; limit: number },
) {
  const isAfter = sql`(${bindings.created_at}, ${bindings.live_id})
    > (${last.created_at}::timestamptz, ${last.live_id}::uuid)`;
  return database
    .select(bindingColumns)
    .from(bindings)
    .where(and(versions, isAfter, ...filtered(filters)))
    .orderBy(asc(bindings.created_at), asc(bindings.live_id))
    .limit(limit);
}
