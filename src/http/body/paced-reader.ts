import { ApiError } from "../../errors/errors.ts";

/**
 * How fast a body must come, in bytes and milliseconds of waiting for it: the first bytes take no
 * room of an isolate, so they may take as long as the whole; after that, this is the time for each
 * further such stretch, which does hold room.
 */
export const bodyPace = {
  bytes: 64 * 1024,
  milliseconds: 5000,
  wholeMilliseconds: 30_000,
} as const;

/** The most bytes that are read at a time. */
const maxChunkBytes = 64 * 1024;

/**
 * Reads a body whose sender must not stall. Only the time in which we wait for the sender counts. All of
 * it is read into one buffer, as the runtime frees chunks of its own only long after their last use.
 */
export class PacedReader {
  readonly #reader: ReadableStreamBYOBReader;
  #chunk: Uint8Array<ArrayBuffer>;
  #wholeLeft: number = bodyPace.wholeMilliseconds;
  #paceLeft: number = bodyPace.wholeMilliseconds;
  #bytesLeft: number = bodyPace.bytes;

  /** @param declaredBytes how many bytes the body is said to have; 0 where that is not known */
  constructor(body: ReadableStream<Uint8Array>, declaredBytes: number) {
    this.#reader = body.getReader({ mode: "byob" });
    const bytes = declaredBytes > 0 ? Math.min(declaredBytes, maxChunkBytes) : maxChunkBytes;
    this.#chunk = new Uint8Array(bytes);
  }

  /**
   * @returns a chunk, valid until the next one is read; null at the end
   * @throws {ApiError} 408 when it comes too slowly; 400 when the body breaks off or its chunks are
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
    // A cancelled body ends as if it were complete, or fails.
    if (isLate) {
      throw new ApiError("request_timeout", {});
    }
    // The client's fault, or the client has gone: a body that ends early is not JSON.
    if (!result) {
      throw new ApiError("request_malformed_json", { reason: "broken_off" });
    }
    const { done, value } = result;
    if (done) {
      return null;
    }
    // The buffer has moved here.
    this.#chunk = new Uint8Array(value.buffer);
    this.#count(value.length, Date.now() - startedAt);
    return value;
  }

  /** Lets others read the rest. What was read stays as it is. */
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
