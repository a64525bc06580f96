import type { Context } from "hono";
import type { ApiError, ErrorCode, ErrorParams } from "../errors/errors.ts";
import type { AppEnv } from "./factory.ts";

/** The `meta` of every response (API contract, section 1). */
export interface Meta {
  api_version: 1;
  server_version: string;
}

export const metaOf = <Env extends AppEnv>(c: Context<Env>): Meta => ({
  api_version: 1,
  server_version: c.get("serverVersion"),
});

/** The `meta` of a failure, with the request id to quote in a report (API contract, section 1). */
export interface FailureMeta extends Meta {
  request_id: string;
}

/** The position of a page in its list. */
export interface Pagination {
  total_count: number;
  limit: number;
  offset: number;
  has_more: boolean;
  /** The cursor for the next page; null at the end. */
  next_cursor: string | null;
}

/** The body of a failure: a code from the catalogue with its parameters. */
export interface FailureBody<Code extends ErrorCode> {
  success: false;
  code: Code;
  error: string;
  params: ErrorParams<Code>;
  meta: FailureMeta;
}

export const ok = <Env extends AppEnv, Data>(c: Context<Env>, data: Data) =>
  c.json({ success: true as const, data, meta: metaOf(c) }, 200);

/**
 * Responds with 200 and records.
 * @param etags the entity tag of each record, in the order of `data`
 */
export const okTagged = <Env extends AppEnv, Item>(
  c: Context<Env>,
  data: Item[],
  etags: string[],
) => c.json({ success: true as const, data, meta: { ...metaOf(c), etags } }, 200);

export const created = <Env extends AppEnv, Data>(c: Context<Env>, data: Data) =>
  c.json({ success: true as const, data, meta: metaOf(c) }, 201);

/** The additional `meta` of a page. */
interface PageMeta {
  pagination: Pagination;
  /**
   * The entity tag of each record, in the order of `data`, so that a change with If-Match does not
   * require another read.
   */
  etags?: string[];
  /** The labels of the records that the page mentions, by id. */
  labels?: Labels;
}

/** The names for people of records, by id (API contract, section 4). */
export type Labels = Readonly<Record<string, string>>;

/** Responds with 200 and a page of a list. */
export const okPage = <Env extends AppEnv, Item>(
  c: Context<Env>,
  data: Item[],
  {
    pagination,
    etags,
    labels,
  }: { pagination: Pagination; etags?: string[] | undefined; labels?: Labels | undefined },
) => {
  const page: PageMeta = { pagination, ...(etags && { etags }), ...(labels && { labels }) };
  return c.json({ success: true as const, data, meta: { ...metaOf(c), ...page } }, 200);
};

/** Responds with 200 and an object that contains a page of `items` and other fields. */
export const okPageOf = <Env extends AppEnv, Data extends { items: unknown[] }>(
  c: Context<Env>,
  data: Data,
  { total_count, limit, offset }: Pick<Pagination, "total_count" | "limit" | "offset">,
  labels?: Labels,
) => {
  const has_more = offset + data.items.length < total_count && limit !== 0;
  const pagination: Pagination = { total_count, limit, offset, has_more, next_cursor: null };
  const page = { pagination, ...(labels && { labels }) };
  return c.json({ success: true as const, data, meta: { ...metaOf(c), ...page } }, 200);
};

/**
 * Responds with 200 and the items after a cursor.
 * @param next_cursor the cursor for the next items
 */
export const okCursor = <Env extends AppEnv, Item>(
  c: Context<Env>,
  data: Item[],
  { next_cursor, has_more, labels }: { next_cursor: string; has_more: boolean; labels?: Labels },
) => {
  const page = { next_cursor, has_more, ...(labels && { labels }) };
  return c.json({ success: true as const, data, meta: { ...metaOf(c), ...page } }, 200);
};

/** Responds with an error from the catalogue and its headers. */
export const failure = <Code extends ErrorCode>(c: Context<AppEnv>, error: ApiError<Code>) => {
  const { code, message, params, status } = error;
  // Sets or clears every header, because Hono keeps the headers of a response that was replaced.
  c.header("WWW-Authenticate", status === 401 ? "Bearer" : undefined);
  c.header("Allow", "allowed" in params ? params.allowed.join(", ") : undefined);
  c.header(
    "Retry-After",
    "retry_after_seconds" in params ? String(params.retry_after_seconds) : undefined,
  );
  const meta: FailureMeta = { ...metaOf(c), request_id: c.var.requestId };
  return c.json({ success: false as const, code, error: message, params, meta }, status);
};
