import { and, asc, count, eq, gt, isNotNull, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import type { Database } from "../database/connection.ts";
import { bindings } from "../database/tables/index.ts";

/** Which bindings: those that carry all of the given ids. */
export interface BindingFilters {
  service_id?: string | undefined;
  network_id?: string | undefined;
  port_id?: string | undefined;
  ip_address_id?: string | undefined;
}

/**
 * Which versions of them:
 * - `live`: those that are live while the statement runs;
 * - `at`: those of an instant, which may lie anywhere in history;
 * - `now`: those of an instant that has only just passed. The same as `at`, found faster, but not
 *   from an offset on.
 */
export type Versions = "live" | "at" | "now";

export interface Selection {
  filters: BindingFilters;
  versions: Versions;
  /**
   * Whether the instant is the one that `app.fix_instant` has fixed in this batch, or the value `at`
   * if that is earlier; else it is the value `at`.
   */
  isFixed: boolean;
}

const filterColumns = ["service_id", "network_id", "port_id", "ip_address_id"] as const;

/** What makes two selections the same SQL. */
export const selectionKey = ({ filters, versions, isFixed }: Selection) =>
  `${versions} ${isFixed} ${filterColumns.filter((column) => filters[column] !== undefined)}`;

const isLive = isNull(bindings.valid_to);
const isClosed = isNotNull(bindings.valid_to);
const order = [asc(bindings.created_at), asc(bindings.live_id)];

const filtered = ({ filters }: Selection): SQL[] =>
  filterColumns.flatMap((column) =>
    filters[column] === undefined ? [] : [eq(bindings[column], sql.placeholder(column))],
  );

function instantOf({ isFixed }: Selection): SQL {
  const at = sql`${sql.placeholder("at")}::timestamptz`;
  return isFixed ? sql`least(${at}, current_setting('app.instant')::timestamptz)` : at;
}

/** `valid_from <= at < valid_to` (API contract, section 5), for live and for closed versions. */
function intervals(selection: Selection) {
  const instant = instantOf(selection);
  const hadBegun = lte(bindings.valid_from, instant);
  return {
    live: and(isLive, hadBegun),
    closedSince: and(isClosed, gt(bindings.valid_to, instant), hadBegun),
    either: and(hadBegun, or(isLive, gt(bindings.valid_to, instant))),
  };
}

/**
 * How many match. The versions of an instant are counted apart, those that are live today and those
 * that have been closed since: an index answers each, where one for both would read all history.
 */
export function bindingCount(database: Database, selection: Selection): SQL {
  const countOf = (versions: SQL | undefined) =>
    database
      .select({ count: count() })
      .from(bindings)
      .where(and(versions, ...filtered(selection)));
  if (selection.versions === "live") {
    return sql`${countOf(isLive)}`;
  }
  const { live, closedSince } = intervals(selection);
  return sql`${countOf(live)} + ${countOf(closedSince)}`;
}

/**
 * The ids of what matches, in the order of the list, from indexes alone: what is skipped is then
 * never read. Needs the values of the filters, `at` unless live, `limit` and `offset`.
 * @param after narrows the selection to what comes after some binding
 */
export function orderedIds(database: Database, selection: Selection, after?: SQL) {
  const ids = (versions: SQL | undefined) =>
    database
      .select({ id: bindings.id, created_at: bindings.created_at, live_id: bindings.live_id })
      .from(bindings)
      .where(and(versions, after, ...filtered(selection)))
      .orderBy(...order)
      .limit(sql.placeholder("limit"))
      .offset(sql.placeholder("offset"));
  if (selection.versions === "live") {
    return sql`${ids(isLive)}`;
  }
  const { live, closedSince, either } = intervals(selection);
  if (selection.versions === "at") {
    return sql`${ids(either)}`;
  }
  // Hardly any version has been closed since: the index of the live ones is read, not all history.
  // Nothing is skipped here, so an offset of 0 in both is right.
  return sql`(select * from (${ids(live)} union all ${ids(closedSince)}) as either
    order by created_at, live_id limit ${sql.placeholder("limit")})`;
}
