import { getTableName, type SQL, sql } from "drizzle-orm";
import {
  bytesOfRecord,
  type Collection,
  type Columns,
  isBehind,
  isRecord,
  keyColumns,
  keyOf,
  type Place,
  recentVersions,
  recordOf,
  type Selection,
  tooLarge,
  versionsAmong,
} from "./collection.ts";
import { selectionOf } from "./columns-of.ts";

/**
 * The approximate maximum size of the first chunk of a streamed list, in bytes of JSON. Later
 * chunks can be several times that size.
 */
export const chunkBytes = 512 * 1024;

interface ChunkBounds {
  /** Approximate maximum size in bytes of JSON. */
  bytes: number;
  /** True to read an oversized record in parts, instead of as a chunk of its own. */
  isCut: boolean;
}

/**
 * The factor by which the records that a chunk reads may exceed its size. Reading records beyond
 * the end of the chunk is wasted work, but the end is not known before they are read.
 */
const excess = 4;

/**
 * Returns SQL that selects the records in `ids`, in that order, as many as fit. Each row has the
 * `place` of its record, starting at 1 (not `position`, because records can have a column of that
 * name), and `bytes_so_far`: the size of the chunk up to this record. If the first record alone
 * does not fit, it forms a chunk of its own; with `isCut`, its row only has `is_large` set to true.
 * If the records exceed the size of the chunk by more than {@link excess}, the batch is aborted
 * with `request_too_large`, and the caller must request fewer records.
 * @param ids a select of `id`, `place` and `keys`
 * @param options.isInChunk true for the row that `page.id` identifies; by default, the version
 *   with this id
 * @param options.keys further columns of `ids`, under names that no column of the records has
 */
const chunk = (
  collection: Collection,
  ids: SQL,
  { bytes, isCut }: ChunkBounds,
  {
    isInChunk = sql`${collection.table}.id = page.id`,
    keys = [],
  }: { isInChunk?: SQL; keys?: readonly string[] } = {},
): SQL => {
  const { columns } = collection;
  const of = (from: SQL, names: readonly string[]) =>
    sql.join(
      names.map((name) => sql`${from}.${sql.identifier(name)}`),
      sql`, `,
    );
  const record = sql.join(
    Object.keys(columns).map((name) => {
      const column = sql.identifier(name);
      return sql`case when not large.is_large then measured.${column} end as ${column}`;
    }),
    sql`, `,
  );
  // The sums are running sums, so no row is read after the one that aborts the query.
  return sql`
  select measured.place::int as place, ${of(sql`measured`, ["bytes_so_far", ...keys])}, large.is_large, ${record}
  from (
    select ${of(sql`page`, ["place", ...keys])}, record.*,
      count(*) over (rows unbounded preceding) as rank,
      sum(${bytesOfRecord(columns)}) over (rows unbounded preceding) as bytes_so_far
    from (${ids}) as page
    join ${recordOf(collection, isInChunk)} on true) as measured,
    lateral (
      select ${isCut}::boolean and measured.rank = 1 and measured.bytes_so_far > ${bytes} as is_large
      offset 0) as large
  where case
    when measured.rank > 1 and measured.bytes_so_far > ${excess * bytes} then ${tooLarge} is null
    else measured.rank = 1 or measured.bytes_so_far <= ${bytes} end`;
};

/**
 * Returns SQL that selects the ids of the matching rows, each with the `key` of its record and its
 * `place` in the order.
 */
const placesOf = (collection: Collection, { matches, order, found }: Selection): SQL => {
  const { table, versions } = collection;
  const places = sql`
    select ${table}.id, ${keyOf(collection)} as key, row_number() over (order by ${order}) as place`;
  if (found !== undefined || versions?.kind !== "justPassed") {
    return sql`${places} from ${versionsAmong(collection, { matches, found })}`;
  }
  const begun = sql.join(
    [sql`${table}.valid_from <= ${versions.at}::timestamptz`, ...matches],
    sql` and `,
  );
  return sql`${places} from (
    select * from ${table} where ${table}.valid_to is null and ${begun}
    union all
    select * from ${table} where ${table}.valid_to > ${versions.at}::timestamptz and ${begun}
  ) as ${sql.identifier(getTableName(table))}`;
};

/**
 * Returns SQL that reads the first chunk, starting at `offset`, of a list that is read in several
 * calls, with the total count of matches. Names and times can change between calls, so a sort key
 * cannot be used to find the next chunk. Instead, the first row has the `ids` of all listed
 * records, in order, 16 bytes each, in base64. Every row has the `instant` that the batch has
 * fixed, if any. An empty list is returned as one row whose `place` is null.
 * @param range.limit the number of records to list; 0 for all
 * @param range.count the maximum number of records in the first chunk
 */
export const firstChunkOf = (
  collection: Collection,
  selection: Selection,
  {
    limit,
    offset,
    count,
    ...bounds
  }: { limit: number; offset: number; count: number } & ChunkBounds,
): SQL => {
  const listed = sql`place > ${offset}
    ${limit === 0 ? sql`` : sql`and place <= ${offset + limit}`}`;
  return sql`
  with matching as materialized (${placesOf(collection, selection)})
  select total.total_count, chunk.*, current_setting('app.instant', true) as instant,
    -- Only the first row has the ids: they are far longer than a row, and a sort moves whole rows.
    case when coalesce(chunk.rank, 1) = 1 then total.ids end as ids
  from (
    select count(*)::int as total_count,
      encode(string_agg(uuid_send(key), '' order by place) filter (where ${listed}), 'base64') as ids
    from matching) as total
  left join (
    select found.*, row_number() over (order by found.place) as rank
    from (${chunk(
      collection,
      sql`select id, place - ${offset} as place from matching where ${listed}
        order by place limit ${count}`,
      bounds,
    )}) as found) as chunk on true
  order by chunk.place`;
};

/**
 * Returns SQL that selects the records with these ids that still exist, as many as fit within the
 * bounds. `place` is the position of the id, starting at 1.
 */
export const chunkOf = (
  collection: Collection,
  ids: readonly string[],
  bounds: ChunkBounds,
): SQL => sql`
  ${chunk(
    collection,
    sql`select id, place from unnest(${sql.param(ids)}::uuid[]) with ordinality as named (id, place)`,
    bounds,
    { isInChunk: isRecord(collection, sql`page.id`) },
  )} order by place`;

/** Selects the `head` columns of a record; no row if the record does not exist. */
export const headOf = (collection: Collection, head: Columns, id: string): SQL => sql`
  select record.* from ${recordOf({ ...collection, columns: head }, isRecord(collection, id))}`;

/** A range of a list in creation order. */
export interface KeyRange {
  /** The last record before the range; undefined at the start of the list. */
  after: Place | undefined;
  /** Maximum number of records. */
  count: number;
}

/**
 * Returns SQL that selects the {@link keyColumns} of the next versions after a record, in creation
 * order.
 */
const versionKeys = (
  collection: Collection,
  { matches, order }: Pick<Selection, "matches" | "order">,
  count: number,
): SQL => {
  const { table, versions } = collection;
  return versions?.kind === "justPassed"
    ? recentVersions(table, versions, { matches, order }, { columns: keyColumns(table), count })
    : versionsAmong(collection, { matches });
};

const behind = (
  collection: Collection,
  { matches, order }: Selection,
  after: Place | undefined,
): Pick<Selection, "matches" | "order"> => ({
  matches: after ? [...matches, isBehind(collection, after)] : matches,
  order,
});

/**
 * Returns SQL that selects the next versions at an instant, in creation order, for a kind whose
 * records are all about the same size. The index of live versions is read in order, and each row is
 * looked up only once.
 */
export const plainChunkBehind = (
  collection: Collection,
  selection: Selection,
  { after, count }: KeyRange,
): SQL => {
  const { table, versions, columns } = collection;
  const next = behind(collection, selection, after);
  const { order } = next;
  if (versions?.kind === "justPassed") {
    const rows = recentVersions(table, versions, next, { columns: sql`*`, count });
    return sql`select ${selectionOf(columns)} from ${rows} order by ${order} limit ${count}`;
  }
  return sql`
  select record.* from (
    select ${table}.id, row_number() over (order by ${order}) as position
    from ${versionKeys(collection, next, count)} order by ${order} limit ${count}) as page
  join ${recordOf(collection, sql`${table}.id = page.id`)} on true
  order by page.position`;
};

/**
 * Returns SQL that selects the next versions at an instant, in creation order, as many as fit. Each
 * row has its record's `key_created_at` and `key_id`, and `key_count`: the number of versions that
 * the chunk would contain if all of them fit.
 */
export const chunkBehind = (
  collection: Collection,
  selection: Selection,
  { after, count }: KeyRange,
  bounds: ChunkBounds,
): SQL => {
  const { table } = collection;
  const next = behind(collection, selection, after);
  const { order } = next;
  const ids = sql`
    select page.*, page.created_at as key_created_at, page.live_id as key_id,
      (count(*) over ())::int as key_count
    from (
      select ${keyColumns(table)}, row_number() over (order by ${order}) as place
      from ${versionKeys(collection, next, count)} order by ${order} limit ${count}) as page`;
  return sql`${chunk(collection, ids, bounds, { keys: ["key_created_at", "key_id", "key_count"] })}
    order by place`;
};

/**
 * Makes a batch that reads by key follow the order of an index. Postgres assumes that a third of
 * the rows come after a key, regardless of the actual number, and might otherwise read and sort all
 * of those rows for each chunk. The gate has already disabled sequential scans.
 */
export const readInOrder = sql`select set_config('enable_bitmapscan', 'off', true)`;
