import type { Context, TypedResponse } from "hono";
import type { JSONParsed } from "hono/utils/types";
import { ApiError } from "../../errors/errors.ts";
import {
  type created,
  type Meta,
  metaOf,
  type ok,
  type okPage,
  type okPageOf,
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
import { contentTypes, type Shown } from "./formats/accept.ts";
import { csvLines, endOfLine, startOfCsv } from "./formats/csv.ts";
import { endLine, jsonLines, jsonOfItems } from "./formats/json.ts";
import { within as around, type NextText, textOfRecords } from "./formats/text.ts";
import type { NextChunk } from "./source.ts";

/** A page is too large to be read at once, which is no failure: what only reads takes no body. */
export function nullIfTooLarge(error: unknown): null {
  if (error instanceof ApiError && error.code === "request_too_large") {
    return null;
  }
  throw error;
}

/** A list that is read in chunks. */
export interface ChunkedList<Item> {
  next: NextChunk<Item>;
  /** How many match; null where that is the offset and what is sent. */
  total_count: number | null;
  /** The instant that is listed, of records with history. */
  at: string | null;
}

/** A list that is sent as it is read. */
export interface StreamedList<Item> extends Pick<ChunkedList<Item>, "next" | "at"> {
  /**
   * Where what was sent lies in the list.
   * @param last the last record of it
   */
  paginationAfter(count: number, last: object | null): Promise<Pagination>;
}

/**
 * Responds 200 with a list, or with a page of it, in chunks.
 * @param open fetches the first chunk, see {@link stream}
 * @throws {ApiError} see {@link stream}
 */
export async function streamList<Env extends TenantEnv, Item>(
  c: Context<Env>,
  shown: Shown,
  open: (signal: AbortSignal) => Promise<StreamedList<Item>>,
) {
  const text = async (signal: AbortSignal) => textOfList(shown, await open(signal), metaOf(c));
  const response = await stream(c, text, { contentType: contentTypes[shown.form.type] });
  // The same as a page to its readers, who need not know that it was sent in chunks.
  return response as ReturnType<typeof okPage<Env, Item>>;
}

/**
 * A page of a list that is the `items` of what is responded, in chunks, in JSON.
 * @param open also tells the other fields, the `head`. See {@link stream}
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

/** A list in its form, whole. */
function textOfList<Item>(
  { form, schema }: Shown,
  { next, at, paginationAfter }: StreamedList<Item>,
  meta: Meta,
): NextText {
  switch (form.type) {
    case "json": {
      const items = jsonOfItems(next);
      return around('{"success":true,"data":[', items.next, async () => {
        const pagination = await paginationAfter(items.count(), items.last());
        return `],"meta":${JSON.stringify({ ...meta, pagination })}}`;
      });
    }
    case "csv": {
      const lines = textOfRecords(next, csvLines(schema));
      return around(startOfCsv(form.hasMark, schema), lines.next, () => endOfLine);
    }
    case "ndjson": {
      const lines = textOfRecords(next, jsonLines);
      return around("", lines.next, async () => {
        const { next_cursor } = await paginationAfter(lines.count(), lines.last());
        return endLine({ count: lines.count(), at, next_cursor });
      });
    }
  }
}

/**
 * Responds 200 with one record, in chunks.
 * @param open finds the record: a list of it alone, see {@link stream}
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
 * Responds 201 with one record that was created, in chunks.
 * @param open finds the record: a list of it alone, see {@link stream}
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
 * Responds 201 with the records that were created, in chunks.
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
 * Responds 200 with JSON that has no envelope, in chunks.
 * @param open fetches the first chunk, see {@link stream}
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
 * Responds with a text, chunk by chunk, as fast as the client reads. A
 * failure midway, 30 seconds without a read, or 5 minutes in all end the body there:
 * what was sent is then no valid JSON, JSON lines without their end, or a broken line of CSV, and cannot be
 * mistaken for the whole.
 *
 * @param open fetches the first chunk. Called once the stream has been counted; its signal ends
 *   what is being fetched when the stream ends early
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
  // A write fails too once the client has gone, but none is made while a chunk is being fetched.
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
    // Hono drops the body of a HEAD, and nobody would ever read it.
    if (c.req.raw.method !== "HEAD") {
      // Not a ReadableStream with a source of ours: workerd does not cancel such a one when the
      // client goes away, and holds its last chunk for as long as a stalled client stays.
      const { readable, writable } = new IdentityTransformStream();
      const sent = send(writable.getWriter(), next, ending, c.get("requestId"));
      // Else nothing of ours runs once the client has gone, and the slot would stay taken.
      c.executionCtx.waitUntil(sent.finally(release));
      body = readable;
    }
  } finally {
    if (body === null) {
      release();
    }
  }
  return c.newResponse(body, status, { "Content-Type": contentType });
}

/** A client that takes so many bytes within a deadline is a slow one, not a stalled one. */
const pieceBytes = 64 * 1024;

const encoder = new TextEncoder();

/**
 * How many units at the end of a piece wait for the next one: behind a quote, a comma or a line break, CSV that was
 * cut may look whole. Each is one byte.
 */
function heldBack(text: string, from: number, to: number): number {
  let end = to;
  while (end > from && end < text.length && /["\r\n,]/.test(text.charAt(end - 1))) {
    end--;
  }
  return end === from ? 0 : to - end;
}

/** Why a stream ends that nobody reads any more. */
const clientGone = new DOMException("The client has gone.", "AbortError");

/**
 * Fetches each chunk while the client takes the one before: from its first piece on, so that nothing
 * is fetched for a client that does not read. Never throws.
 */
async function send(
  writer: WritableStreamDefaultWriter<Uint8Array>,
  next: NextText,
  ending: AbortController,
  requestId: string,
): Promise<void> {
  const { signal } = ending;
  const end = (reason: unknown) => ending.abort(reason);
  // Lets go of what is being written, too.
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
      // Each unit takes a byte or more, so a pair of surrogates is never cut: half of one needs three.
      const { read, written } = encoder.encodeInto(text.slice(at, at + pieceBytes), piece);
      const held = heldBack(text, at, at + read);
      await takenByClient(() => writer.write(piece.subarray(0, written - held)));
      at += read - held;
      if (ready === null) {
        ready = next();
        // A failure counts when its turn comes.
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
    // Does nothing if that is what made the work fail: the first reason stays.
    end(error);
    // Nobody is left to read a broken list, and nothing of ours has failed.
    if (signal.reason !== clientGone) {
      const isLate = signal.reason instanceof StreamDeadlineError;
      logStreamFailure(requestId, isLate ? "deadline" : "failure", signal.reason);
    }
  }
}
