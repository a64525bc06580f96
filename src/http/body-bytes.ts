import { ApiError } from "../errors.ts";
import { largeBodyDeadlines, maxBodyBytes, noRoom } from "./large-bodies.ts";

/** The largest body that is read before it is admitted, in bytes. */
const maxUnjudgedBytes = 64 * 1024;

/**
 * Reads a body to its end.
 * @param admit called once, before more than {@link maxUnjudgedBytes} are held; gives room for
 *   `maxBytes`, or ends the reading by throwing
 * @param maxBytes the largest body of the operation
 * @returns a part of that room, or bytes of its own
 * @throws {ApiError} 413; 400 when the body breaks off or its chunks are malformed; 503 when an
 *   admitted body does not come in time
 */
export async function readBytes(
  request: Request,
  admit: () => Promise<Uint8Array<ArrayBuffer>>,
  maxBytes = maxBodyBytes,
): Promise<Uint8Array<ArrayBuffer>> {
  const declared = Number(request.headers.get("Content-Length") ?? 0);
  if (declared > maxBytes) {
    throw tooLarge(maxBytes);
  }
  if (!request.body) {
    return new Uint8Array(0);
  }
  const reader: ReadableStreamDefaultReader<Uint8Array> = request.body.getReader();
  const room = declared > maxUnjudgedBytes ? await admit() : null;
  const small = room ? null : await readSmall(reader, maxBytes);
  if (small?.isComplete) {
    return small.bytes;
  }
  const held = room ?? (await admit());
  held.set(small?.bytes ?? [], 0);
  return await readLarge(reader, held, small?.bytes.length ?? 0, maxBytes);
}

/** Reads until the body ends or more than {@link maxUnjudgedBytes} are there. */
async function readSmall(reader: ReadableStreamDefaultReader<Uint8Array>, maxBytes: number) {
  let held = new Uint8Array(0);
  let size = 0;
  for (;;) {
    const chunk = await read(reader);
    if (chunk === null) {
      return { bytes: held.subarray(0, size), isComplete: true };
    }
    const total = size + chunk.length;
    if (total > maxBytes) {
      throw tooLarge(maxBytes);
    }
    if (total > held.length) {
      const grown = new Uint8Array(Math.max(total, 2 * held.length));
      grown.set(held.subarray(0, size));
      held = grown;
    }
    held.set(chunk, size);
    size = total;
    if (size > maxUnjudgedBytes) {
      return { bytes: held.subarray(0, size), isComplete: false };
    }
  }
}

/** Reads the rest of a body into the room that it was given, of which `size` bytes are there. */
async function readLarge(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  held: Uint8Array<ArrayBuffer>,
  size: number,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    reader.cancel().catch(() => {});
  }, largeBodyDeadlines.read);
  try {
    let total = size;
    for (;;) {
      const chunk = await read(reader);
      if (isLate) {
        break;
      }
      if (chunk === null) {
        return held.subarray(0, total);
      }
      if (total + chunk.length > maxBytes) {
        throw tooLarge(maxBytes);
      }
      held.set(chunk, total);
      total += chunk.length;
    }
  } catch (error) {
    if (!isLate) {
      throw error;
    }
  } finally {
    clearTimeout(timer);
  }
  // A cancelled body ends as if it were complete, or fails.
  throw noRoom();
}

async function read(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | null> {
  try {
    const { done, value } = await reader.read();
    return done ? null : value;
  } catch {
    // The client's fault, or its going away: a body that ends early is not JSON.
    throw new ApiError("request_malformed_json", {});
  }
}

const tooLarge = (maxBytes: number) => new ApiError("request_too_large", { max_bytes: maxBytes });
