import { and, asc, count, eq, gt, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import type { Database } from "../database/connection.ts";
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

const filtered = (filters: BindingFilters): SQL[] =>
  filterColumns.flatMap((column) =>
    filters[column] === undefined ? [] : [eq(bindings[column], sql.placeholder(column))],
  );

const isLive = isNull(bindings.valid_to);

/** The instant that was asked for; a fixed one (`app.fix_instant`) only if it lies before that. */
function instantOf(versions: "at" | "fixed"): SQL {
  const at = sql`${sql.placeholder("at")}::timestamptz`;
  return versions === "at" ? at : sql`least(${at}, current_setting('app.instant')::timestamptz)`;
}

function matching({ filters, versions }: Shape): SQL | undefined {
  if (versions === "live") {
    return and(isLive, ...filtered(filters));
  }
  // valid_from <= at < valid_to (API contract, section 5).
  const instant = instantOf(versions);
  return and(
    lte(bindings.valid_from, instant),
    or(isLive, gt(bindings.valid_to, instant)),
    ...filtered(filters),
  );
}

const order = [asc(bindings.created_at), asc(bindings.live_id)];

/**
 * How many match. The versions of an instant are counted apart, those that are live today and those
 * that have been closed since: an index answers each, where one for both would read all history.
 */
function totalOf(database: Database, shape: Shape) {
  const filters = filtered(shape.filters);
  const countOf = (versions: SQL | undefined) =>
    database
      .select({ count: count() })
      .from(bindings)
      .where(and(versions, ...filters));
  if (shape.versions === "live") {
    return sql`${countOf(isLive)}`;
  }
  const instant = instantOf(shape.versions);
  const hadBegun = lte(bindings.valid_from, instant);
  return sql`${countOf(and(isLive, hadBegun))} + ${countOf(and(gt(bindings.valid_to, instant), hadBegun))}`;
}

const page = statements(shapeKey, (database, shape: Shape) => {
  const where = matching(shape);
  const total = database
    .select({ total_count: sql<number>`(${totalOf(database, shape)})::int`.as("total_count") })
    .from(sql`(select) as nothing`)
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
) => page({ filters, versions }, { ...filters, ...fixed(values) });

/** Without an instant that was asked for, the fixed one is the earlier. */
const fixed = <Values extends { at?: string | undefined }>(values: Values) => ({
  ...values,
  at: values.at ?? "infinity",
});

interface PortionShape extends Shape {
  isFirst: boolean;
}

const portion = statements(
  (shape: PortionShape) => `${shapeKey(shape)} ${shape.isFirst}`,
  (database, shape) => {
    const isAfter = sql`(${bindings.created_at}, ${bindings.live_id})
      > (${sql.placeholder("created_at")}::timestamptz, ${sql.placeholder("live_id")}::uuid)`;
    return database
      .select(bindingColumns)
      .from(bindings)
      .where(and(matching(shape), shape.isFirst ? undefined : isAfter))
      .orderBy(...order)
      .limit(sql.placeholder("limit"));
  },
);

/** The first bindings of the fixed instant, or of an earlier one. */
export const firstBindings = (
  filters: BindingFilters,
  values: { at: string | undefined; limit: number },
) => portion({ filters, versions: "fixed", isFirst: true }, { ...filters, ...fixed(values) });

/** The bindings of an instant that come after one in the order of the list. */
export const bindingsAfter = (
  filters: BindingFilters,
  values: { at: string; created_at: string; live_id: string; limit: number },
) => portion({ filters, versions: "at", isFirst: false }, { ...filters, ...values });
