import type { Context, TypedResponse } from "hono";
import type { JSONParsed } from "hono/utils/types";
import {
  type created,
  type Meta,
  metaOf,
  type ok,
  type okPage,
  type okPageOf,
  type okTagged,
  type Pagination,
} from "../envelope.ts";
import type { TenantEnv } from "../factory.ts";
import {
  countFor,
  StreamDeadlineError,
  type StreamNeeds,
  streamDeadlines,
  takeStreamSlot,
} from "../limits/stream-limits.ts";
import { logStreamFailure } from "../log.ts";
import { withFields } from "./fields.ts";
import { contentTypes, type Output } from "./formats/accept.ts";
import { csvLines, endOfLine, startOfCsv } from "./formats/csv.ts";
import { endLine, jsonLines, jsonOfItems } from "./formats/json.ts";
import { within as around, type NextText, textOfRecords } from "./formats/text.ts";
import type { NextChunk } from "./source.ts";

/** A list that is read in chunks. */
export interface ChunkedList<Item> {
  next: NextChunk<Item>;
  /**
   * The number of matching records; null if it is the offset plus the number of streamed records.
   */
  total_count: number | null;
  /** The instant of the list, for records with history. */
  at: string | null;
}

/** A list that is streamed as it is read. */
export interface StreamedList<Item> extends Pick<ChunkedList<Item>, "next" | "at"> {
  /**
   * Returns the pagination after `count` streamed records.
   * @param last the last of these records
   */
  paginationAfter(count: number, last: object | null): Promise<Pagination>;
}

/**
 * Responds with 200 and a list, or a page of it, in chunks.
 * @param open reads the first chunk; see {@link stream}
 * @throws {ApiError} see {@link stream}
 */
export async function streamList<Env extends TenantEnv, Item>(
  c: Context<Env>,
  output: Output,
  open: (signal: AbortSignal) => Promise<StreamedList<Item>>,
) {
  const text = async (signal: AbortSignal) => textOfList(output, await open(signal), metaOf(c));
  const response = await stream(c, text, { contentType: contentTypes[output.form.type] });
  // To the caller, the response is the same as a page that is sent at once.
  return response as ReturnType<typeof okPage<Env, Item>>;
}

/**
 * Responds with 200 and a JSON object, in chunks. Its `items` are a page of a list.
 * @param open reads the first chunk, and returns the other fields as `head`. See {@link stream}
 * @throws {ApiError} see {@link stream}
 */
export async function streamListOf<Env extends TenantEnv, Item, Head extends object>(
  c: Context<Env>,
  { limit, offset }: { limit: number; offset: number },
  open: (
    signal: AbortSignal,
  ) => Promise<Pick<ChunkedList<Item>, "next" | "total_count"> & { head: Head }>,
) {
  const text = async (signal: AbortSignal) => {
    const { head, next, total_count } = await open(signal);
    const items = jsonOfItems(next);
    const before = `{"success":true,"data":${JSON.stringify(head).slice(0, -1)},"items":[`;
    return around(before, items.next, () => {
      const pagination: Pagination = {
        total_count: total_count ?? offset + items.count(),
        limit,
        offset,
        has_more: limit !== 0 && offset + limit < (total_count ?? 0),
        next_cursor: null,
      };
      return `]},"meta":${JSON.stringify({ ...metaOf(c), pagination })}}`;
    });
  };
  const response = await stream(c, text, { contentType: contentTypes.json });
  return response as ReturnType<typeof okPageOf<Env, Head & { items: Item[] }>>;
}

/** Formats a whole list, with the text around its records. */
function textOfList<Item>(
  { form, schema, fields }: Output,
  { next, at, paginationAfter }: StreamedList<Item>,
  meta: Meta,
): NextText {
  switch (form.type) {
    case "json": {
      const items = jsonOfItems(next, fields);
      return around('{"success":true,"data":[', items.next, async () => {
        const pagination = await paginationAfter(items.count(), items.last());
        return `],"meta":${JSON.stringify({ ...meta, pagination })}}`;
      });
    }
    case "csv": {
      const table = { schema, fields };
      const lines = textOfRecords(next, withFields(csvLines(table), fields));
      return around(startOfCsv(form.hasMark, table), lines.next, () => endOfLine);
    }
    case "ndjson": {
      const lines = textOfRecords(next, withFields(jsonLines, fields));
      return around("", lines.next, async () => {
        const { next_cursor } = await paginationAfter(lines.count(), lines.last());
        return endLine({ count: lines.count(), at, next_cursor });
      });
    }
  }
}

/**
 * Responds with 200 and one record, in chunks.
 * @param open reads the record, as a list of one; see {@link stream}
 * @throws {ApiError} see {@link stream}
 */
export async function streamRecord<Env extends TenantEnv, Item>(
  c: Context<Env>,
  open: (signal: AbortSignal) => Promise<NextChunk<Item>>,
) {
  const response = await streamData(c, open, { brackets: ["", ""], status: 200 });
  return response as ReturnType<typeof ok<Env, Item>>;
}

/**
 * Responds with 200 and the records that a request has changed, in chunks.
 * @throws {ApiError} see {@link stream}
 */
export async function streamTagged<Env extends TenantEnv, Item>(
  c: Context<Env>,
  open: (signal: AbortSignal) => Promise<NextChunk<Item>>,
) {
  const response = await streamData(c, open, { brackets: ["[", "]"], status: 200 });
  // The tags are absent, which the schema of `meta` permits.
  return response as ReturnType<typeof okTagged<Env, Item>>;
}

/**
 * Responds with 201 and one created record, in chunks.
 * @param open reads the record, as a list of one; see {@link stream}
 * @throws {ApiError} see {@link stream}
 */
export async function streamCreated<Env extends TenantEnv, Item>(
  c: Context<Env>,
  open: (signal: AbortSignal) => Promise<NextChunk<Item>>,
) {
  const response = await streamData(c, open, { brackets: ["", ""], status: 201 });
  return response as ReturnType<typeof created<Env, Item>>;
}

/**
 * Responds with 201 and the created records, in chunks.
 * @throws {ApiError} see {@link stream}
 */
export async function streamCreatedMany<Env extends TenantEnv, Item>(
  c: Context<Env>,
  open: (signal: AbortSignal) => Promise<NextChunk<Item>>,
) {
  const response = await streamData(c, open, { brackets: ["[", "]"], status: 201 });
  return response as ReturnType<typeof created<Env, Item[]>>;
}

/**
 * Responds with 200 and JSON without an envelope, in chunks.
 * @param open reads the first chunk; see {@link stream}
 * @throws {ApiError} see {@link stream}
 */
export async function streamBare<Body>(
  c: Context<TenantEnv>,
  open: (signal: AbortSignal) => Promise<NextText>,
  needs: StreamNeeds,
) {
  const response = await stream(c, open, { contentType: contentTypes.json, needs });
  return response as Response & TypedResponse<JSONParsed<Body>, 200, "json">;
}

function streamData<Env extends TenantEnv, Item>(
  c: Context<Env>,
  open: (signal: AbortSignal) => Promise<NextChunk<Item>>,
  { brackets: [first, last], status }: { brackets: readonly [string, string]; status: 200 | 201 },
): Promise<Response> {
  const text = async (signal: AbortSignal) => {
    const { next } = jsonOfItems(await open(signal));
    const end = () => `${last},"meta":${JSON.stringify(metaOf(c))}}`;
    return around(`{"success":true,"data":${first}`, next, end);
  };
  return stream(c, text, { contentType: contentTypes.json, status });
}

/**
 * Sends text as the response, chunk by chunk, as fast as the client reads. The body is truncated
 * after a failure, after 30 seconds without a read by the client, and after 5 minutes in total. A
 * truncated body cannot be mistaken for a complete one: it is invalid JSON, JSON lines without the
 * last line, or CSV with a broken line.
 *
 * @param open reads the first chunk. It is called once the stream has a slot; the signal aborts the
 *   current read if the stream ends early
 * @throws {ApiError} 429 or 503 before `open` is called, or what `open` throws
 */
async function stream<Env extends TenantEnv>(
  c: Context<Env>,
  open: (signal: AbortSignal) => Promise<NextText>,
  {
    contentType,
    status = 200,
    needs,
  }: { contentType: string; status?: 200 | 201; needs?: StreamNeeds },
) {
  const { keyHash, tenant } = c.var;
  const organizationId = tenant.knownCaller?.organization_id ?? null;
  const release = await takeStreamSlot({ keyHash, organizationId }, needs);
  const ending = new AbortController();
  const { signal } = c.req.raw;
  const leave = () => ending.abort(clientGone);
  // A write to a disconnected client would also fail, but a stream does not write while it reads.
  signal.addEventListener("abort", leave);
  if (signal.aborted) {
    leave();
  }
  let body: ReadableStream | null = null;
  try {
    const next = await open(ending.signal);
    if (organizationId === null && tenant.caller) {
      countFor(tenant.caller.organization_id, keyHash);
    }
    // Hono drops the body of a HEAD response, so it would never be read.
    if (c.req.raw.method !== "HEAD") {
      // This is not a ReadableStream with a custom source, because workerd does not cancel such a
      // stream when the client disconnects, and keeps its last chunk for as long as a stalled
      // client stays connected.
      const { readable, writable } = new IdentityTransformStream();
      const sending = send(writable.getWriter(), next, ending, c.get("requestId"));
      // Without `waitUntil`, no code runs after the client disconnects, and the slot remains taken.
      c.executionCtx.waitUntil(sending.finally(release));
      body = readable;
    }
  } finally {
    if (body === null) {
      release();
    }
  }
  return c.newResponse(body, status, { "Content-Type": contentType });
}

/** Bytes per write. A client that reads this many bytes within the deadline has not stalled. */
const pieceBytes = 64 * 1024;

const encoder = new TextEncoder();

/**
 * Returns the number of characters at the end of a piece that must be sent with the next piece
 * instead, because CSV that is truncated after a quote, comma or line break can look complete. Each
 * of these characters is one byte.
 */
function heldBack(text: string, from: number, to: number): number {
  let end = to;
  while (end > from && end < text.length && /["\r\n,]/.test(text.charAt(end - 1))) {
    end--;
  }
  return end === from ? 0 : to - end;
}

/** The abort reason of a stream whose client has disconnected. */
const clientGone = new DOMException("The client has gone.", "AbortError");

/**
 * Reads each chunk while the client receives the previous one. The read starts after the first
 * piece of the previous chunk, so that nothing is read for a client that has stalled. Never throws.
 */
async function send(
  writer: WritableStreamDefaultWriter<Uint8Array>,
  next: NextText,
  ending: AbortController,
  requestId: string,
): Promise<void> {
  const { signal } = ending;
  const end = (reason: unknown) => ending.abort(reason);
  // Also aborts a pending write.
  signal.addEventListener("abort", () => {
    writer.abort(signal.reason).catch(() => {});
  });
  const within = async (milliseconds: number, work: () => Promise<void>) => {
    const timer = setTimeout(() => end(new StreamDeadlineError()), milliseconds);
    try {
      await work();
    } finally {
      clearTimeout(timer);
    }
  };
  const leave = () => end(clientGone);
  writer.closed.catch(leave);
  const takenByClient = (work: () => Promise<void>) =>
    within(streamDeadlines.unread, work).catch((error) => {
      leave();
      throw error;
    });
  const piece = new Uint8Array(pieceBytes);
  let ready: Promise<string | null> | null = null;
  const sendNext = async () => {
    const text = await (ready ?? next());
    ready = null;
    for (let at = 0; text !== null && at < text.length; ) {
      // A surrogate pair at the end of the slice is never split in the output: each UTF-16 unit
      // takes at least one byte, so a lone half, which takes three bytes, does not fit in the
      // piece.
      const { read, written } = encoder.encodeInto(text.slice(at, at + pieceBytes), piece);
      const held = heldBack(text, at, at + read);
      await takenByClient(() => writer.write(piece.subarray(0, written - held)));
      at += read - held;
      if (ready === null) {
        ready = next();
        // A failure is handled when the chunk is awaited.
        ready.catch(() => {});
      }
    }
    return text !== null;
  };
  try {
    await within(streamDeadlines.whole, async () => {
      let isMore = true;
      while (isMore) {
        isMore = await sendNext();
      }
      await takenByClient(() => writer.close());
    });
  } catch (error) {
    // Does nothing if the stream has already been aborted: the first reason is kept.
    end(error);
    // A client that disconnects is not a failure of the service.
    if (signal.reason !== clientGone) {
      const isLate = signal.reason instanceof StreamDeadlineError;
      logStreamFailure(requestId, isLate ? "deadline" : "failure", signal.reason);
    }
  }
}
