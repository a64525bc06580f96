import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";

/** An instant: a timestamp, or an expression of one. */
export type Instant = string | SQL;

/**
 * A set of versions of a table with history: at most one of each record. `at` are the versions that are valid at an
 * instant, as they are today: closed ones carry ids of their own. `justPassed` are those of an instant of the same
 * request, as they were then: live. Hardly any of them has been closed since, so a list reads the index of live
 * versions, and the few closed ones beside it.
 */
export type Versions =
  | { kind: "live" }
  | { kind: "at"; at: Instant }
  | { kind: "justPassed"; at: Instant };

/** The live versions. */
export const live = { kind: "live" } as const satisfies Versions;

/** The versions of an instant, or the live ones without one. */
export const versionsAt = (at: Instant | undefined): Versions =>
  at === undefined ? live : { kind: "at", at };

/** The instant as an argument of a function of the database; null for the live versions. */
export const instantOf = (versions: Versions): SQL =>
  sql`${versions.kind === "live" ? null : versions.at}::timestamptz`;

/**
 * When a version ends, as the indexes have it (tables/history.ts). Not `coalesce`, which Postgres takes
 * to be able to leak: behind row level security such a condition uses no index.
 */
export const endsAt = (table: SQL): SQL =>
  sql`case when ${table}.valid_to is null then 'infinity'::timestamptz else ${table}.valid_to end`;

/** The versions of a timestamp: `valid_from <= at < valid_to` (API contract, section 5). */
const validAt = (table: SQL, at: Instant): SQL =>
  sql`(${table}.valid_from <= ${at}::timestamptz and ${endsAt(table)} > ${at}::timestamptz)`;

/** The condition that a row is one of these versions. */
export const versionsOf = (table: PgTable, versions: Versions): SQL =>
  versions.kind === "live" ? sql`${table}.valid_to is null` : validAt(sql`${table}`, versions.at);

/**
 * {@link versionsOf} in the form that goes with indexes which begin with the columns of a filter: they
 * serve the live versions as well, and end with {@link endsAt}.
 * @param table a table, or an alias, which is a constant of ours
 */
export const versionsAs = (table: PgTable | string, versions: Versions): SQL => {
  const name = typeof table === "string" ? sql`${sql.identifier(table)}` : sql`${table}`;
  return versions.kind === "live" ? sql`${endsAt(name)} = 'infinity'` : validAt(name, versions.at);
};

/**
 * The condition that a version is of a record: a live one has the id of its record, and is so found
 * without those that it replaced.
 * @param ids a comparison of ids, such as `= any (…)`
 */
export const isVersionOf = (table: PgTable, ids: SQL, versions: Versions): SQL =>
  versions.kind === "live"
    ? sql`${table}.id ${ids} and ${versionsOf(table, versions)}`
    : sql`${table}.live_id ${ids} and ${versionsOf(table, versions)}`;

/** {@link isVersionOf} for records with these ids. */
export const hasIdOf = (table: PgTable, ids: readonly string[], versions: Versions): SQL =>
  isVersionOf(table, sql`= any (${sql.param(ids)}::uuid[])`, versions);

/**
 * The versions of what belongs to a record: by the reference that only live ones have, or by any.
 * @param column the column of `table` that refers to the record
 */
export const partsOf = (
  table: PgTable,
  column: "host_id" | "service_id" | "port_id" | "ip_address_id",
  record: SQLWrapper,
  versions: Versions,
): SQL =>
  versions.kind === "live"
    ? sql`${table}.${sql.identifier(`live_${column}`)} = ${record}`
    : sql`${table}.${sql.identifier(column)} = ${record} and ${versionsOf(table, versions)}`;

/**
 * How many versions match that were valid at a timestamp. Those that are live today and those that were closed
 * since are counted apart: each is one index scan, where a single count would read all history.
 */
export const countOfVersions = (table: PgTable, at: Instant, matches: readonly SQL[]): SQL => {
  const matching = sql.join(
    matches.map((condition) => sql` and ${condition}`),
    sql``,
  );
  return sql`(
  (select count(*) from ${table} where ${table}.valid_to is null
    and ${table}.valid_from <= ${at}::timestamptz${matching})
  + (select count(*) from ${table} where ${table}.valid_to > ${at}::timestamptz
    and ${table}.valid_from <= ${at}::timestamptz${matching}))`;
};

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

/** The columns of versions. Those of an instant that has just passed are read as live, also if closed since. */
export const columnsAt = <Read extends Readonly<Record<string, SQLWrapper>>>(
  table: PgTable,
  columns: Read,
  { kind }: Versions,
): Read =>
  kind === "justPassed"
    ? {
        ...columns,
        id: sql`${table}.live_id`,
        valid_to: sql`null::timestamptz`,
        lineage_id: sql`null::uuid`,
      }
    : columns;
