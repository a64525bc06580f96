import { ApiError } from "../../errors/errors.ts";
import { maxBodyBytes, maxSmallBytes } from "./large-bodies.ts";
import { PacedReader } from "./paced-reader.ts";

/**
 * Reads a body to its end.
 * @param admit called once, when more than {@link maxSmallBytes} have arrived; returns a buffer of
 *   `maxBytes`, or throws to stop reading
 * @param maxBytes the maximum size of a body for the operation
 * @returns a view of that buffer, or a separate buffer
 * @throws {ApiError} 413; 400 if the body is truncated or its chunks are malformed; 408 if it
 *   arrives too slowly
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
  const reader = new PacedReader(request.body, declared);
  let held = new Uint8Array(0);
  let size = 0;
  try {
    for (let chunk = await reader.read(); chunk !== null; chunk = await reader.read()) {
      const total = size + chunk.length;
      if (total > maxBytes) {
        throw tooLarge(maxBytes);
      }
      if (total > held.length) {
        const grown =
          total > maxSmallBytes
            ? await admit()
            : new Uint8Array(Math.min(maxSmallBytes, Math.max(total, 2 * held.length)));
        grown.set(held.subarray(0, size));
        held = grown;
      }
      held.set(chunk, size);
      size = total;
    }
  } finally {
    reader.release();
  }
  return held.subarray(0, size);
}

const tooLarge = (maxBytes: number) => new ApiError("request_too_large", { max_bytes: maxBytes });
