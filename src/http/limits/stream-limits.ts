import { ApiError } from "../../errors/errors.ts";
import { type GiveBack, Slots } from "./slots.ts";

/**
 * How many lists one isolate streams at once. A client that stops reading keeps the text of its
 * current chunk and of the next in memory. A chunk is about 0.6 MiB, or 1.3 MiB while few lists
 * stream, and never less than a record that is read whole: 1.1 MiB for the largest credential. It
 * is twice that where the text needs two bytes a character. An isolate has 128 MB for everybody.
 */
export const streamLimits = { perOrganization: 8, perIsolate: 16, few: 4 } as const;

/**
 * How many streams that {@link StreamNeeds.holdsNames | hold names} run at once: exports that give each host a name of
 * its own, and hold 30 MB at most until they end.
 */
export const namingLimits = { perOrganization: 1, perIsolate: 2 } as const;

/** How many times as large as usual a chunk may be while few lists stream, and while many do. */
export const chunkFactors = { few: 2, many: 1 } as const;

/**
 * How many times as large as usual a chunk may be now. Each chunk waits for a database that is far
 * away, so while few lists stream, theirs are fewer and larger.
 */
export const chunkFactor = (): number =>
  streams.size <= streamLimits.few ? chunkFactors.few : chunkFactors.many;

/** Bounds on a stream's time, in milliseconds: without a read by the client, and in all. */
export const streamDeadlines = { unread: 30_000, whole: 300_000 } as const;

/** How long a stream waits for others to end, in milliseconds. */
export const streamWaitMs = 5000;

/**
 * After how many seconds a caller may try again: their own streams can stall, those of others may
 * be about to end.
 */
const retryAfterSeconds = { perOrganization: streamDeadlines.unread / 1000, perIsolate: 5 };

/** A client took longer than {@link streamDeadlines} allow. */
export class StreamDeadlineError extends Error {
  override readonly name = "StreamDeadlineError";
}

const slotsFor = ({ perOrganization, perIsolate }: typeof streamLimits | typeof namingLimits) =>
  new Slots({
    perHolder: perOrganization,
    perIsolate,
    expiresMs: streamDeadlines.whole,
    waitMs: streamWaitMs,
  });

/** The streams of this isolate, by organization. One expires with the longest stream. */
const streams = slotsFor(streamLimits);

/** Those of them that hold names. */
const namingStreams = slotsFor(namingLimits);

/** Who opens a stream. */
interface Reader {
  keyHash: string;
  /** Null where this isolate does not know it yet. */
  organizationId: string | null;
}

/** What a stream takes beyond its chunks. */
export interface StreamNeeds {
  /** Whether it holds the names of all records until its end. */
  holdsNames?: boolean;
}

/**
 * Counts a stream against its organization and against this isolate. Where others have all streams
 * of the isolate, it waits for one to end, which goes to the organization that has the fewest, then
 * in order of arrival. A key that is new to the isolate stands for itself until its first call has
 * told its organization: {@link countFor}. One that holds names waits for another one of its organization to end, too.
 * @returns gives the slot back; more than once does nothing
 * @throws {ApiError} 429 when the organization has too many streams, 503 when the isolate has for too long
 */
export async function takeStreamSlot(
  { keyHash, organizationId }: Reader,
  { holdsNames = false }: StreamNeeds = {},
): Promise<GiveBack> {
  const holder = organizationId ?? keyHash;
  if (!holdsNames) {
    return takeSlot(holder);
  }
  const giveNameBack = await namingStreams.take(holder);
  if (!giveNameBack) {
    throw namingStreams.heldBy(holder) >= namingLimits.perOrganization ? tooMany() : full();
  }
  try {
    const giveBack = await takeSlot(holder);
    return () => {
      giveNameBack();
      return giveBack();
    };
  } catch (error) {
    giveNameBack();
    throw error;
  }
}

async function takeSlot(holder: string): Promise<GiveBack> {
  if (streams.heldBy(holder) >= streamLimits.perOrganization) {
    throw tooMany();
  }
  const giveBack = await streams.take(holder);
  if (!giveBack) {
    throw full();
  }
  return giveBack;
}

/**
 * Counts the streams of a key for its organization, now that it is known.
 * @throws {ApiError} 429 when the organization has too many with them
 */
export function countFor(organizationId: string, keyHash: string): void {
  streams.rename(keyHash, organizationId);
  namingStreams.rename(keyHash, organizationId);
  if (
    streams.heldBy(organizationId) > streamLimits.perOrganization ||
    namingStreams.heldBy(organizationId) > namingLimits.perOrganization
  ) {
    throw tooMany();
  }
}

const full = () =>
  new ApiError("service_unavailable", {
    retry_after_seconds: retryAfterSeconds.perIsolate,
    outcome: "unchanged",
    advice: "repeat",
  });

const tooMany = () =>
  new ApiError("rate_limit_exceeded", { retry_after_seconds: retryAfterSeconds.perOrganization });
