import { ApiError } from "../../errors.ts";

/**
 * How many lists one isolate streams at once. A client that stops reading holds the text of the chunk
 * that it takes and of the next. A chunk is about 0.6 MiB, while few lists stream 1.3 MiB, and never less
 * than a record: 1.1 MiB for the largest credential. Twice that where the text needs two bytes a
 * character. An isolate has 128 MB for everybody.
 */
export const streamLimits = { perKey: 8, perIsolate: 16, few: 4 } as const;

/** How many times as large as usual a chunk may be while few lists stream, and while many do. */
export const chunkFactors = { few: 2, many: 1 } as const;

/**
 * How many times as large as usual a chunk may be now. Each chunk waits for a database that is far
 * away, so while few lists stream, theirs are fewer and larger.
 */
export const chunkFactor = (): number =>
  taken.size <= streamLimits.few ? chunkFactors.few : chunkFactors.many;

/** Bounds on a stream's time, in milliseconds: without a read by the client, and in all. */
export const streamDeadlines = { unread: 30_000, whole: 300_000 } as const;

/** By when a caller may try again: one key's own streams can stall, those of others may just end. */
const retryAfterSeconds = { perKey: streamDeadlines.unread / 1000, perIsolate: 5 };

/** A client took longer than {@link streamDeadlines} allow. */
export class StreamDeadlineError extends Error {
  override readonly name = "StreamDeadlineError";
}

interface Slot {
  keyHash: string;
  expiresAt: number;
}

/** The streams of this isolate. Plain data, since requests must not share what belongs to one. */
const taken = new Set<Slot>();

/**
 * Counts a stream against its key and against this isolate.
 *
 * A slot expires with the longest stream: the platform can end a request without running any more
 * of its code (CPU limit, a lost connection), and what never comes back must not be counted for ever.
 * @returns gives the slot back; more than once does nothing
 * @throws {ApiError} 429 when the key has too many streams, 503 when the isolate has
 */
export function takeStreamSlot(keyHash: string): () => void {
  const now = Date.now();
  let ofKey = 0;
  for (const slot of taken) {
    if (slot.expiresAt <= now) {
      taken.delete(slot);
    } else if (slot.keyHash === keyHash) {
      ofKey++;
    }
  }
  if (ofKey >= streamLimits.perKey) {
    throw new ApiError("rate_limit_exceeded", { retry_after_seconds: retryAfterSeconds.perKey });
  }
  if (taken.size >= streamLimits.perIsolate) {
    throw new ApiError("service_unavailable", {
      retry_after_seconds: retryAfterSeconds.perIsolate,
    });
  }
  const slot = { keyHash, expiresAt: now + streamDeadlines.whole };
  taken.add(slot);
  return () => taken.delete(slot);
}
