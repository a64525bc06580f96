import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";

/** An instant: a timestamp, or an expression that yields one. */
export type Instant = string | SQL;

/**
 * A set of versions of a table with history, with at most one version of each record. `at` selects
 * the versions valid at an instant, as they are stored today: closed versions appear under their
 * own ids. `justPassed` selects the versions at an instant that passed during this request, and
 * returns them as they were then: live. Hardly any of them have been closed since then, so a list
 * reads the index of live versions and adds the few closed versions.
 */
export type Versions =
  | { kind: "live" }
  | { kind: "at"; at: Instant }
  | { kind: "justPassed"; at: Instant };

/** The live versions. */
export const live = { kind: "live" } as const satisfies Versions;

/** The versions at an instant; the live versions if `at` is undefined. */
export const versionsAt = (at: Instant | undefined): Versions =>
  at === undefined ? live : { kind: "at", at };

/**
 * Returns SQL for the instant as an argument to a database function; null for the live versions.
 */
export const instantOf = (versions: Versions): SQL =>
  sql`${versions.kind === "live" ? null : versions.at}::timestamptz`;

/**
 * Returns SQL for the end of a version, written in the same way as in the indexes
 * (tables/history.ts). The SQL avoids `coalesce`, which Postgres does not consider leakproof:
 * behind row-level security, such a condition cannot use an index.
 */
export const endsAt = (table: SQL): SQL =>
  sql`case when ${table}.valid_to is null then 'infinity'::timestamptz else ${table}.valid_to end`;

/**
 * True for versions valid at a timestamp: `valid_from <= at < valid_to` (API contract, section 5).
 */
const validAt = (table: SQL, at: Instant): SQL =>
  sql`(${table}.valid_from <= ${at}::timestamptz and ${endsAt(table)} > ${at}::timestamptz)`;

const namedSql = (table: PgTable | string): SQL =>
  typeof table === "string" ? sql`${sql.identifier(table)}` : sql`${table}`;

/**
 * True if a row is one of these versions.
 * @param table a table, or an alias, which must be a constant
 */
export const versionsOf = (table: PgTable | string, versions: Versions): SQL => {
  const name = namedSql(table);
  return versions.kind === "live" ? sql`${name}.valid_to is null` : validAt(name, versions.at);
};

/**
 * {@link versionsOf}, written to match the indexes that start with a filter's columns. These
 * indexes contain {@link endsAt} and also serve the live versions.
 * @param table a table, or an alias, which must be a constant
 */
export const versionsAs = (table: PgTable | string, versions: Versions): SQL => {
  const name = namedSql(table);
  return versions.kind === "live" ? sql`${endsAt(name)} = 'infinity'` : validAt(name, versions.at);
};

/**
 * True if a version belongs to a record. A live version has its record's id, so it can be looked up
 * without reading the versions that it replaced.
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
 * True for versions of records that belong to another record. Live versions are looked up by the
 * reference that only they have (`live_*`).
 * @param column the column of `table` that refers to the owner
 */
export const partsOf = (
  table: PgTable,
  column: "host_id" | "service_id" | "interface_id" | "port_id" | "ip_address_id",
  record: SQLWrapper,
  versions: Versions,
): SQL =>
  versions.kind === "live"
    ? sql`${table}.${sql.identifier(`live_${column}`)} = ${record}`
    : sql`${table}.${sql.identifier(column)} = ${record} and ${versionsOf(table, versions)}`;

/**
 * Returns SQL for the number of matching versions that were valid at a timestamp. Versions that are
 * still live and versions that have been closed since then are counted separately: each count is
 * one index scan, while a single count would read all history.
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
 * Fixes the instant for a list that is read in several batches. It first waits until all
 * transactions with earlier timestamps have ended.
 */
export const fixInstant = sql`select app.fix_instant() as instant`;

/** The instant that {@link fixInstant} fixed earlier in the same batch. */
export const fixedInstant = sql`current_setting('app.instant')::timestamptz`;

/**
 * The changes that a page includes although they were not settled when its call started: see
 * `app.seen_beyond_settled`.
 */
export interface SeenBeyondSettled {
  newest: string;
  count: number;
}

/**
 * A column with the changes that a statement sees beyond the gate's settled instant; null if there
 * are none. Requires a gate with `needsSettled`.
 */
export const seenBeyondSettled = sql`(select app.seen_beyond_settled())`;

/**
 * Returns SQL that counts the changes in the caller's organization after `since` and up to `until`.
 */
export const changesBetween = (since: string, until: string): SQL => sql`
  select count(*)::int as count from transactions as stamped
  where stamped.organization_id = (select app.organization_id())
    and stamped.changed_at > ${since}::timestamptz and stamped.changed_at <= ${until}::timestamptz`;

/**
 * Aborts the batch unless the history of the caller's organization is complete from the given
 * instant on. It must run after the statements that read history.
 * @param isCursor true if the instant comes from a cursor, which is valid as long as nothing after
 *   it has been deleted
 */
export const requireHistory = (instant: string, isCursor: boolean): SQL =>
  sql`select app.require_history(${instant}::timestamptz, ${isCursor ? "~" : null}::text)`;

/** Waits for the changes that are in progress. */
export const awaitChanges = sql`select app.await_changes()`;

/**
 * Returns the columns with which versions are read. `justPassed` versions are read as live, even if
 * they have been closed since then.
 */
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
