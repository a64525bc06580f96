import { getTableName, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { Children } from "./children.ts";
import { selectionOf } from "./columns-of.ts";
import { countOfVersions, isVersionOf, live, type Versions, versionsOf } from "./history.ts";
import { argument, callStored, storedOnce } from "./stored-statement.ts";
import { countDeltas } from "./tables/count-deltas.ts";

/** Columns and expressions of a table, by their names in the result. */
export type Columns = Readonly<Record<string, SQLWrapper>>;

/** The singular names of record kinds, as used in errors. `app.missing` accepts all of them. */
export const entities = [
  "ApiKey",
  "Binding",
  "Credential",
  "Daemon",
  "DiscoverySession",
  "Host",
  "Interface",
  "IPAddress",
  "Neighbor",
  "Network",
  "Organization",
  "Port",
  "Service",
  "Subnet",
  "Tag",
  "Webhook",
] as const;
export type Entity = (typeof entities)[number];

/** The records of one table, as read by a list. */
export interface Collection<Read extends Columns = Columns> {
  entity: Entity;
  table: PgTable;
  columns: Read;
  /** The approximate size of a record in bytes of JSON; undefined if record sizes vary widely. */
  bytes?: number;
  /**
   * The versions to read, for a table with history. Its records are identified by their live ids.
   */
  versions?: Versions;
  /**
   * The part of a record's state that the service itself observes, as one row. It is part of entity
   * tags, but changes to it do not make If-Match fail (API contract, section 7).
   */
  observed?: SQL;
}

/** The part of a collection that identifies its records. */
export type RecordTable = Pick<Collection, "table" | "entity" | "versions" | "observed">;

/** True if a row is the record with this id. */
export const isRecord = (records: Omit<RecordTable, "entity">, id: SQL | string): SQL =>
  isKnownBy(records, sql`= ${id}`);

/** True if a row is a record with one of these ids. */
export const isOneOf = (records: Omit<RecordTable, "entity">, ids: readonly string[]): SQL =>
  isKnownBy(records, sql`= any (${sql.param(ids)}::uuid[])`);

const isKnownBy = ({ table, versions }: Omit<RecordTable, "entity">, ids: SQL): SQL =>
  versions ? isVersionOf(table, ids, versions) : sql`${table}.id ${ids}`;

/** A filter on a collection, and an order. The order must be total, so it ends with the id. */
export interface Selection {
  matches: readonly SQL[];
  order: SQL;
  /** True for ascending creation order, which an index provides. */
  isByCreation?: boolean;
  /**
   * True if the filter uses only the table's own columns. Such a filter is cheap enough to evaluate
   * for every chunk of a stream.
   */
  isByColumns?: boolean;
  /**
   * The filter as conditions on {@link countDeltas}; undefined if that table does not have the
   * filter's columns.
   */
  matchesDeltas?: readonly SQL[] | undefined;
  /**
   * True to materialize the matches before they are counted and ordered. This is for expensive or
   * very selective searches.
   */
  findsFirst?: boolean;
  /**
   * A FROM item to read instead of the table: the search results, with all columns that the filter
   * and the order use.
   */
  found?: SQL | undefined;
}

/**
 * Returns the FROM item and the condition that select a collection's versions: from the table, or
 * from the search results.
 */
export const versionsAmong = (
  collection: Pick<Collection, "table" | "versions">,
  { found, matches }: Pick<Selection, "found" | "matches">,
): SQL =>
  found === undefined
    ? sql`${collection.table} where ${where(collection, matches)}`
    : sql`${found} as ${sql.identifier(getTableName(collection.table))} where ${allOf(matches)}`;

/** Returns SQL for the id of a record, which is the same for all of its versions. */
export const keyOf = ({ table, versions }: Omit<RecordTable, "entity">): SQL =>
  versions === undefined ? sql`${table}.id` : sql`${table}.live_id`;

/** Selects the records with these ids, in the order of the ids. */
export const inOrderOf = (
  records: Omit<RecordTable, "entity">,
  ids: readonly string[],
): Selection => ({
  matches: [isOneOf(records, ids)],
  order: sql`array_position(${sql.param(ids)}::uuid[], ${keyOf(records)})`,
});

/** True for rows that belong to the collection and match. */
export const where = (
  { table, versions }: Pick<Collection, "table" | "versions">,
  matches: readonly SQL[],
): SQL => {
  return allOf(versions ? [versionsOf(table, versions), ...matches] : matches);
};

const allOf = (conditions: readonly SQL[]): SQL =>
  conditions.length === 0 ? sql`true` : sql.join([...conditions], sql` and `);

/**
 * Reads one record. It is lateral and limited to one row, because the planner might otherwise
 * choose to read a whole organization to find a few rows.
 */
export const recordOf = (
  { table, columns }: Collection,
  condition: SQL,
  alias = "record",
): SQL => sql`
  lateral (
    select ${selectionOf(columns)} from ${table}
    where ${condition} limit 1) as ${sql.identifier(alias)}`;

/**
 * The position of a record in creation order: its creation time, and the id that all its versions
 * share.
 */
export interface Place {
  created_at: string | SQL;
  id: string | SQL;
  isDescending: boolean;
}

/**
 * True for records after `place` in creation order. It is written so that Postgres uses the index.
 */
export const isBehind = (
  collection: Omit<RecordTable, "entity">,
  { created_at, id, isDescending }: Place,
): SQL => {
  const [column, key] = [sql`${collection.table}.created_at`, keyOf(collection)];
  return isDescending
    ? sql`${column} <= ${created_at}::timestamptz
        and (${column} < ${created_at}::timestamptz or ${key} > ${id}::uuid)`
    : sql`(${column}, ${key}) > (${created_at}::timestamptz, ${id}::uuid)`;
};

/** The number of records on a page, and where the page starts. */
export interface PageRange {
  limit: number;
  /** An expression for a smaller limit, in a stored statement. */
  smallerLimit?: SQL | undefined;
  offset: number;
  /** The record after which the page starts, in creation order. The offset is then ignored. */
  after?: Place | undefined;
  /** The number of matching records, if it is already known. */
  total_count?: number | undefined;
  /**
   * Columns to return in each row in addition to `total_count`. Each has the same value in all
   * rows.
   */
  extraColumns?: Columns | undefined;
}

/**
 * Returns a FROM item with the first versions, in creation order, at an instant that has just
 * passed. They consist of the versions that are still live, read from their index, and the few that
 * have been closed since then. The item has the name of their table.
 */
export const recentVersions = (
  table: PgTable,
  { at }: Versions & { kind: "justPassed" },
  { matches, order }: Pick<Selection, "matches" | "order">,
  { columns, count, isStored = false }: { columns: SQL; count: number; isStored?: boolean },
): SQL => {
  const name = sql.identifier(getTableName(table));
  const isClosed = sql`${table}.valid_to > ${at}::timestamptz`;
  const of = (from: SQL, conditions: readonly SQL[]) => sql`
    (select ${columns} from ${from}
      where ${allOf([...conditions, sql`${table}.valid_from <= ${at}::timestamptz`, ...matches])}
      order by ${order} limit ${count})`;
  // A cached plan does not depend on the instant, so Postgres expects a large number of versions to
  // have been closed, and would read all history in creation order, or the whole index that
  // contains every column. `lineage_id`, which all closed versions have, is not in that index.
  const closed = isStored
    ? of(
        sql`(
          select ${columns}, ${table}.valid_from from ${table}
          where ${isClosed} and ${table}.lineage_id is not null offset 0) as ${name}`,
        [],
      )
    : of(sql`${table}`, [isClosed]);
  return sql`(${of(sql`${table}`, [versionsOf(table, live)])} union all ${closed}) as ${name}`;
};

/**
 * Returns a select list of the columns that identify a version and determine its place in creation
 * order. The table's indexes contain them.
 */
export const keyColumns = (table: PgTable): SQL =>
  sql`${table}.id, ${table}.created_at, ${table}.live_id`;

/**
 * Returns SQL for the number of live records of a kind with history, as a sum of changes.
 * @param matches conditions on {@link countDeltas}
 */
export const countOfLive = (table: PgTable, matches: readonly SQL[]): SQL => {
  const isOfKind = sql`${countDeltas.kind} = ${getTableName(table)}`;
  return sql`(
    select coalesce(sum(${countDeltas.change}), 0) from ${countDeltas}
    where ${allOf([isOfKind, ...matches])})`;
};

/**
 * Returns SQL for the number of matching records. For a kind with history, the number of live
 * records is computed as a sum of changes, if the filter permits.
 */
const countOf = (
  { table, ...collection }: Collection,
  { matches, matchesDeltas, isByColumns = false }: Selection,
): SQL => {
  const { versions } = collection;
  if (versions?.kind === "live" && matchesDeltas !== undefined) {
    return countOfLive(table, matchesDeltas);
  }
  return versions && versions.kind !== "live" && isByColumns
    ? countOfVersions(table, versions.at, matches)
    : sql`(select count(*) from ${table} where ${where({ table, ...collection }, matches)})`;
};

/**
 * Maximum size of a page or a record that is read at once, in approximate bytes of JSON. Anything
 * larger is read in chunks.
 */
export const pageBytes = 1024 * 1024;

/**
 * Returns SQL for the approximate size of a row called `record` with these columns, in bytes of
 * JSON. A record is larger in JSON than as a row, because of its field names and because ids and
 * timestamps are written as text. Its children are larger than their cells: a port, by about half.
 */
export const bytesOfRecord = (columns: Columns): SQL =>
  Object.values(columns).some((column) => column instanceof Children)
    ? sql`pg_column_size(record) * 8 / 5 + 600`
    : sql`pg_column_size(record) + 600`;

/**
 * Maximum page size for which rows are read directly: 100, plus one row that shows whether more
 * follow. For larger pages, Postgres might read and sort all rows, because it estimates that
 * reading a row costs much more than reading an index entry.
 */
export const fewRecords = 101;

/** Aborts the query for a page or a chunk that is too large to be read at once. */
export const tooLarge = sql`app.abort('request_too_large', ${JSON.stringify({ max_bytes: pageBytes })}::jsonb)`;

/**
 * Returns SQL that reads a page and the total count in one statement, and therefore from one
 * snapshot. Each row is a record with `total_count`; an empty page is returned as one row whose
 * `id` is null. A page of more than {@link pageBytes} aborts the batch with `request_too_large` as
 * soon as that much has been read. Measuring records beforehand would make every small page slower.
 *
 * The statement selects ids first, so rows that the offset skips, that are only sorted, or that
 * were valid at another instant are never read in full. A short page without any such rows is read
 * directly. With `findsFirst`, matches are materialized once, so Postgres neither reads them twice
 * nor walks all records in order. Otherwise, indexes are used for counting and for ordering without
 * a sort.
 */
export const pageOf = (
  collection: Collection,
  selection: Selection,
  { limit, smallerLimit, offset, after, total_count, extraColumns = {} }: PageRange,
): SQL => {
  const { order, findsFirst = false, found } = selection;
  const { table, versions } = collection;
  const matches = after ? [...selection.matches, isBehind(collection, after)] : selection.matches;
  const position = sql`row_number() over (order by ${order})`;
  const positions = sql`select ${table}.id, ${position} as position`;
  const inOrder =
    after && !findsFirst && versions?.kind === "justPassed"
      ? sql`${positions} from ${recentVersions(table, versions, { matches, order }, { columns: keyColumns(table), count: limit, isStored: smallerLimit !== undefined })}`
      : sql`${positions} from ${versionsAmong(collection, { matches, found })}`;
  const skipped = after ? 0 : offset;
  const isAtOnce =
    selection.isByCreation === true &&
    !findsFirst &&
    found === undefined &&
    selection.matches.length === 0 &&
    versions === undefined &&
    skipped === 0 &&
    limit <= fewRecords;
  const counted = (count: SQL) => (total_count === undefined ? count : sql`${total_count}`);
  const { first, count, chosen } = findsFirst
    ? {
        first: sql`with matching as materialized (${inOrder})`,
        count: counted(sql`(select count(*) from matching)`),
        chosen: sql`select * from matching order by position`,
      }
    : {
        first: sql``,
        count: counted(countOf(collection, selection)),
        chosen: sql`${inOrder} order by ${order}`,
      };
  const ofAll = sql.join(
    ["total_count", ...Object.keys(extraColumns)].map((name) => sql`total.${sql.identifier(name)}`),
    sql`, `,
  );
  // If a limit is not a constant, Postgres expects to read a tenth of all rows. If the limited
  // query has a constant limit of its own, Postgres expects to read a tenth of that constant.
  const limited = (rows: SQL) =>
    smallerLimit === undefined
      ? rows
      : sql`select * from (${rows}) as listed limit ${smallerLimit}`;
  const records = isAtOnce
    ? sql`(${limited(sql`
        select ${selectionOf(collection.columns)}, ${position} as row_number
        from ${versionsAmong(collection, { matches })} order by ${order} limit ${limit}`)}) as record`
    : sql`(${limited(sql`${chosen} limit ${limit} offset ${skipped}`)}) as page on true
      left join ${recordOf(collection, sql`${collection.table}.id = page.id`)}`;
  const place = isAtOnce ? sql`record.row_number` : sql`page.position`;
  const page = sql`
    from (select ${selectionOf({ total_count: sql`${count}::int`, ...extraColumns })}) as total
    left join ${records} on true`;
  const { bytes } = collection;
  if (bytes !== undefined && bytes * limit <= pageBytes) {
    return sql`${first} select ${ofAll}, record.* ${page} order by ${place}`;
  }
  // This is a running sum, so no row is read after the one that aborts the query.
  return sql`
  ${first}
  select measured.*
  from (
    select ${ofAll}, record.*, ${place} as place,
      sum(${bytesOfRecord(collection.columns)}) over (rows unbounded preceding) as bytes_so_far
    ${page}) as measured
  where case when measured.bytes_so_far > ${pageBytes} then ${tooLarge} is null else true end
  order by measured.place`;
};

/** Returns SQL for the entity tag of a record's written state. */
export const writtenTag = ({ table }: Pick<RecordTable, "table">): SQL =>
  sql`app.etag(${table}.created_at, ${table}.revision)`;

const tagOf = (records: Pick<RecordTable, "table" | "observed">): SQL =>
  records.observed === undefined
    ? writtenTag(records)
    : sql`rtrim(${writtenTag(records)}, '"') || '-' ||
        lpad(to_hex(hash_record_extended(${records.observed}, 0)), 16, '0') || '"'`;

const shownTags = new WeakMap<object, SQL>();

/**
 * Returns SQL for the entity tag of a record in responses. The tag includes a digest of the
 * observed state, if there is any.
 */
export function shownTag(records: Pick<RecordTable, "table" | "observed">): SQL {
  const of = records.observed ?? records.table;
  const tag = shownTags.get(of) ?? tagOf(records);
  shownTags.set(of, tag);
  return tag;
}

/** Adds the `etag` of each record to the columns of a collection. */
export const withTag = <From extends Collection>(collection: From) => ({
  ...collection,
  columns: { ...collection.columns, etag: shownTag(collection) },
});

/**
 * The statement that selects the record with an id, with its `etag`: an opaque strong entity tag
 * that changes with every visible change to the record. It is limited to one row, because the
 * planner might otherwise read a whole organization.
 */
export const recordStatement = storedOnce(
  "read",
  (collection: Collection) => sql`
  select ${selectionOf(collection.columns)}, ${shownTag(collection)} as etag
  from ${collection.table} where ${isRecord(collection, argument(1))} limit 1`,
);

/**
 * The statement that selects the record with an id, with its `etag` and `is_large`, which is true
 * if the record is larger than {@link pageBytes}. The other columns of a large record are null.
 */
export const smallRecordStatement = storedOnce(
  "read",
  (collection: Collection) => sql`
  select record.etag, large.is_large, ${sql.join(
    Object.keys(collection.columns).map((name) => {
      const column = sql.identifier(name);
      return sql`case when not large.is_large then record.${column} end as ${column}`;
    }),
    sql`, `,
  )}
  from ${recordOf(withTag(collection), isRecord(collection, argument(1)))},
    lateral (
      select ${bytesOfRecord(collection.columns)} > ${pageBytes} as is_large offset 0) as large`,
);

/** Returns SQL that selects the record with an id, if it exists: see {@link recordStatement}. */
export const recordWith = (collection: Collection, id: string | SQL): SQL =>
  callStored(recordStatement(collection), id);

/**
 * Returns SQL that selects the record with an id, if it exists: see {@link smallRecordStatement}.
 */
export const smallRecordWith = (collection: Collection, id: string): SQL =>
  callStored(smallRecordStatement(collection), id);

/**
 * Returns SQL that selects the existing records with these ids, in the order of the ids, each with
 * its `etag`.
 */
export const recordsOf = (collection: Collection, ids: readonly string[]): SQL => {
  const [id, ...others] = ids;
  return id === undefined || others.length > 0
    ? manyRecordsOf(collection, ids)
    : recordWith(collection, id);
};

const manyRecordsOf = (collection: Collection, ids: readonly string[]): SQL => sql`
  select record.*
  from unnest(${sql.param(ids)}::uuid[]) with ordinality as wanted (id, position)
  join lateral (
    select ${selectionOf(collection.columns)},
      ${shownTag(collection)} as etag
    from ${collection.table} where ${isRecord(collection, sql`wanted.id`)} limit 1) as record on true
  order by wanted.position`;

/** {@link recordsOf} with only the `etag` of each record. */
export const tagsOf = (collection: RecordTable, ids: readonly string[]): SQL =>
  manyRecordsOf({ ...collection, columns: { id: keyOf(collection) } }, ids);

/** Deletes the records with these ids if a condition holds. */
export const deleteRecords = (
  records: Omit<RecordTable, "entity">,
  ids: readonly string[],
  condition: SQL,
): SQL => sql`
  delete from ${records.table} where ${isOneOf(records, ids)} and ${condition}`;
