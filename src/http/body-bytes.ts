import { ApiError } from "../errors.ts";

/** The largest body that is read, in bytes. */
export const maxBodyBytes = 1024 * 1024;

/** The largest body that is read before the key is judged, in bytes. */
export const maxUnjudgedBytes = 64 * 1024;

/**
 * Reads a body to its end.
 * @param judgeKey called before more than {@link maxUnjudgedBytes} are held, perhaps more than once;
 *   ends the reading by throwing
 * @throws {ApiError} 413; 400 when the body breaks off or its chunks are malformed
 */
export async function readBytes(
  request: Request,
  judgeKey: () => Promise<void>,
): Promise<Uint8Array<ArrayBuffer>> {
  const declared = Number(request.headers.get("Content-Length") ?? 0);
  if (declared > maxBodyBytes) {
    throw tooLarge();
  }
  if (declared > maxUnjudgedBytes) {
    await judgeKey();
  }
  if (!request.body) {
    return new Uint8Array(0);
  }
  const reader: ReadableStreamDefaultReader<Uint8Array> = request.body.getReader();
  let held = new Uint8Array(0);
  let size = 0;
  for (;;) {
    const chunk = await read(reader);
    if (chunk === null) {
      return held.subarray(0, size);
    }
    const total = size + chunk.length;
    if (total > maxUnjudgedBytes && size <= maxUnjudgedBytes) {
      await judgeKey();
    }
    if (total > maxBodyBytes) {
      throw tooLarge();
    }
    if (total > held.length) {
      // What the header promises is not set aside before the key is judged.
      const promised = total > maxUnjudgedBytes ? declared : 0;
      const grown = new Uint8Array(
        Math.min(maxBodyBytes, Math.max(total, promised, 2 * held.length)),
      );
      grown.set(held.subarray(0, size));
      held = grown;
    }
    held.set(chunk, size);
    size = total;
  }
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

const tooLarge = () => new ApiError("request_too_large", { max_bytes: maxBodyBytes });
