import { type Columns, inOrderOf } from "../../database/collection.ts";
import type { Instant } from "../../database/history.ts";
import { ApiError } from "../../errors/errors.ts";
import { created, ok } from "../envelope.ts";
import type { TenantEnv } from "../factory.ts";
import { found } from "../found.ts";
import { readByIds } from "../list/read-by-ids.ts";
import { streamCreated, streamCreatedMany, streamRecord } from "../list/stream.ts";
import { type Created, replayHeader } from "./create-once.ts";
import { itemOf, type RecordRow, type Resource, type TenantContext } from "./resource.ts";

/**
 * Responds 200 with a record and its entity tag. A large one is read again, in parts of one later
 * instant, so the tag may be older than what is sent, and never newer: an If-Match with it cannot undo
 * a change that its caller has not seen.
 * @param row what `shownRecord` has found
 * @param options.isWritten whether the request has changed it
 * @throws {ApiError} 429 or 503 of a large one, as of a streamed list; of one that was changed always a
 *   503 that says so; 404 if it is gone meanwhile
 */
export async function respondRecord<Read extends Columns, Item>(
  c: TenantContext,
  resource: Resource<Read, Item>,
  row: RecordRow,
  { id, isWritten }: { id: string; isWritten: boolean },
) {
  const headers = { ETag: row.etag };
  if (!row.is_large) {
    setHeaders(c, headers);
    return ok(c, itemOf(resource, row));
  }
  const response = streamRecord<TenantEnv, Item>(c, opening(c, resource, { id, headers }));
  return isWritten ? response.catch(tellOfChange) : response;
}

/**
 * Responds 201 with a record that a request has created, its entity tag and its path. It is large only
 * where an earlier request created it.
 * @param row what `shownRecord` has found
 * @throws {ApiError} 429 or 503 of a large one, as of a streamed list; 404 if it is gone meanwhile
 */
export async function respondCreated<Read extends Columns, Item>(
  c: TenantContext,
  resource: Resource<Read, Item>,
  row: RecordRow,
  { id, isReplayed }: { id: string; isReplayed: boolean },
) {
  const headers = {
    ETag: row.etag,
    Location: `${resource.path}/${id}`,
    ...(isReplayed ? replayHeader : {}),
  };
  if (!row.is_large) {
    setHeaders(c, headers);
    return created(c, itemOf(resource, row));
  }
  return streamCreated<TenantEnv, Item>(c, opening(c, resource, { id, headers }));
}

/**
 * Responds 201 with the records of a bulk create, in the order sent. They are too large for one read
 * only where an earlier request created them: then those that still exist are streamed.
 * @throws {ApiError} 429 or 503 of large ones, as of a streamed list
 */
export async function respondCreatedMany<Read extends Columns, Item>(
  c: TenantContext,
  resource: Resource<Read, Item>,
  { ids, rows, isTooLarge, isReplayed }: Created,
) {
  const headers = isReplayed ? replayHeader : {};
  if (isTooLarge) {
    return streamCreatedMany<TenantEnv, Item>(c, async (signal) => {
      const { next } = await openRecords(c, resource, { ids, signal });
      setHeaders(c, headers);
      return next;
    });
  }
  setHeaders(c, headers);
  // A page of nothing is a row without an id.
  const records = rows.filter((row) => row["id"] !== null);
  return created(
    c,
    records.map((row) => itemOf(resource, row)),
  );
}

/** What opens the stream of a large record. The headers come with it: a refusal has none of them. */
function opening<Read extends Columns, Item>(
  c: TenantContext,
  resource: Resource<Read, Item>,
  { id, headers }: { id: string; headers: Readonly<Record<string, string>> },
) {
  return async (signal: AbortSignal) => {
    const { next, total_count } = await openRecords(c, resource, { ids: [id], signal });
    found(total_count === 0 ? [] : [id], resource.entity, id);
    setHeaders(c, headers);
    return next;
  };
}

/** Opens the records with some ids, of one instant where they have history, in the order of the ids. */
function openRecords<Read extends Columns, Item>(
  { var: { tenant } }: TenantContext,
  resource: Resource<Read, Item>,
  { ids, signal }: { ids: readonly string[]; signal: AbortSignal },
) {
  const range = { offset: 0, limit: ids.length, signal };
  const listing = (at: Instant) => {
    const source = resource.variant?.({ versions: { kind: "justPassed", at } }) ?? resource;
    return { source, selection: inOrderOf(source, ids) };
  };
  return readByIds(tenant, listing, range);
}

function setHeaders(c: TenantContext, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    c.header(name, value);
  }
}

/** The change has been made, and only the read after it is refused or has failed. */
function tellOfChange(error: unknown): never {
  if (
    error instanceof ApiError &&
    (error.code === "service_unavailable" || error.code === "rate_limit_exceeded")
  ) {
    const { retry_after_seconds } = error.params;
    const params = { retry_after_seconds, outcome: "unknown", advice: "read_first" } as const;
    throw new ApiError("service_unavailable", params, { cause: error });
  }
  throw error;
}
