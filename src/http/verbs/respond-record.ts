import { type Columns, inOrderOf, pageOf, withTag } from "../../database/collection.ts";
import type { Instant } from "../../database/history.ts";
import { ApiError } from "../../errors/errors.ts";
import { created, ok, okTagged } from "../envelope.ts";
import type { TenantEnv } from "../factory.ts";
import { found } from "../found.ts";
import { nullIfTooLarge } from "../list/chunk-size.ts";
import { readByIds } from "../list/read-by-ids.ts";
import { streamCreated, streamCreatedMany, streamRecord, streamTagged } from "../list/stream.ts";
import { type Created, replayHeader } from "./create-once.ts";
import { itemOf, type RecordRow, type Resource, type TenantContext } from "./resource.ts";

/**
 * Responds with 200, a record and its entity tag. A large record is read again in parts, all as of
 * one later instant, so the tag may be older than the data but never newer. An If-Match with this
 * tag therefore cannot overwrite a change that the caller has not seen.
 * @param row a row of `shownRecord`
 * @param options.isWritten true if the request changed the record
 * @throws {ApiError} for a large record, 429 or 503 as for a streamed list (after a change, always
 *   503 with the outcome `unknown`), and 404 if it has been deleted in the meantime
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
  return isWritten ? response.catch(failWithUnknownOutcome) : response;
}

/**
 * Responds with 201, a created record, its entity tag and its path. The record can be large only if
 * an earlier request created it.
 * @param row a row of `shownRecord`
 * @throws {ApiError} for a large record, 429 or 503 as for a streamed list, and 404 if it has been
 *   deleted in the meantime
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
 * Responds with 201 and the records of a bulk create, in the order in which they were sent. They
 * can be too large for one read only if an earlier request created them. In that case, the records
 * that still exist are streamed.
 * @throws {ApiError} for large records, 429 or 503 as for a streamed list
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
  // An empty page is one row without an id.
  const records = rows.filter((row) => row["id"] !== null);
  return created(
    c,
    records.map((row) => itemOf(resource, row)),
  );
}

/**
 * Responds with 200, the records that the request has changed, in the order in which they were sent,
 * and their entity tags. Records that are too large for one read are streamed, without the tags, and
 * without records that have been deleted in the meantime.
 * @param rows rows of `recordsOf`; only `etag` for a resource whose records are sent in parts, which
 *   are read again
 * @throws {ApiError} 503 with the outcome `unknown`, since the change has succeeded
 */
export async function respondChanged<Read extends Columns, Item>(
  c: TenantContext,
  resource: Resource<Read, Item>,
  { ids, rows }: Pick<Created, "ids" | "rows">,
) {
  const respond = (all: readonly RecordRow[]) =>
    okTagged(
      c,
      all.map((row) => itemOf(resource, row)),
      all.map(({ etag }) => etag),
    );
  if (!resource.inParts) {
    return respond(rows);
  }
  const range = { limit: ids.length, offset: 0 };
  const answer = await c.var.tenant
    .run(
      (database) => [
        database.execute<RecordRow>(pageOf(withTag(resource), inOrderOf(resource, ids), range)),
      ],
      { isRead: true },
    )
    .catch(nullIfTooLarge)
    .catch(failWithUnknownOutcome);
  if (answer !== null) {
    // An empty page is one row without an id.
    return respond(answer[0].rows.filter((row) => row["id"] !== null));
  }
  return streamTagged<TenantEnv, Item>(
    c,
    async (signal) => (await openRecords(c, resource, { ids, signal })).next,
  ).catch(failWithUnknownOutcome);
}

/**
 * Returns a function that opens the stream for a large record. The function sets the headers only
 * on success, so that error responses do not have them.
 */
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

/**
 * Opens a stream of records in the order of `ids`. Records with history are all read at the same
 * instant.
 */
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

/** The change succeeded, but the read after it was rejected or failed. */
function failWithUnknownOutcome(error: unknown): never {
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
