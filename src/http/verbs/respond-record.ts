import { sql } from "drizzle-orm";
import { type Columns, isOneOf } from "../../database/collection.ts";
import type { Instant } from "../../database/history.ts";
import { ApiError } from "../../errors.ts";
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
    const reading = readByIds(c.var.tenant, listing, range);
    const { next, total_count } = await (isWritten ? reading.catch(tellOfChange) : reading);
    found(total_count === 0 ? [] : [id], resource.entity, id);
    // Not before: a refusal has no tag.
    c.header("ETag", row.etag);
    return next;
  };
  return streamRecord<TenantEnv, Item>(c, open, { isCounted: !isWritten });
}

/** The change has been made, and only the read after it has failed. */
function tellOfChange(error: unknown): never {
  if (error instanceof ApiError && error.code === "service_unavailable") {
    const { retry_after_seconds } = error.params;
    const params = { retry_after_seconds, outcome: "unknown", advice: "read_first" } as const;
    throw new ApiError("service_unavailable", params, { cause: error });
  }
  throw error;
}
