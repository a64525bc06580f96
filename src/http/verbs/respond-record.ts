import { sql } from "drizzle-orm";
import { type Columns, isOneOf } from "../../database/collection.ts";
import type { Instant } from "../../database/history.ts";
import { ok } from "../envelope.ts";
import type { TenantEnv } from "../factory.ts";
import { found } from "../found.ts";
import { readByIds } from "../list/read-by-ids.ts";
import { streamRecord } from "../list/stream.ts";
import { itemOf, type RecordRow, type Resource, type TenantContext } from "./resource.ts";

/**
 * Responds 200 with a record and its entity tag. A large one is read again, in parts of one later
 * instant, so the tag may be older than what is sent, and never newer: an If-Match with it cannot undo
 * a change that its caller has not seen.
 * @param row what `shownRecord` has found
 * @param options.isWritten whether the request has changed it: then it is not refused any more
 * @throws {ApiError} 429 or 503 of a large one, as of a streamed list; 404 if it is gone meanwhile
 */
export async function respondRecord<Read extends Columns, Item>(
  c: TenantContext,
  resource: Resource<Read, Item>,
  row: RecordRow,
  { id, isWritten }: { id: string; isWritten: boolean },
) {
  if (!row.is_large) {
    c.header("ETag", row.etag);
    return ok(c, itemOf(resource, row));
  }
  const listing = (at: Instant) => {
    const source = resource.variant?.({ at, isRecent: true }) ?? resource;
    return { source, selection: { matches: [isOneOf(source, [id])], order: sql`1` } };
  };
  const open = async (signal: AbortSignal) => {
    const range = { offset: 0, limit: 1, signal };
    const { next, total_count } = await readByIds(c.var.tenant, listing, range);
    found(total_count === 0 ? [] : [id], resource.entity, id);
    // Not before: a refusal has no tag.
    c.header("ETag", row.etag);
    return next;
  };
  return streamRecord<TenantEnv, Item>(c, open, { isCounted: !isWritten });
}
