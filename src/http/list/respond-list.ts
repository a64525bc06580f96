import { type SQL, sql } from "drizzle-orm";
import type { Context } from "hono";
import {
  type Columns,
  fewRecords,
  isBehind,
  type PageRange,
  pageOf,
  withTag,
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
import { keyRingOf } from "../../database/sealing.ts";
import type { TenantSession } from "../../database/session.ts";
import { callStored } from "../../database/stored-statement.ts";
import { rfc3339 } from "../../database/tables/columns.ts";
import type { Settings } from "../../env.ts";
import { ApiError } from "../../errors/errors.ts";
import type { TenantEnv } from "../factory.ts";
import type { IsKnown } from "../input/entity-tag.ts";
import { relativeInstant } from "../input/timestamp.ts";
import { tagged, type Varying } from "../tagged.ts";
import { nullIfTooLarge } from "./chunk-size.ts";
import {
  creationKeyOf,
  refusedCursor,
  requestOf,
  requireOwn,
  type Walk,
  walkCursor,
  walkOf,
} from "./cursor.ts";
import { chosenFields, requireFields } from "./fields.ts";
import { chosenForm, type ListForm } from "./formats/accept.ts";
import { labelsNeedJson, readLabels, tooLargeForLabels } from "./labels.ts";
import { readByIds } from "./read-by-ids.ts";
import { readByKey } from "./read-by-key.ts";
import { respondPage } from "./respond-page.ts";
import type { Listing, TabularSource } from "./source.ts";
import { firstPageStatement, nextPageStatement, type StoredList } from "./stored-pages.ts";
import { type ChunkedList, type StreamedList, streamList } from "./stream.ts";

/** A list that is read in pages, with a cursor, or as a whole. */
export interface ReadList<Read extends Columns, Item> {
  hasHistory: boolean;
  /** The direction of the creation order; null if the list has another order. */
  creation: "asc" | "desc" | null;
  /**
   * The resource, if the list contains all of its records as they are now, in ascending creation
   * order. Small pages of such a list are stored statements.
   */
  stored: StoredList | null;
  /** Returns the listing of these versions. A list without history ignores the versions. */
  listing(versions: Versions): Listing<Read, Item, TabularSource<Read, Item>>;
}

/** The query parameters that select the page and the instant. */
interface PageQuery {
  at?: string | undefined;
  limit: number;
  offset: number;
  cursor?: string | undefined;
  fields?: readonly string[] | undefined;
  include?: "labels" | undefined;
}

/** A row of a page: a record with the total count or, on an empty page, only the count. */
type PageRow = Record<string, unknown> & {
  total_count: number;
  beyond: SeenBeyondSettled | null;
};

/** A page, and the state of the cursor for the next page. */
interface Page extends Pick<Walk, "at" | "unsettled" | "total_count"> {
  rows: PageRow[];
  has_more: boolean;
}

/** Maximum time for which a page waits for uncommitted earlier changes, in milliseconds. */
const settleWaitMs = 250;

/** A request for a list, before anything is read. */
interface OpenedList {
  form: ListForm;
  /** The request that the list's cursors are bound to: see {@link requestOf}. */
  request: string;
  /** The state of the request's cursor; null without a cursor. */
  walk: Walk | null;
  /** The time of the request for the first page. */
  begun_at: string;
  /** True if the query contains instants that depend on {@link begun_at}. */
  isRelative: boolean;
}

/**
 * Chooses the format of a list, opens its cursor, and resolves relative instants such as `-24h`. All
 * pages of a walk resolve them to the same instants, those of the first page.
 * @param sent.instantNames the names of the parameters that are instants
 * @throws {ApiError} 406, or 400 for a cursor from another request
 */
export async function openList<Parameters extends { cursor?: string | undefined }>(
  c: Context<TenantEnv>,
  path: string,
  { parameters, instantNames }: { parameters: Parameters; instantNames: readonly string[] },
): Promise<OpenedList & { parameters: Parameters }> {
  const form = chosenForm(c);
  const relative = instantNames.flatMap((name) => {
    const text = c.req.query(name) ?? "";
    return relativeInstant(text, 0) === null ? [] : [{ name, text }];
  });
  const texts = Object.fromEntries(relative.map(({ name, text }) => [name, text]));
  const request = requestOf(path, { ...parameters, ...texts }, c.var.tenant.subject);
  const { cursor } = parameters;
  const walk = cursor === undefined ? null : await walkOf(c.var.settings, cursor, request);
  const begun_at = walk?.begun_at ?? new Date().toISOString();
  const begun = Date.parse(begun_at);
  const instants = Object.fromEntries(
    relative.map(({ name, text }) => [name, relativeInstant(text, begun)]),
  );
  const isRelative = relative.length > 0;
  return { form, request, walk, begun_at, isRelative, parameters: { ...parameters, ...instants } };
}

/**
 * Responds with a page of a list. `limit=0` streams the whole list in chunks; a page larger than
 * about 1 MiB is streamed in the same way (API contract, sections 4 and 13). Any other page has an
 * entity tag, unless the key is limited to specific networks and the page has a cursor.
 * @throws {ApiError} 410 for an instant before the retained history
 */
export async function respondList<Env extends TenantEnv, Read extends Columns, Item>(
  c: Context<Env>,
  { form, request, walk, begun_at, isRelative, isKnown }: OpenedList & { isKnown: IsKnown },
  list: ReadList<Read, Item>,
  query: PageQuery,
) {
  const { tenant, settings } = c.var;
  const { limit } = query;
  if (query.include === "labels" && form.type !== "json") {
    throw labelsNeedJson();
  }
  const reading = readingOf(list, query, walk);
  const instant = reading.at ?? walk?.at ?? null;
  if (instant !== null) {
    tenant.requireHistory(instant, reading.at === null);
  }
  const { offset, listing } = reading;
  const { source } = listing;
  requireFields(source.schema, query.fields);
  const output = { form, schema: source.schema, fields: query.fields };
  const walkAfter = (
    count: number,
    last: object | null | undefined,
    state: Pick<Walk, "at" | "unsettled" | "total_count">,
  ): Walk => {
    if (tenant.caller === null) {
      throw new Error("The page was read, but the session has no caller.");
    }
    const { at, unsettled, total_count } = state;
    const { organization_id, key_id } = tenant.caller;
    return {
      ...{ organization_id, key_id, begun_at, at, unsettled, total_count },
      offset: offset + count,
      after: list.creation === null || !last ? null : creationKeyOf(last),
    };
  };
  const inChunks = () =>
    streamList(c, output, async (signal): Promise<StreamedList<Item>> => {
      const read = await readInChunks(tenant, list, reading, { walk, signal });
      const { next, at, has_more } = read;
      return {
        ...{ next, at },
        async paginationAfter(count, last) {
          const total_count = read.total_count ?? offset + count;
          const state = { at, unsettled: walk?.unsettled ?? null, total_count };
          const next_cursor = has_more
            ? await walkCursor(settings, walkAfter(limit, last, state), request)
            : null;
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
  if (page === null && query.include === "labels") {
    throw tooLargeForLabels();
  }
  if (page === null) {
    // The failed read returned no rows, so all chunks can come from one later snapshot.
    return inChunks();
  }
  const { rows, has_more, at, total_count } = page;
  const pick = pickOf(source.columns);
  const data = rows.map((row) => source.toItem(pick(row)));
  const labels =
    query.include === "labels"
      ? await readLabels(tenant, chosenFields(data, query.fields), {
          entity: source.entity,
          instant: reading.at,
        })
      : undefined;
  const after = has_more ? walkAfter(data.length, rows.at(-1), page) : null;
  const next_cursor = after && (await walkCursor(settings, after, request));
  const response = respondPage(c, output, {
    data,
    pagination: { total_count, limit, offset, has_more, next_cursor },
    at,
    etags: reading.at === null ? rows.map(({ etag }) => String(etag)) : undefined,
    labels,
  });
  if (after === null || next_cursor === null) {
    return tagged(c, response, isKnown);
  }
  response.headers.set("Link", linkTo(c.req, next_cursor));
  // The tag would reveal to the key that something in other networks has changed.
  if (tenant.isLimited) {
    return response;
  }
  const standIn = standInOf(after, { request, isRelative, key: keyRingOf(settings).currentName });
  return tagged(c, response, isKnown, { text: next_cursor, standIn });
}

/**
 * Returns the text that replaces a page's cursor in the digest. It is the same for two cursors only
 * if they lead to the same records, so that a caller who gets 304 can continue with the cursor that
 * it has.
 * @param options.key the name of the key that sealed the cursor
 */
function standInOf(
  { begun_at, ...walk }: Walk,
  { request, isRelative, key }: { request: string; isRelative: boolean; key: string },
): Varying["standIn"] {
  return JSON.stringify([walk, request, isRelative ? begun_at : null, key]);
}

/** The records that a request reads, and the statements that read them. */
interface Reading<Read extends Columns, Item> {
  /** The records that the request selects: see {@link ReadList.listing}. */
  listing: Listing<Read, Item, TabularSource<Read, Item>>;
  /** True if the versions can still change: live versions, or versions at a future instant. */
  isLive: boolean;
  /** The value of the `at` query parameter. */
  at: string | null;
  limit: number;
  offset: number;
  /** The last record before the page, in creation order. If set, `offset` is ignored. */
  after: PageRange["after"];
  /** Returns the statement that reads the first page, or the page at the offset. */
  firstQuery(): SQL;
  /** Returns the statement that reads the first page at an instant that has just passed. */
  queryAt(justPassed: Instant): SQL;
  /** Returns the statement that reads the page after a cursor, and one more record. */
  nextQuery(walk: Walk): SQL;
}

function readingOf<Read extends Columns, Item>(
  list: ReadList<Read, Item>,
  query: PageQuery,
  walk: Walk | null,
): Reading<Read, Item> {
  const { hasHistory, creation, stored } = list;
  const { at, limit } = query;
  // `at` was missing or in the future when the walk started. In that case, the walk reads the
  // instant of its first page.
  const justPassed = hasHistory && walk !== null && walk.at !== at ? walk.at : null;
  const versions: Versions =
    justPassed === null ? versionsAt(at) : { kind: "justPassed", at: justPassed };
  const offset = walk?.offset ?? query.offset;
  const after =
    walk?.after && creation !== null
      ? { ...walk.after, isDescending: creation === "desc" }
      : undefined;
  const listing = list.listing(versions);
  const isLive = hasHistory && (at === undefined || Date.parse(at) >= Date.now());
  const pageQuery = (
    { source, selection }: typeof listing,
    range: Pick<PageRange, "limit" | "total_count" | "extraColumns">,
  ) =>
    // A past version cannot be changed, so it does not have an entity tag.
    pageOf(at === undefined ? withTag(source) : source, selection, { offset, after, ...range });
  return {
    ...{ listing, limit, offset, after, isLive },
    at: at ?? null,
    firstQuery: () =>
      stored !== null && offset === 0 && limit <= fewRecords
        ? callStored(firstPageStatement(stored), limit)
        : pageQuery(listing, {
            limit,
            extraColumns: isLive ? { beyond: seenBeyondSettled } : undefined,
          }),
    queryAt: (instant) => pageQuery(list.listing({ kind: "justPassed", at: instant }), { limit }),
    nextQuery: (walk) =>
      stored !== null && walk.after !== null && limit < fewRecords && isRecent(walk)
        ? callStored(
            nextPageStatement(stored),
            ...[limit + 1, walk.after.created_at, walk.after.id],
            ...(walk.at === null ? [] : [walk.at]),
          )
        : pageQuery(listing, { limit: limit + 1, total_count: walk.total_count }),
  };
}

/**
 * Maximum age of a cursor's first page for stored statements, in milliseconds. A stored statement
 * reads all versions that have been closed since then, which takes about half a millisecond for a
 * thousand versions. If there are many, Postgres makes a better plan when it knows the instant.
 */
const storedWalkMs = 5 * 60_000;

const isRecent = ({ begun_at }: Walk) => Date.now() - Date.parse(begun_at) <= storedWalkMs;

const recordsIn = (rows: PageRow[]) => rows.filter((row) => row["id"] !== null);

/**
 * Reads the first page of a walk, or a page at an offset. The page contains the live versions; its
 * cursor continues with the versions at the instant of the newest change. These are the same
 * versions unless an earlier change has not been committed yet. In that case the page is read again
 * at a fixed instant, and that second read waits up to {@link settleWaitMs} for the change.
 */
async function firstPage<Read extends Columns, Item>(
  tenant: TenantSession,
  { isLive, at: requestedAt, offset, firstQuery, queryAt }: Reading<Read, Item>,
  { DATABASE_DEADLINE_MS }: Settings,
): Promise<Page> {
  const query = firstQuery();
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
    return read(rows, isLive ? settled : requestedAt, null);
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
        database.execute<PageRow>(queryAt(fixedInstant)),
      ],
      {
        first: (database) => [
          database.execute(timeout(settleWaitMs)),
          database.execute(fixInstant),
          database.execute(timeout(timeoutsOf(DATABASE_DEADLINE_MS).statement)),
        ],
      },
    )
    .catch(nullIfUnavailable);
  return waited === null ? page : read(waited[1].rows, waited[0].rows[0]?.instant ?? null, null);
}

/** Ignores a timeout of the second read, since the first read has already returned a page. */
function nullIfUnavailable(error: unknown): null {
  if (error instanceof ApiError && error.code === "service_unavailable") {
    return null;
  }
  throw error;
}

/** Reads the page after a cursor. */
async function nextPage<Read extends Columns, Item>(
  tenant: TenantSession,
  { limit, nextQuery }: Reading<Read, Item>,
  walk: Walk,
): Promise<Page> {
  const { at, unsettled, total_count } = walk;
  // The additional record shows whether there are more.
  const query = nextQuery(walk);
  const [{ rows }, changes] = await tenant.run(
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
  if (unsettled !== null && changes.rows[0]?.count !== unsettled.seen) {
    throw refusedCursor(
      "began during a long change that its first page does not include: start again without it",
    );
  }
  const records = recordsIn(rows);
  return {
    rows: records.slice(0, limit),
    has_more: records.length > limit,
    ...{ total_count, at, unsettled: null },
  };
}

/** Reads a whole list in chunks, or a page that is too large to be read at once. */
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

/** Returns the `Link` header to the next page (RFC 8288). */
function linkTo({ path, url }: { path: string; url: string }, cursor: string): string {
  // The query itself can contain question marks.
  const [, ...query] = url.split("?");
  const parameters = new URLSearchParams(query.join("?"));
  parameters.delete("offset");
  parameters.set("cursor", cursor);
  return `<${path}?${parameters}>; rel="next"`;
}
