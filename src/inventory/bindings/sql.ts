import { type SQL, sql } from "drizzle-orm";
import { type Columns, type PageRange, writtenTag } from "../../database/collection.ts";
import { selectionOf, written } from "../../database/columns-of.ts";
import { bindings } from "../../database/tables/index.ts";
import { type BindingFilters, isNarrow, matchingAt, matchingLive } from "./matching.ts";
import { type Binding, bindingColumns } from "./model.ts";

/** Where a binding lies in the order of every list. */
interface BindingKey {
  created_at: string;
  live_id: string;
}

/** A row of these statements. */
export type BindingRow = Binding & Record<string, unknown>;

const columns = selectionOf(bindingColumns);

/** A live binding with its `etag`. */
const shown = sql`${columns}, ${writtenTag({ table: bindings })} as etag`;

/** The order of every list; `live_id` is the id of the live version. */
const order = sql`created_at, live_id`;

/** The versions of an instant (API contract, section 5). */
const validAt = (at: SQL): SQL =>
  sql`valid_from <= ${at} and (valid_to is null or valid_to > ${at})`;

/**
 * How many versions held at an instant. Those that are live today and those that were closed since
 * are counted apart: each is one index scan, where a single count would read all history.
 */
const countAt = (filters: BindingFilters, at: SQL): SQL => sql`
  (select count(*) from bindings
    where valid_to is null and valid_from <= ${at}${matchingLive(filters)})
  + (select count(*) from bindings
    where valid_to > ${at} and valid_from <= ${at}${matchingAt(filters, at)})`;

/**
 * A page and the number of all that match, in one statement and so of one moment. Each row is a
 * binding with `total_count`; an empty page is one row whose `id` is null.
 *
 * Ids come first, from an index alone, so that rows which the offset skips are never read.
 */
const page = (count: SQL, ids: SQL, own: SQL, sight: Columns = {}): SQL => sql`
  select total.*, binding.*
  from (select ${selectionOf({ total_count: sql`(${count})::int`, ...sight })}) as total
  left join (${ids}) as page on true
  left join lateral (select ${own} from bindings where id = page.id limit 1) as binding on true
  order by page.created_at, page.live_id`;

/** A page of the live bindings, each with its `etag`. */
export const livePage = (filters: BindingFilters, { limit, offset, sight }: PageRange): SQL =>
  page(
    sql`select count(*) from bindings where valid_to is null${matchingLive(filters)}`,
    sql`select id, created_at, live_id from bindings
      where valid_to is null${matchingLive(filters)}
      order by ${order} limit ${limit} offset ${offset}`,
    written(shown),
    sight,
  );

/** A page of the versions of an instant. */
export const pageAt = (
  filters: BindingFilters,
  { at, limit, offset, sight }: PageRange & { at: SQL },
): SQL =>
  page(
    countAt(filters, at),
    // Materialized, as Postgres may else go through all versions in their order to find those few.
    sql`with found as ${isNarrow(filters) ? sql`materialized` : sql`not materialized`} (
        select id, created_at, live_id from bindings
        where ${validAt(at)}${matchingAt(filters, at)})
      select * from found order by ${order} limit ${limit} offset ${offset}`,
    columns,
    sight,
  );

/** An instant that a caller or an earlier batch has named. */
export const timestampOf = (timestamp: string): SQL => sql`${timestamp}::timestamptz`;

/**
 * For a batch that reads chunks: in their order, from an index. Postgres takes a third of the rows to
 * lie behind a key, however many do, and may else read and sort all of them for each chunk. The gate
 * has turned off scans of whole tables.
 */
export const readInOrder = sql`select set_config('enable_bitmapscan', 'off', true)`;

const following = (after: BindingKey | null): SQL =>
  after === null
    ? sql``
    : sql` and (created_at, live_id) > (${after.created_at}::timestamptz, ${after.live_id}::uuid)`;

/**
 * The next versions of an instant that has only just passed. Hardly any version was closed since, so
 * the index of the live ones is read in order and those few are merged in; nothing is looked up
 * twice.
 */
export const recentChunk = (
  filters: BindingFilters,
  { at, after, limit }: { at: SQL; after: BindingKey | null; limit: number },
): SQL => {
  const versions = (state: SQL, matching: SQL) => sql`
    (select ${columns}, live_id from bindings
      where ${state} and valid_from <= ${at}${following(after)}${matching}
      order by ${order} limit ${limit})`;
  return sql`
    select ${columns} from (
      ${versions(sql`valid_to is null`, matchingLive(filters))}
      union all ${versions(sql`valid_to > ${at}`, matchingAt(filters, at))}
    ) as bindings order by ${order} limit ${limit}`;
};

/** The next versions of an instant anywhere in history: ids from an index alone, then their rows. */
export const chunkAt = (
  filters: BindingFilters,
  { at, after, limit }: { at: SQL; after: BindingKey | null; limit: number },
): SQL => sql`
  select binding.* from (
    select id, created_at, live_id from bindings
    where ${validAt(at)}${following(after)}${matchingAt(filters, at)}
    order by ${order} limit ${limit}) as chunk
  join lateral (select ${columns} from bindings where id = chunk.id limit 1) as binding on true
  order by chunk.created_at, chunk.live_id`;
