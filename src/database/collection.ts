import { getTableName, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { selectionOf } from "./columns-of.ts";
import { countOfVersions, isVersionOf, live, type Versions, versionsOf } from "./history.ts";

/** Columns and expressions of a table, by the names under which they are read. */
export type Columns = Readonly<Record<string, SQLWrapper>>;

/** What errors call a record of each kind, in the singular. `app.missing` knows them all. */
export const entities = [
  "ApiKey",
  "Binding",
  "Credential",
  "Daemon",
  "DiscoverySession",
  "Host",
  "Interface",
  "IPAddress",
  "Network",
  "Organization",
  "Port",
  "Service",
  "Subnet",
  "Tag",
  "Webhook",
] as const;
export type Entity = (typeof entities)[number];

/** Records of one table, as a list reads them. */
export interface Collection<Read extends Columns = Columns> {
  entity: Entity;
  table: PgTable;
  columns: Read;
  /** About how many bytes of JSON a record is; an expression where records differ much. */
  bytes: SQL | number;
  /** Of a table with history: its records are known by their live ids. */
  versions?: Versions;
  /**
   * What the service itself observes of a record, as one row: it shows in entity tags, but does not
   * make If-Match fail (API contract, section 7).
   */
  observed?: SQL;
}

/** Where a collection's records are, and by what they are known. */
export type Known = Pick<Collection, "table" | "entity" | "versions" | "observed">;

/** Whether a row is the record with an id. */
export const isRecord = (known: Omit<Known, "entity">, id: SQL | string): SQL =>
  isKnownBy(known, sql`= ${id}`);

/** Whether a row is a record with one of some ids. */
export const isOneOf = (known: Omit<Known, "entity">, ids: readonly string[]): SQL =>
  isKnownBy(known, sql`= any (${sql.param(ids)}::uuid[])`);

const isKnownBy = ({ table, versions }: Omit<Known, "entity">, ids: SQL): SQL =>
  versions ? isVersionOf(table, ids, versions) : sql`${table}.id ${ids}`;

/** Which records of a collection, and in which order. The order must be total: it ends with the id. */
export interface Selection {
  matches: readonly SQL[];
  order: SQL;
  /** Whether it is the order of creation, ascending, which an index has as it is. */
  isByCreation?: boolean;
  /** Whether all that matches is decided by columns of the table: cheap enough for every chunk of a stream. */
  isByColumns?: boolean;
  /** Whether to find what matches before it is counted and ordered: an expensive or very selective search. */
  findsFirst?: boolean;
  /** What stands for the table: the versions that a search finds, with all that is matched and ordered by. */
  found?: SQL | undefined;
}

/** The versions among which records are selected: those of the table, or those that a search finds. */
export const versionsAmong = (
  collection: Pick<Collection, "table" | "versions">,
  { found, matches }: Pick<Selection, "found" | "matches">,
): SQL =>
  found === undefined
    ? sql`${collection.table} where ${where(collection, matches)}`
    : sql`${found} as ${sql.identifier(getTableName(collection.table))} where ${allOf(matches)}`;

/** The id of a record, whichever version of it is read. */
export const keyOf = ({ table, versions }: Omit<Known, "entity">): SQL =>
  versions === undefined ? sql`${table}.id` : sql`${table}.live_id`;

/** The records with some ids, in the order of the ids. */
export const inOrderOf = (known: Omit<Known, "entity">, ids: readonly string[]): Selection => ({
  matches: [isOneOf(known, ids)],
  order: sql`array_position(${sql.param(ids)}::uuid[], ${keyOf(known)})`,
});

/** The condition that a record is of a collection and matches. */
export const where = (
  { table, versions }: Pick<Collection, "table" | "versions">,
  matches: readonly SQL[],
): SQL => {
  return allOf(versions ? [versionsOf(table, versions), ...matches] : matches);
};

const allOf = (conditions: readonly SQL[]): SQL =>
  conditions.length === 0 ? sql`true` : sql.join([...conditions], sql` and `);

/**
 * The record of an id. Lateral and limited to one, as the planner may else read a whole organization
 * to find the few rows that are wanted.
 */
export const recordOf = (
  { table, columns }: Collection,
  condition: SQL,
  alias = "record",
): SQL => sql`
  lateral (
    select ${selectionOf(columns)} from ${table}
    where ${condition} limit 1) as ${sql.identifier(alias)}`;

/** A record as the order of creation knows it: when it was created, and its id whichever version is read. */
export interface Place {
  created_at: string;
  id: string;
  isDescending: boolean;
}

/** The condition that a record comes behind another one in the order of creation, as indexes have it. */
export const isBehind = (
  collection: Omit<Known, "entity">,
  { created_at, id, isDescending }: Place,
): SQL => {
  const [column, key] = [sql`${collection.table}.created_at`, keyOf(collection)];
  return isDescending
    ? sql`${column} <= ${created_at}::timestamptz
        and (${column} < ${created_at}::timestamptz or ${key} > ${id}::uuid)`
    : sql`(${column}, ${key}) > (${created_at}::timestamptz, ${id}::uuid)`;
};

/** Where a page lies. */
export interface PageRange {
  limit: number;
  offset: number;
  /** Behind which record it begins, in the order of creation: then the offset skips nothing. */
  after?: Place | undefined;
  /** How many records match, where that is known. */
  total_count?: number | undefined;
  /** Columns that say something of the whole statement, beside `total_count`. */
  extraColumns?: Columns | undefined;
}

/**
 * The first versions of an instant that has just passed, in the order of creation, under the name of their table:
 * those that are live today from their index, and the few that were closed since.
 */
export const recentVersions = (
  table: PgTable,
  { at }: Versions & { kind: "justPassed" },
  { matches, order }: Pick<Selection, "matches" | "order">,
  { columns, count }: { columns: SQL; count: number },
): SQL => {
  const of = (state: SQL) => sql`
    (select ${columns} from ${table}
      where ${allOf([state, sql`${table}.valid_from <= ${at}::timestamptz`, ...matches])}
      order by ${order} limit ${count})`;
  return sql`(${of(versionsOf(table, live))}
    union all ${of(sql`${table}.valid_to > ${at}::timestamptz`)}
    ) as ${sql.identifier(getTableName(table))}`;
};

/** The columns of a version that its indexes hold, and that find it and its position in the order of creation. */
export const keyColumns = (table: PgTable): SQL =>
  sql`${table}.id, ${table}.created_at, ${table}.live_id`;

/** How many records match. */
const countOf = (
  { table, ...collection }: Collection,
  { matches, isByColumns = false }: Selection,
): SQL =>
  collection.versions && collection.versions.kind !== "live" && isByColumns
    ? countOfVersions(table, collection.versions.at, matches)
    : sql`(select count(*) from ${table} where ${where({ table, ...collection }, matches)})`;

/** A page, or a record, of about so many bytes of JSON is read at once; a larger one is sent in chunks. */
export const pageBytes = 1024 * 1024;

/** What {@link Collection.bytes} says of the record in `condition`, as a from-item called `size`. */
export const sizeOf = (collection: Collection, condition: SQL): SQL =>
  recordOf(
    { ...collection, columns: { bytes: sql`(${collection.bytes})::bigint` } },
    condition,
    "size",
  );

/** What the names of fields, and ids and times in text, take in JSON beyond what they take in a row. */
const bytesOfForm = 600;

/** For more records, Postgres may rather read and sort all: it takes a row for much dearer than an entry of an index. */
const fewRecords = 100;

/** What ends the query of a page that is too large to be read at once. */
const tooLarge = sql`app.abort('request_too_large', ${JSON.stringify({ max_bytes: pageBytes })}::jsonb)`;

/**
 * A page and the number of all that match, in one statement and so of one moment. Each row is a
 * record with `total_count`; an empty page is one row whose `id` is null. A page of more than
 * {@link pageBytes} aborts the batch with `request_too_large`, as soon as so much of it has been read: to
 * measure records beforehand would make every small page dearer.
 *
 * Ids come first, so that nothing else is read of what the offset skips, is sorted, or was valid at another instant.
 * Where there is none of this, a few records are read at once. Where Postgres finds first, it reads nothing twice, nor
 * all records in their order; else indexes count and order without a sort.
 */
export const pageOf = (
  collection: Collection,
  selection: Selection,
  { limit, offset, after, total_count, extraColumns = {} }: PageRange,
): SQL => {
  const { order, findsFirst = false, found } = selection;
  const { table, versions } = collection;
  const matches = after ? [...selection.matches, isBehind(collection, after)] : selection.matches;
  const position = sql`row_number() over (order by ${order})`;
  const positions = sql`select ${table}.id, ${position} as position`;
  const inOrder =
    after && !findsFirst && versions?.kind === "justPassed"
      ? sql`${positions} from ${recentVersions(table, versions, { matches, order }, { columns: keyColumns(table), count: limit })}`
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
  const records = isAtOnce
    ? sql`(
        select ${selectionOf(collection.columns)}, ${position} as row_number
        from ${versionsAmong(collection, { matches })} order by ${order} limit ${limit}) as record`
    : sql`(${chosen} limit ${limit} offset ${skipped}) as page on true
      left join ${recordOf(collection, sql`${collection.table}.id = page.id`)}`;
  const place = isAtOnce ? sql`record.row_number` : sql`page.position`;
  const page = sql`
    from (select ${selectionOf({ total_count: sql`${count}::int`, ...extraColumns })}) as total
    left join ${records} on true`;
  const { bytes } = collection;
  if (typeof bytes === "number" && bytes * limit <= pageBytes) {
    return sql`${first} select ${ofAll}, record.* ${page} order by ${place}`;
  }
  // The sum runs with the rows, and no row is read after the one that ends the query.
  return sql`
  ${first}
  select measured.*
  from (
    select ${ofAll}, record.*, ${place} as place,
      sum(pg_column_size(record) + ${bytesOfForm}) over (rows unbounded preceding) as bytes_so_far
    ${page}) as measured
  where case when measured.bytes_so_far > ${pageBytes} then ${tooLarge} is null else true end
  order by measured.place`;
};

/** The entity tag of what somebody has written of a record: `app.etag`. */
export const writtenTag = ({ table }: Pick<Known, "table">): SQL =>
  sql`app.etag(${table}.created_at, ${table}.revision)`;

const tagOf = (known: Pick<Known, "table" | "observed">): SQL =>
  known.observed === undefined
    ? writtenTag(known)
    : sql`rtrim(${writtenTag(known)}, '"') || '-' ||
        lpad(to_hex(hash_record_extended(${known.observed}, 0)), 16, '0') || '"'`;

const shownTags = new WeakMap<object, SQL>();

/** The entity tag of a record as it is shown: with a digest of what is observed of it, if anything. */
export function shownTag(known: Pick<Known, "table" | "observed">): SQL {
  const of = known.observed ?? known.table;
  const tag = shownTags.get(of) ?? tagOf(known);
  shownTags.set(of, tag);
  return tag;
}

const wantedOf = (ids: readonly string[] | SQL): SQL => sql`
  unnest(${Array.isArray(ids) ? sql.param(ids) : ids}::uuid[]) with ordinality
    as wanted (id, position)`;

/**
 * The records with these ids that exist, in the order of the ids, each with its `etag`: an opaque
 * strong entity tag that every visible change of the record renews.
 */
export const recordsOf = (collection: Collection, ids: readonly string[] | SQL): SQL => {
  const [id] = Array.isArray(ids) && ids.length === 1 ? ids : [];
  return id === undefined ? manyRecordsOf(collection, ids) : recordWith(collection, id);
};

/** Limited to one, as the planner may else read a whole organization. */
const recordWith = (collection: Collection, id: string): SQL => sql`
  select ${selectionOf(collection.columns)}, ${shownTag(collection)} as etag
  from ${collection.table} where ${isRecord(collection, id)} limit 1`;

const manyRecordsOf = (collection: Collection, ids: readonly string[] | SQL): SQL => sql`
  select record.*
  from ${wantedOf(ids)}
  join lateral (
    select ${selectionOf(collection.columns)},
      ${shownTag(collection)} as etag
    from ${collection.table} where ${isRecord(collection, sql`wanted.id`)} limit 1) as record on true
  order by wanted.position`;

/**
 * The record with an id, if it exists, with its `etag` (see {@link recordsOf}), and whether it `is_large`:
 * more than {@link pageBytes}. Of a large one nothing else is sent.
 */
export const smallRecordOf = (collection: Collection, id: string): SQL => sql`
  select record.etag, large.is_large, ${sql.join(
    Object.keys(collection.columns).map((name) => {
      const column = sql.identifier(name);
      return sql`case when not large.is_large then record.${column} end as ${column}`;
    }),
    sql`, `,
  )}
  from ${recordOf(
    { ...collection, columns: { ...collection.columns, etag: shownTag(collection) } },
    isRecord(collection, id),
  )},
    lateral (select pg_column_size(record) > ${pageBytes} as is_large offset 0) as large`;

/** Deletes records. */
export const deleteRecords = (known: Omit<Known, "entity">, ids: readonly string[]): SQL => sql`
  delete from ${known.table} where ${isOneOf(known, ids)}`;
