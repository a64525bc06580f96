import { getTableName, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { selectionOf } from "./columns-of.ts";
import { countOfVersions, isVersionOf, type Versions, versionsOf } from "./history.ts";

/** Columns and expressions of a table, by the names under which they are read. */
export type Columns = Readonly<Record<string, SQLWrapper>>;

/** Records of one table, as a list reads them. */
export interface Collection<Read extends Columns = Columns> {
  /** What errors call a record, in the singular. */
  entity: string;
  table: PgTable;
  columns: Read;
  /** About how many bytes of JSON a record is; an expression where records differ much. */
  bytes: SQL | number;
  /**
   * How many records are measured at most for the first chunk of a streamed list, where fewer than the
   * usual number fit and the first byte would wait for measuring the others.
   */
  firstChunkSize?: number;
  /** Of a table with history: its records are known by their live ids. */
  versions?: Versions;
  /**
   * What the service itself observes of a record, as one text: it shows in entity tags, but does not
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
  versions ? isVersionOf(table, ids, versions.at) : sql`${table}.id ${ids}`;

const keyOf = ({ table, versions }: Collection): SQL =>
  versions === undefined ? sql`${table}.id` : sql`${table}.live_id`;

/** Which records of a collection, and in which order. The order must be total: it ends with the id. */
export interface Selection {
  matches: readonly SQL[];
  order: SQL;
  /** Whether to find what matches before it is counted and ordered: a dear search, or one for few. */
  findsFirst?: boolean;
}

/**
 * How many bytes of JSON the first chunk of a streamed list is about at most; a later one may be a
 * multiple of it. A larger record is a chunk.
 */
export const chunkBytes = 512 * 1024;

const where = ({ table, versions }: Collection, matches: readonly SQL[]): SQL => {
  const conditions = versions ? [versionsOf(table, versions.at), ...matches] : matches;
  return conditions.length === 0 ? sql`true` : sql.join([...conditions], sql` and `);
};

/**
 * The record of an id. Lateral and limited to one, as the planner may else read a whole organization
 * to find the few rows that are wanted.
 */
const recordOf = ({ table, columns }: Collection, condition: SQL, alias = "record"): SQL => sql`
  lateral (
    select ${selectionOf(columns)} from ${table}
    where ${condition} limit 1) as ${sql.identifier(alias)}`;

/** How many records match. */
const countOf = ({ table, ...collection }: Collection, matches: readonly SQL[]): SQL =>
  collection.versions?.at !== undefined && matches.length === 0
    ? countOfVersions(table, collection.versions.at)
    : sql`(select count(*) from ${table} where ${where({ table, ...collection }, matches)})`;

/**
 * A page and the number of all that match, in one statement and so of one moment. Each row is a
 * record with `total_count`; an empty page is one row whose `id` is null.
 *
 * Ids come first, so that nothing else is read of what the offset skips. Where Postgres finds first, it
 * reads nothing twice, nor all records in their order; else indexes count and order without a sort.
 */
export const pageOf = (
  collection: Collection,
  { matches, order, findsFirst = false }: Selection,
  { limit, offset }: { limit: number; offset: number },
): SQL => {
  const inOrder = sql`
    select ${collection.table}.id, row_number() over (order by ${order}) as position
    from ${collection.table} where ${where(collection, matches)}`;
  const { first, count, chosen } = findsFirst
    ? {
        first: sql`with matching as materialized (${inOrder})`,
        count: sql`(select count(*) from matching)`,
        chosen: sql`select * from matching order by position`,
      }
    : {
        first: sql``,
        count: countOf(collection, matches),
        chosen: sql`${inOrder} order by ${order}`,
      };
  return sql`
  ${first}
  select total.total_count, record.*
  from (select ${count}::int as total_count) as total
  left join (${chosen} limit ${limit} offset ${offset}) as page on true
  left join ${recordOf(collection, sql`${collection.table}.id = page.id`)} on true
  order by page.position`;
};

/**
 * The records that `wanted` names, in its order, each with its `place`: a column of records
 * may be called `position`. Those that would make the chunk too large are left out at its end.
 * @param wanted a from-item called `wanted`, of `id` and `position`
 */
const chunk = (collection: Collection, wanted: SQL, bytes: number): SQL => sql`
  select chunk.position::int as place, record.*
  from (
    select wanted.id, wanted.position,
      sum(size.bytes) over (order by wanted.position) as bytes_so_far,
      row_number() over (order by wanted.position) as rank
    from ${wanted} join ${recordOf(
      { ...collection, columns: { bytes: sql`(${collection.bytes})::bigint` } },
      isRecord(collection, sql`wanted.id`),
      "size",
    )} on true) as chunk
  join ${recordOf(collection, isRecord(collection, sql`chunk.id`))} on true
  where chunk.bytes_so_far <= ${bytes} or chunk.rank = 1`;

/** The ids of what matches, each with its `position` in order. */
const positionsOf = (collection: Collection, { matches, order }: Selection): SQL => {
  const { table, versions } = collection;
  const positions = sql`
    select ${keyOf(collection)} as id, row_number() over (order by ${order}) as position`;
  if (versions?.at === undefined || !versions.isRecent) {
    return sql`${positions} from ${table} where ${where(collection, matches)}`;
  }
  const begun = sql.join(
    [sql`${table}.valid_from <= ${versions.at}::timestamptz`, ...matches],
    sql` and `,
  );
  return sql`${positions} from (
    select * from ${table} where ${table}.valid_to is null and ${begun}
    union all
    select * from ${table} where ${table}.valid_to > ${versions.at}::timestamptz and ${begun}
  ) as ${sql.identifier(getTableName(table))}`;
};

/**
 * The first chunk of a list that is read in several calls, from `offset` on, and the number of all
 * that match. Names and times can change meanwhile, so no key tells where to go on: the first row
 * also has the `ids` of all, in order, 16 bytes each, in base64, and each the `instant` that the batch
 * has fixed, if it has. An empty list is one row whose `place` is null.
 */
export const firstChunkOf = (
  collection: Collection,
  selection: Selection,
  { limit, offset }: { limit: number; offset: number },
): SQL => sql`
  with matching as materialized (${positionsOf(collection, selection)})
  select total.total_count, chunk.*, current_setting('app.instant', true) as instant,
    -- Only once, for they are far longer than any row.
    case when chunk.place = ${offset}::bigint + 1 then total.ids end as ids
  from (
    select count(*)::int as total_count,
      encode(string_agg(uuid_send(id), '' order by position), 'base64') as ids
    from matching) as total
  left join (${chunk(
    collection,
    sql`(select id, position from matching where position > ${offset}
      order by position limit ${limit}) as wanted`,
    chunkBytes,
  )}) as chunk on true
  order by chunk.place`;

/** The records with these ids that still exist, as many as fit; `place` counts the ids from 1. */
export const chunkOf = (collection: Collection, ids: readonly string[], bytes: number): SQL => sql`
  ${chunk(
    collection,
    sql`unnest(${sql.param(ids)}::uuid[]) with ordinality as wanted (id, position)`,
    bytes,
  )} order by place`;

/** The entity tag of what somebody has written of a record (migration `revisions`). */
export const writtenTag = ({ table }: Pick<Known, "table">): SQL =>
  sql`app.etag(${table}.created_at, ${table}.revision)`;

/** The entity tag of a record as it is shown: with a digest of what is observed of it, if anything. */
export const shownTag = (known: Pick<Known, "table" | "observed">): SQL =>
  known.observed === undefined
    ? writtenTag(known)
    : sql`rtrim(${writtenTag(known)}, '"') || '-' ||
        left(encode(sha256(convert_to(${known.observed}, 'UTF8')), 'hex'), 16) || '"'`;

/**
 * The records with these ids that exist, in the order of the ids, each with its `etag`: an opaque
 * strong entity tag that every visible change of the record renews.
 */
export const recordsOf = (collection: Collection, ids: readonly string[] | SQL): SQL => sql`
  select record.*
  from unnest(${Array.isArray(ids) ? sql.param(ids) : ids}::uuid[]) with ordinality
    as wanted (id, position)
  join lateral (
    select ${selectionOf(collection.columns)},
      ${shownTag(collection)} as etag
    from ${collection.table} where ${isRecord(collection, sql`wanted.id`)} limit 1) as record on true
  order by wanted.position`;

/** Deletes records. */
export const deleteRecords = (known: Omit<Known, "entity">, ids: readonly string[]): SQL => sql`
  delete from ${known.table} where ${isOneOf(known, ids)}`;
