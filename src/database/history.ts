import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";

/** An instant: a timestamp, or an expression of one. */
export type Instant = string | SQL;

/** Which versions of the records of a table with history are meant: at most one of each record. */
export interface Versions {
  /** The instant at which they are valid; undefined for those that are live. */
  at: Instant | undefined;
  /**
   * Whether that instant has only just passed. Hardly any version was closed since: those few are found
   * beside the live ones.
   */
  isRecent?: boolean | undefined;
}

/** The live versions. */
export const live: Versions = { at: undefined };

/**
 * When a version ends, as the indexes have it (tables/history.ts). Not `coalesce`, which Postgres takes
 * to be able to leak: behind row level security such a condition uses no index.
 */
export const endsAt = (table: SQL): SQL =>
  sql`case when ${table}.valid_to is null then 'infinity'::timestamptz else ${table}.valid_to end`;

/** The versions of a timestamp: `valid_from <= at < valid_to` (API contract, section 5). */
const validAt = (table: SQL, at: Instant): SQL =>
  sql`(${table}.valid_from <= ${at}::timestamptz and ${endsAt(table)} > ${at}::timestamptz)`;

/** The versions of a timestamp, or the live ones without one. */
export const versionsOf = (table: PgTable, at: Instant | undefined): SQL =>
  at === undefined ? sql`${table}.valid_to is null` : validAt(sql`${table}`, at);

/**
 * {@link versionsOf} in the form that goes with indexes which begin with the columns of a filter: they
 * serve the live versions as well, and end with {@link endsAt}.
 * @param table a table, or an alias, which is a constant of ours
 */
export const versionsAs = (table: PgTable | string, at: Instant | undefined): SQL => {
  const name = typeof table === "string" ? sql`${sql.identifier(table)}` : sql`${table}`;
  return at === undefined ? sql`${endsAt(name)} = 'infinity'` : validAt(name, at);
};

/**
 * The condition that a version is of a record: a live one has the id of its record, and is so found
 * without those that it replaced.
 * @param ids a comparison of ids, such as `= any (…)`
 */
export const isVersionOf = (table: PgTable, ids: SQL, at: Instant | undefined): SQL =>
  at === undefined
    ? sql`${table}.id ${ids} and ${versionsOf(table, at)}`
    : sql`${table}.live_id ${ids} and ${versionsOf(table, at)}`;

/** {@link isVersionOf} for records with these ids. */
export const hasIdOf = (table: PgTable, ids: readonly string[], at: Instant | undefined): SQL =>
  isVersionOf(table, sql`= any (${sql.param(ids)}::uuid[])`, at);

/**
 * The versions of what belongs to a record: by the reference that only live ones have, or by any.
 * @param column the column of `table` that refers to the record
 */
export const partsOf = (
  table: PgTable,
  column: "host_id" | "service_id" | "port_id",
  record: SQLWrapper,
  at: Instant | undefined,
): SQL =>
  at === undefined
    ? sql`${table}.${sql.identifier(`live_${column}`)} = ${record}`
    : sql`${table}.${sql.identifier(column)} = ${record} and ${validAt(sql`${table}`, at)}`;

/**
 * How many versions were valid at a timestamp. Those that are live today and those that were closed
 * since are counted apart: each is one index scan, where a single count would read all history.
 */
export const countOfVersions = (table: PgTable, at: Instant): SQL => sql`(
  (select count(*) from ${table} where ${table}.valid_to is null
    and ${table}.valid_from <= ${at}::timestamptz)
  + (select count(*) from ${table} where ${table}.valid_to > ${at}::timestamptz
    and ${table}.valid_from <= ${at}::timestamptz))`;

/**
 * Fixes the instant of a list that is read in several batches, once all changes that are stamped earlier
 * have ended.
 */
export const fixInstant = sql`select app.fix_instant() as instant`;

/** The instant that {@link fixInstant} has fixed earlier in the same batch. */
export const fixedInstant = sql`current_setting('app.instant')::timestamptz`;

/** What a page saw of changes that were not settled when its call began: see `app.seen_beyond_settled`. */
export interface SeenBeyondSettled {
  newest: string;
  count: number;
}

/** A column of what a statement behind a gate that needs what is settled sees beyond it; null where that is nothing. */
export const seenBeyondSettled = sql`(select app.seen_beyond_settled())`;

/** How many changes of the caller's organization lie between two instants, the later one included. */
export const changesBetween = (since: string, until: string): SQL => sql`
  select count(*)::int as count from transactions as stamped
  where stamped.organization_id = (select app.organization_id())
    and stamped.changed_at > ${since}::timestamptz and stamped.changed_at <= ${until}::timestamptz`;

/**
 * Ends the batch unless the history of the caller's organization is whole from an instant on. Goes behind what reads it.
 * @param isCursor whether the instant is that of a cursor: it is good where nothing behind it was deleted
 */
export const requireHistory = (instant: string, isCursor: boolean): SQL =>
  sql`select app.require_history(${instant}::timestamptz, ${isCursor ? "~" : null}::text)`;

/** Waits for the changes that are under way. */
export const awaitChanges = sql`select app.await_changes()`;

/**
 * Columns of versions that were live at an instant which has only just passed: one that was closed since
 * shows as it did then.
 */
export const asLive = <Read extends Readonly<Record<string, SQLWrapper>>>(
  table: PgTable,
  columns: Read,
): Read => ({
  ...columns,
  id: sql`${table}.live_id`,
  valid_to: sql`null::timestamptz`,
  lineage_id: sql`null::uuid`,
});
