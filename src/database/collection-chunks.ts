import { getTableName, type SQL, sql } from "drizzle-orm";
import { type Collection, isRecord, recordOf, type Selection, where } from "./collection.ts";

/**
 * How many bytes of JSON the first chunk of a streamed list is about at most; a later one may be a
 * multiple of it. A larger record is a chunk.
 */
export const chunkBytes = 512 * 1024;

const keyOf = ({ table, versions }: Collection): SQL =>
  versions === undefined ? sql`${table}.id` : sql`${table}.live_id`;

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
