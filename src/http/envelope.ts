import type { Context } from "hono";
import type { ApiError, ErrorCode, ErrorParams } from "../errors/errors.ts";
import type { AppEnv } from "./factory.ts";

/** What every response says about the service (API contract, section 1). */
export interface Meta {
  api_version: 1;
  server_version: string;
}

/** The `meta` of a response. */
export const metaOf = <Env extends AppEnv>(c: Context<Env>): Meta => ({
  api_version: 1,
  server_version: c.get("serverVersion"),
});

/** What a failure says beyond that: the id to report it with (API contract, section 1). */
export interface FailureMeta extends Meta {
  request_id: string;
}

/** Where a page lies in its list. */
export interface Pagination {
  total_count: number;
  limit: number;
  offset: number;
  has_more: boolean;
  /** Where the list goes on; null at its end. */
  next_cursor: string | null;
}

/** The body of a failure: a code of the catalogue with its parameters. */
export interface FailureBody<Code extends ErrorCode> {
  success: false;
  code: Code;
  error: string;
  params: ErrorParams<Code>;
  meta: FailureMeta;
}

/** Responds 200 with a record. */
export const ok = <Env extends AppEnv, Data>(c: Context<Env>, data: Data) =>
  c.json({ success: true as const, data, meta: metaOf(c) }, 200);

/** Responds 201 with what was created. */
export const created = <Env extends AppEnv, Data>(c: Context<Env>, data: Data) =>
  c.json({ success: true as const, data, meta: metaOf(c) }, 201);

/** What the `meta` of a page says beyond that. */
interface PageMeta {
  pagination: Pagination;
  /** The entity tag of each record, in their order: an edit with If-Match needs no further read. */
  etags?: string[];
}

/**
 * Responds 200 with a page of a list.
 * @param etags of the records, where they can be changed
 */
export const okPage = <Env extends AppEnv, Item>(
  c: Context<Env>,
  data: Item[],
  pagination: Pagination,
  etags?: string[],
) => {
  const page: PageMeta = { pagination, ...(etags && { etags }) };
  return c.json({ success: true as const, data, meta: { ...metaOf(c), ...page } }, 200);
};

/** Responds 200 with a page of `items` and what else is known of their list. */
export const okPageOf = <Env extends AppEnv, Data extends { items: unknown[] }>(
  c: Context<Env>,
  data: Data,
  { total_count, limit, offset }: Pick<Pagination, "total_count" | "limit" | "offset">,
) => {
  const has_more = offset + data.items.length < total_count && limit !== 0;
  const pagination: Pagination = { total_count, limit, offset, has_more, next_cursor: null };
  return c.json({ success: true as const, data, meta: { ...metaOf(c), pagination } }, 200);
};

/**
 * Responds 200 with what follows a cursor.
 * @param next_cursor where to go on
 */
export const okCursor = <Env extends AppEnv, Item>(
  c: Context<Env>,
  data: Item[],
  { next_cursor, has_more }: { next_cursor: string; has_more: boolean },
) => c.json({ success: true as const, data, meta: { ...metaOf(c), next_cursor, has_more } }, 200);

/** Responds with an error of the catalogue and the headers that belong to it. */
export const failure = <Code extends ErrorCode>(c: Context<AppEnv>, error: ApiError<Code>) => {
  const { code, message, params, status } = error;
  // Set or clear every header: Hono keeps the headers of a response that was replaced.
  c.header("WWW-Authenticate", status === 401 ? "Bearer" : undefined);
  c.header("Allow", "allowed" in params ? params.allowed.join(", ") : undefined);
  c.header(
    "Retry-After",
    "retry_after_seconds" in params ? String(params.retry_after_seconds) : undefined,
  );
  const meta: FailureMeta = { ...metaOf(c), request_id: c.var.requestId };
  return c.json({ success: false as const, code, error: message, params, meta }, status);
};
