import { ApiError } from "../../errors/errors.ts";

/**
 * The minimum speed at which a body must arrive, counting only the time spent waiting for the
 * sender. The first `bytes` bytes do not need a slot and may take up to `wholeMilliseconds`. After
 * that, each additional `bytes` bytes may take up to `milliseconds`.
 */
export const bodyPace = {
  bytes: 64 * 1024,
  milliseconds: 5000,
  wholeMilliseconds: 30_000,
} as const;

/** Maximum number of bytes per read. */
const maxChunkBytes = 64 * 1024;

/**
 * Reads a body and rejects it if the sender stalls. Only the time spent waiting for the sender
 * counts. All reads use the same buffer, since the runtime frees its own chunks only long after
 * their last use.
 */
export class PacedReader {
  readonly #reader: ReadableStreamBYOBReader;
  #chunk: Uint8Array<ArrayBuffer>;
  #wholeLeft: number = bodyPace.wholeMilliseconds;
  #paceLeft: number = bodyPace.wholeMilliseconds;
  #bytesLeft: number = bodyPace.bytes;

  /** @param declaredBytes the declared Content-Length; 0 if unknown */
  constructor(body: ReadableStream<Uint8Array>, declaredBytes: number) {
    this.#reader = body.getReader({ mode: "byob" });
    const bytes = declaredBytes > 0 ? Math.min(declaredBytes, maxChunkBytes) : maxChunkBytes;
    this.#chunk = new Uint8Array(bytes);
  }

  /**
   * @returns a chunk, valid until the next chunk is read; null at the end
   * @throws {ApiError} 408 if the body arrives too slowly; 400 if it is truncated or its chunks are
   *   malformed
   */
  async read(): Promise<Uint8Array | null> {
    const startedAt = Date.now();
    let isLate = false;
    const timer = setTimeout(
      () => {
        isLate = true;
        this.#reader.cancel().catch(() => {});
      },
      Math.min(this.#wholeLeft, this.#paceLeft),
    );
    const result = await this.#reader.read(this.#chunk).catch(() => null);
    clearTimeout(timer);
    // After a cancellation, the read either fails or ends as if the body were complete.
    if (isLate) {
      throw new ApiError("request_timeout", {});
    }
    // The client sent malformed chunks or disconnected. A body that ends early is not valid JSON.
    if (!result) {
      throw new ApiError("request_malformed_json", { reason: "broken_off" });
    }
    const { done, value } = result;
    if (done) {
      return null;
    }
    // The read transferred the buffer, so use the one that it returned.
    this.#chunk = new Uint8Array(value.buffer);
    this.#count(value.length, Date.now() - startedAt);
    return value;
  }

  /** Releases the stream's lock, so that the rest of the body can be read elsewhere. */
  release(): void {
    this.#reader.releaseLock();
  }

  #count(bytes: number, milliseconds: number): void {
    this.#wholeLeft -= milliseconds;
    this.#paceLeft -= milliseconds;
    this.#bytesLeft -= bytes;
    if (this.#bytesLeft <= 0) {
      this.#bytesLeft = bodyPace.bytes;
      this.#paceLeft = bodyPace.milliseconds;
    }
  }
}
