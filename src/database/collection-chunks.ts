import { getTableName, type SQL, sql } from "drizzle-orm";
import {
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
  sizeOf,
  versionsAmong,
} from "./collection.ts";
import { selectionOf } from "./columns-of.ts";

/**
 * The approximate maximum size of the first chunk of a streamed list, in bytes of JSON. Later
 * chunks can be several times that size.
 */
export const chunkBytes = 512 * 1024;

/** The limits of a chunk. */
interface ChunkBounds {
  /** Approximate maximum size in bytes of JSON. */
  bytes: number;
  /** True to read an oversized record in parts, instead of as a chunk of its own. */
  isCut: boolean;
}

/**
 * The records listed in `wanted`, in that order. The position of each is returned as `place`,
 * because records can have a column named `position`. The chunk stops before the first record that
 * would exceed its size, and later records are not measured. If the first record alone exceeds the
 * size, it forms a chunk of its own. If `isCut` is set, such a record is not read: its row only has
 * `is_large` set to true.
 * @param wanted a select of `id` and `position`
 * @param options.isWanted the condition that a table row is the record with a given id from
 *   `wanted`
 * @param options.keys further columns of `wanted`, with names that no column of the records has
 */
const chunk = (
  collection: Collection,
  wanted: SQL,
  { bytes, isCut }: ChunkBounds,
  {
    isWanted = (id) => isRecord(collection, id),
    keys = sql``,
  }: { isWanted?: (id: SQL) => SQL; keys?: SQL } = {},
): SQL => sql`
  with wanted as materialized (${wanted}),
  -- The first record that does not fit. The running sum stops there, so later records are not
  -- measured.
  beyond as materialized (
    select measured.position, measured.rank
    from (
      select wanted.position, row_number() over in_order as rank,
        sum(size.bytes) over in_order as bytes_so_far
      from (select id, position from wanted order by position) as wanted
      join ${sizeOf(collection, isWanted(sql`wanted.id`))} on true
      window in_order as (order by wanted.position rows unbounded preceding)) as measured
    where measured.bytes_so_far > ${bytes} limit 1)
  select chunk.position::int as place, chunk.is_large${keys}, record.*
  from (
    select wanted.*,
      ${isCut}::boolean and coalesce(wanted.position = beyond.position, false) as is_large
    from wanted left join beyond on true
    where beyond.position is null or wanted.position < beyond.position
      or (beyond.rank = 1 and wanted.position = beyond.position)) as chunk
  left join ${recordOf(collection, sql`not chunk.is_large and ${isWanted(sql`chunk.id`)}`)} on true
  where chunk.is_large or record.id is not null`;

/** The ids of the matching records, each with its `position` in the order. */
const positionsOf = (collection: Collection, { matches, order, found }: Selection): SQL => {
  const { table, versions } = collection;
  const positions = sql`
    select ${keyOf(collection)} as id, row_number() over (order by ${order}) as position`;
  if (found !== undefined || versions?.kind !== "justPassed") {
    return sql`${positions} from ${versionsAmong(collection, { matches, found })}`;
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
 * The first chunk, starting at `offset`, of a list that is read in several calls, with the total
 * count of matches. Names and times can change between calls, so a sort key cannot be used to find
 * the next chunk. Instead, the first row has the `ids` of all listed records, in order, 16 bytes
 * each, in base64. Every row has the `instant` that the batch has fixed, if any. An empty list is
 * returned as one row whose `place` is null.
 * @param range.limit the number of records to list; 0 for all
 * @param range.size the maximum number of records in the first chunk
 */
export const firstChunkOf = (
  collection: Collection,
  selection: Selection,
  { limit, offset, size, isCut }: { limit: number; offset: number; size: number; isCut: boolean },
): SQL => {
  const listed = sql`position > ${offset}
    ${limit === 0 ? sql`` : sql`and position <= ${offset + limit}`}`;
  return sql`
  with matching as materialized (${positionsOf(collection, selection)})
  select total.total_count, chunk.*, current_setting('app.instant', true) as instant,
    -- Only the first row has the ids: they are far longer than a row, and a sort moves whole rows.
    case when coalesce(chunk.rank, 1) = 1 then total.ids end as ids
  from (
    select count(*)::int as total_count,
      encode(string_agg(uuid_send(id), '' order by position) filter (where ${listed}), 'base64') as ids
    from matching) as total
  left join (
    select found.*, row_number() over (order by found.place) as rank
    from (${chunk(
      collection,
      sql`select id, position - ${offset} as position from matching where ${listed}
        order by position limit ${size}`,
      { bytes: chunkBytes, isCut },
    )}) as found) as chunk on true
  order by chunk.place`;
};

/**
 * The records with these ids that still exist, as many as fit within the bounds. `place` is the
 * position of the id, starting at 1.
 */
export const chunkOf = (
  collection: Collection,
  ids: readonly string[],
  bounds: ChunkBounds,
): SQL => sql`
  ${chunk(
    collection,
    sql`select id, position from unnest(${sql.param(ids)}::uuid[]) with ordinality
      as named (id, position)`,
    bounds,
  )} order by place`;

/** Selects the head columns of a record; no row if the record does not exist. */
export const headOf = (collection: Collection, head: Columns, id: string): SQL => sql`
  select record.* from ${recordOf({ ...collection, columns: head }, isRecord(collection, id))}`;

/** A range of a list in creation order. */
export interface KeyRange {
  /** The last record before the range; undefined at the start of the list. */
  after: Place | undefined;
  /** Maximum number of records. */
  count: number;
}

/** The {@link keyColumns} of the next versions after a record in creation order. */
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
 * The next versions at an instant, in creation order, for a kind whose records are all about the
 * same size. The index of live versions is read in order, and each row is looked up only once.
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
 * The next versions at an instant, in creation order, as many as fit. Each row has its record's
 * `key_created_at` and `key_id`, its `place`, starting at 1, and `key_count`: the number of
 * versions that the chunk would contain if all of them fit.
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
  const wanted = sql`
    select ${keyColumns(table)}, row_number() over (order by ${order}) as position
    from ${versionKeys(collection, next, count)} order by ${order} limit ${count}`;
  return sql`${chunk(collection, wanted, bounds, {
    isWanted: (id) => sql`${table}.id = ${id}`,
    keys: sql`, chunk.created_at as key_created_at, chunk.live_id as key_id,
      (select count(*)::int from wanted) as key_count`,
  })} order by place`;
};

/**
 * Makes a batch that reads by key follow the order of an index. Postgres assumes that a third of
 * the rows come after a key, regardless of the actual number, and might otherwise read and sort all
 * of those rows for each chunk. The gate has already disabled sequential scans.
 */
export const readInOrder = sql`select set_config('enable_bitmapscan', 'off', true)`;
