import { and, asc, eq, isNull, type SQL, sql } from "drizzle-orm";
import { bindings } from "../database/schema/index.ts";
import { statements } from "../database/statement.ts";
import { bindingColumns } from "./wire.ts";

/** Which bindings: those that carry all of the given ids. */
export interface BindingFilters {
  service_id?: string | undefined;
  network_id?: string | undefined;
  port_id?: string | undefined;
  ip_address_id?: string | undefined;
}

/** Which versions of them: the live ones, those of an instant, or those of the fixed instant. */
type Versions = "live" | "at" | "fixed";

interface Shape {
  filters: BindingFilters;
  versions: Versions;
}

const filterColumns = ["service_id", "network_id", "port_id", "ip_address_id"] as const;

const shapeKey = ({ filters, versions }: Shape) =>
  `${versions} ${filterColumns.filter((column) => filters[column] !== undefined)}`;

const matching = ({ filters, versions }: Shape): SQL | undefined =>
  and(
    chosen(versions),
    ...filterColumns.flatMap((column) =>
      filters[column] === undefined ? [] : [eq(bindings[column], sql.placeholder(column))],
    ),
  );

function chosen(versions: Versions): SQL {
  if (versions === "live") {
    return isNull(bindings.valid_to);
  }
  const at = sql`${sql.placeholder("at")}::timestamptz`;
  // The instant that `app.fix_instant` has fixed, or an earlier one that was asked for.
  const instant =
    versions === "at" ? at : sql`least(${at}, current_setting('app.instant')::timestamptz)`;
  // valid_from <= at < valid_to (API contract, section 5).
  return sql`(${bindings.valid_from} <= ${instant}
    and (${bindings.valid_to} is null or ${bindings.valid_to} > ${instant}))`;
}

const order = [asc(bindings.created_at), asc(bindings.live_id)];

const page = statements(shapeKey, (database, shape: Shape) => {
  const where = matching(shape);
  const total = database
    .select({ total_count: sql<number>`count(*)::int`.as("total_count") })
    .from(bindings)
    .where(where)
    .as("total");
  // The ids first, from an index alone, so that rows which the offset skips are never read.
  const ids = database
    .select({ id: bindings.id })
    .from(bindings)
    .where(where)
    .orderBy(...order)
    .limit(sql.placeholder("limit"))
    .offset(sql.placeholder("offset"))
    .as("ids");
  const binding = database
    .select(bindingColumns)
    .from(ids)
    .innerJoin(bindings, eq(bindings.id, ids.id))
    .as("binding");
  return database
    .select({ total_count: total.total_count, binding: binding._.selectedFields })
    .from(total)
    .leftJoin(binding, sql`true`)
    .orderBy(asc(binding.created_at), sql`coalesce(${binding.lineage_id}, ${binding.id})`);
});

/**
 * A page of bindings and their number, in one statement and so of one instant. One row per binding;
 * a single row without one where the page is empty.
 */
export const bindingPage = (
  filters: BindingFilters,
  versions: Versions,
  values: { at?: string | undefined; limit: number; offset: number },
) => page({ filters, versions }, { ...filters, ...values });

const portion = statements(shapeKey, (database, shape: Shape) => {
  const isAfter = sql`(${bindings.created_at}, ${bindings.live_id})
    > (${sql.placeholder("created_at")}::timestamptz, ${sql.placeholder("live_id")}::uuid)`;
  return database
    .select(bindingColumns)
    .from(bindings)
    .where(and(matching(shape), isAfter))
    .orderBy(...order)
    .limit(sql.placeholder("limit"));
});

/** The bindings of an instant that come after one in the order of the list. */
export const bindingsAfter = (
  filters: BindingFilters,
  values: { at: string; created_at: string; live_id: string; limit: number },
) => portion({ filters, versions: "at" }, { ...filters, ...values });
