import { type SQL, sql } from "drizzle-orm";
import type { Context } from "hono";
import {
  type Columns,
  isBehind,
  type PageRange,
  pageOf,
  shownTag,
} from "../../database/collection.ts";
import { pickOf } from "../../database/columns-of.ts";
import {
  awaitChanges,
  changesBetween,
  fixedInstant,
  fixInstant,
  type Instant,
  type SeenBeyondSettled,
  seenBeyondSettled,
  type Versions,
  versionsAt,
} from "../../database/history.ts";
import { timeoutsOf } from "../../database/locks.ts";
import type { TenantSession } from "../../database/session.ts";
import { rfc3339 } from "../../database/tables/columns.ts";
import type { Settings } from "../../env.ts";
import { ApiError } from "../../errors/errors.ts";
import type { TenantEnv } from "../factory.ts";
import {
  placeOf,
  refusedCursor,
  requestOf,
  requireOwn,
  sentWalk,
  type Walk,
  walkCursor,
} from "./cursor.ts";
import { chosenForm } from "./formats/accept.ts";
import { readByIds } from "./read-by-ids.ts";
import { readByKey } from "./read-by-key.ts";
import { respondPage } from "./respond-page.ts";
import type { Listing, TabularSource } from "./source.ts";
import { type ChunkedList, nullIfTooLarge, type StreamedList, streamList } from "./stream.ts";

/** A list that is read in pages, by cursors, or as a whole. */
export interface ReadList<Read extends Columns, Item> {
  path: string;
  hasHistory: boolean;
  /** The direction of its order, where that is the order of creation. */
  creation: "asc" | "desc" | null;
  /** The records of these versions; of records without history, all. */
  listing(versions: Versions): Listing<Read, Item, TabularSource<Read, Item>>;
}

/** The parameters of a list that say which page is read, and of which instant. */
interface Sent {
  at?: string | undefined;
  limit: number;
  offset: number;
  cursor?: string | undefined;
}

/** A row of a page: a record with the number of all that match, or that number alone. */
type PageRow = Record<string, unknown> & {
  total_count: number;
  beyond: SeenBeyondSettled | null;
};

/** A page, and the state of the cursor behind it. */
interface Page extends Pick<Walk, "at" | "unsettled" | "total_count"> {
  rows: PageRow[];
  has_more: boolean;
}

/** How long a page waits for changes that are under way, in milliseconds. */
const patienceMs = 250;

/**
 * Responds with a page of a list, or with `limit=0` with everything in chunks, and with a page of more than about 1
 * MiB in the same way (API contract, sections 4 and 13).
 * @throws {ApiError} 406, 400 for a cursor of something else, or 410 for an instant that is no longer kept
 */
export async function respondList<Env extends TenantEnv, Read extends Columns, Item>(
  c: Context<Env>,
  list: ReadList<Read, Item>,
  sent: Sent,
) {
  const form = chosenForm(c);
  const { tenant, settings } = c.var;
  const { limit } = sent;
  const request = requestOf(list.path, { ...sent });
  const walk = sent.cursor === undefined ? null : await sentWalk(settings, sent.cursor, request);
  const reading = readingOf(list, sent, walk);
  const instant = reading.at ?? walk?.at ?? null;
  if (instant !== null) {
    tenant.requireHistory(instant, reading.at === null);
  }
  const { offset, listing } = reading;
  const { source } = listing;
  const shown = { form, schema: source.schema };
  const cursorBehind = async (
    count: number,
    last: object | null | undefined,
    state: Pick<Walk, "at" | "unsettled" | "total_count">,
  ): Promise<string> => {
    if (tenant.caller === null) {
      throw new Error("The page was read, but the session has no caller.");
    }
    const { at, unsettled, total_count } = state;
    const { organization_id, key_id } = tenant.caller;
    const reached: Walk = {
      ...{ organization_id, key_id, at, unsettled, total_count },
      begun_at: walk?.begun_at ?? new Date().toISOString(),
      offset: offset + count,
      after: list.creation === null || !last ? null : placeOf(last),
    };
    return walkCursor(settings, reached, request);
  };
  const inChunks = () =>
    streamList(c, shown, async (signal): Promise<StreamedList<Item>> => {
      const read = await readInChunks(tenant, list, reading, { walk, signal });
      const { next, at, has_more } = read;
      return {
        ...{ next, at },
        async paginationAfter(count, last) {
          const total_count = read.total_count ?? offset + count;
          const state = { at, unsettled: walk?.unsettled ?? null, total_count };
          const next_cursor = has_more ? await cursorBehind(limit, last, state) : null;
          return { total_count, limit, offset, has_more, next_cursor };
        },
      };
    });
  if (limit === 0) {
    return inChunks();
  }
  const page = await (walk === null
    ? firstPage(tenant, reading, settings)
    : nextPage(tenant, reading, walk)
  ).catch(nullIfTooLarge);
  if (page === null) {
    // Nothing of the page was read, so all chunks are of one later moment.
    return inChunks();
  }
  const { rows, has_more, at, total_count } = page;
  const pick = pickOf(source.columns);
  const data = rows.map((row) => source.toItem(pick(row)));
  const next_cursor = has_more ? await cursorBehind(data.length, rows.at(-1), page) : null;
  if (next_cursor !== null) {
    c.header("Link", linkTo(c.req, next_cursor));
  }
  return respondPage(c, shown, {
    data,
    pagination: { total_count, limit, offset, has_more, next_cursor },
    at,
    etags: reading.at === null ? rows.map(({ etag }) => String(etag)) : undefined,
  });
}

/** How a request reads a list. */
interface Reading<Read extends Columns, Item> {
  /** The records that the request names: see {@link ReadList.listing}. */
  listing: Listing<Read, Item, TabularSource<Read, Item>>;
  /** Whether the versions can still change: live ones, or those of an instant to come. */
  isLive: boolean;
  /** The instant that the request names. */
  at: string | null;
  limit: number;
  offset: number;
  /** The last record before the page, in the order of creation: then `offset` skips nothing. */
  after: PageRange["after"];
  /** The statement of a page. */
  pageQuery(range: Pick<PageRange, "limit" | "total_count" | "sight">, justPassed?: Instant): SQL;
}

function readingOf<Read extends Columns, Item>(
  list: ReadList<Read, Item>,
  sent: Sent,
  walk: Walk | null,
): Reading<Read, Item> {
  const { hasHistory, creation } = list;
  const { at, limit } = sent;
  // `at` was in the future when the walk began, or missing: the walk shows the instant of its first page.
  const justPassed = hasHistory && walk !== null && walk.at !== at ? walk.at : null;
  const versions: Versions =
    justPassed === null ? versionsAt(at) : { kind: "justPassed", at: justPassed };
  const offset = walk?.offset ?? sent.offset;
  const after =
    walk?.after && creation !== null
      ? { ...walk.after, isDescending: creation === "desc" }
      : undefined;
  const listing = list.listing(versions);
  return {
    ...{ listing, limit, offset, after },
    at: at ?? null,
    isLive: hasHistory && (at === undefined || Date.parse(at) >= Date.now()),
    pageQuery(bounds, instant) {
      const range = { offset, after, ...bounds };
      const { source, selection } =
        instant === undefined ? listing : list.listing({ kind: "justPassed", at: instant });
      // A version of the past cannot be changed, so it has no entity tag.
      const columns =
        at === undefined ? { ...source.columns, etag: shownTag(source) } : source.columns;
      return pageOf({ ...source, columns }, selection, range);
    },
  };
}

const recordsIn = (rows: PageRow[]) => rows.filter((row) => row["id"] !== null);

/**
 * The first page of a walk, or one at an offset. It shows the live versions as they are now; the cursor continues with
 * those of the instant of the newest change. Both are the same unless an earlier change is still under way: then the
 * page is read again, at an instant that waits for that change for up to {@link patienceMs}.
 */
async function firstPage<Read extends Columns, Item>(
  tenant: TenantSession,
  { isLive, at: sentAt, limit, offset, pageQuery }: Reading<Read, Item>,
  { DATABASE_DEADLINE_MS }: Settings,
): Promise<Page> {
  const sight = isLive ? { beyond: seenBeyondSettled } : undefined;
  const query = pageQuery({ limit, sight });
  const [{ rows }] = await tenant.run((database) => [database.execute<PageRow>(query)], {
    needsSettled: isLive,
  });
  const { settled } = tenant;
  const read = (all: PageRow[], at: string | null, unsettled: Walk["unsettled"]): Page => {
    const records = recordsIn(all);
    const total_count = all[0]?.total_count ?? 0;
    const has_more = offset + records.length < total_count;
    return { rows: records, total_count, has_more, at, unsettled };
  };
  const beyond = rows[0]?.beyond ?? null;
  if (!isLive || settled === null || beyond === null) {
    return read(rows, isLive ? settled : sentAt, null);
  }
  const page = read(rows, rfc3339(beyond.newest), { since: settled, seen: beyond.count });
  if (!page.has_more) {
    return page;
  }
  const timeout = (milliseconds: number) =>
    sql`select set_config('statement_timeout', ${String(milliseconds)}, true)`;
  const waited = await tenant
    .run(
      (database) => [
        database.execute<{ instant: string }>(sql`select ${fixedInstant} as instant`),
        database.execute<PageRow>(pageQuery({ limit }, fixedInstant)),
      ],
      {
        first: (database) => [
          database.execute(timeout(patienceMs)),
          database.execute(fixInstant),
          database.execute(timeout(timeoutsOf(DATABASE_DEADLINE_MS).statement)),
        ],
      },
    )
    .catch(nullIfUnavailable);
  return waited === null ? page : read(waited[1].rows, waited[0].rows[0]?.instant ?? null, null);
}

/** Ignores that changes are under way for longer than a page waits: a page has been read. */
function nullIfUnavailable(error: unknown): null {
  if (error instanceof ApiError && error.code === "service_unavailable") {
    return null;
  }
  throw error;
}

/** The page behind a cursor. */
async function nextPage<Read extends Columns, Item>(
  tenant: TenantSession,
  { limit, pageQuery }: Reading<Read, Item>,
  walk: Walk,
): Promise<Page> {
  const { at, unsettled, total_count } = walk;
  // One more than the page holds, to see whether there are more.
  const query = pageQuery({ limit: limit + 1, total_count });
  const [{ rows }, found] = await tenant.run(
    (database) => [
      database.execute<PageRow>(query),
      database.execute<{ count: number }>(
        unsettled === null || at === null
          ? sql`select 0 as count`
          : changesBetween(unsettled.since, at),
      ),
    ],
    { first: (database) => (unsettled === null ? [] : [database.execute(awaitChanges)]) },
  );
  requireOwn(walk, tenant.caller);
  if (unsettled !== null && found.rows[0]?.count !== unsettled.seen) {
    throw refusedCursor(
      "began while a long change was under way, which its first page does not show: begin anew without it",
    );
  }
  const records = recordsIn(rows);
  return {
    rows: records.slice(0, limit),
    has_more: records.length > limit,
    ...{ total_count, at, unsettled: null },
  };
}

/** Reads a list, or a page of it that is too large to be read at once. */
async function readInChunks<Read extends Columns, Item>(
  tenant: TenantSession,
  list: ReadList<Read, Item>,
  { listing, isLive, at, after, limit, ...reading }: Reading<Read, Item>,
  { walk, signal }: { walk: Walk | null; signal: AbortSignal },
): Promise<ChunkedList<Item> & { has_more: boolean }> {
  const { source, selection } = listing;
  const { creation } = list;
  const isWhole = limit === 0 && reading.offset === 0;
  if (isWhole && creation !== null && source.versions && selection.isByColumns) {
    const range = { at: isLive ? null : at, isDescending: creation === "desc", signal };
    const read = await readByKey(tenant, list.listing, range);
    return { ...read, total_count: null, has_more: false };
  }
  const matches = after ? [...selection.matches, isBehind(source, after)] : selection.matches;
  const offset = after ? 0 : reading.offset;
  const { next, total_count, instant } = await readByIds(
    tenant,
    isLive && walk === null
      ? (instant) => list.listing({ kind: "justPassed", at: instant })
      : { source, selection: { ...selection, matches } },
    { limit, offset, signal },
  );
  if (walk !== null) {
    requireOwn(walk, tenant.caller);
  }
  return {
    next,
    total_count: walk?.total_count ?? total_count,
    at: instant ?? walk?.at ?? at,
    has_more: limit !== 0 && offset + limit < total_count,
  };
}

/** The link to the next page (RFC 8288). */
function linkTo({ path, url }: { path: string; url: string }, cursor: string): string {
  // A query may have a question mark of its own.
  const [, ...query] = url.split("?");
  const parameters = new URLSearchParams(query.join("?"));
  parameters.delete("offset");
  parameters.set("cursor", cursor);
  return `<${path}?${parameters}>; rel="next"`;
}
