import { ApiError } from "../../errors/errors.ts";
import { type GiveBack, Slots } from "./slots.ts";

/**
 * Maximum number of concurrent streams in an isolate. The text of two chunks stays in memory for a
 * client that has stopped reading. A chunk is about 0.6 MiB, or 1.3 MiB while few lists are
 * streamed, but never less than one record, which is 1.1 MiB for the largest credential. Text that
 * needs two bytes per character takes up twice as much memory. An isolate has 128 MB in total.
 */
export const streamLimits = { perOrganization: 8, perIsolate: 16, few: 4 } as const;

/**
 * Maximum number of concurrent streams that {@link StreamNeeds.holdsNames | hold names}: exports
 * that make host names unique and therefore keep up to 30 MB of names in memory until they end.
 */
export const namingLimits = { perOrganization: 1, perIsolate: 2 } as const;

/** The factors by which the chunk size is multiplied while few or many lists are streamed. */
export const chunkFactors = { few: 2, many: 1 } as const;

/**
 * The factor by which the chunk size is currently multiplied. Each chunk is a round trip to a
 * distant database, so chunks are larger while few lists are streamed.
 */
export const chunkFactor = (): number =>
  streams.size <= streamLimits.few ? chunkFactors.few : chunkFactors.many;

/** Deadlines of a stream, in milliseconds: without a read by the client, and in total. */
export const streamDeadlines = { unread: 30_000, whole: 300_000 } as const;

/** Maximum wait for a slot, in milliseconds. */
export const streamWaitMs = 5000;

/**
 * Values of `Retry-After`: the caller's own streams might stall until their deadline, while other
 * callers' streams might end soon.
 */
const retryAfterSeconds = { perOrganization: streamDeadlines.unread / 1000, perIsolate: 5 };

/** A client exceeded one of {@link streamDeadlines}. */
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

/**
 * The streams of this isolate, by organization. A slot expires after the longest possible stream.
 */
const streams = slotsFor(streamLimits);

/** The streams that hold names. */
const namingStreams = slotsFor(namingLimits);

/** The caller that opens a stream. */
interface Reader {
  keyHash: string;
  /** Null if this isolate has not seen the organization yet. */
  organizationId: string | null;
}

/** The resources that a stream needs in addition to its chunks. */
export interface StreamNeeds {
  /** True if it keeps the names of all records until it ends. */
  holdsNames?: boolean;
}

/**
 * Takes a slot for a stream. Slots are limited per organization and per isolate. If other
 * organizations hold all of the isolate's slots, waits for a free one; see {@link Slots} for the
 * order. Streams of an unknown key are counted under the key itself until the first database call
 * returns its organization: {@link countFor}. A stream that holds names also waits for another such
 * stream of its organization to end.
 * @returns a function that releases the slot; further calls do nothing
 * @throws {ApiError} 429 if the organization has too many streams, 503 if the isolate has no free
 *   slot in time
 */
export async function takeStreamSlot(
  { keyHash, organizationId }: Reader,
  { holdsNames = false }: StreamNeeds = {},
): Promise<GiveBack> {
  const holder = organizationId ?? keyHash;
  if (!holdsNames) {
    return takeSlot(holder);
  }
  const releaseNames = await namingStreams.take(holder);
  if (!releaseNames) {
    throw namingStreams.heldBy(holder) >= namingLimits.perOrganization ? tooMany() : full();
  }
  try {
    const release = await takeSlot(holder);
    return () => {
      releaseNames();
      return release();
    };
  } catch (error) {
    releaseNames();
    throw error;
  }
}

async function takeSlot(holder: string): Promise<GiveBack> {
  if (streams.heldBy(holder) >= streamLimits.perOrganization) {
    throw tooMany();
  }
  const release = await streams.take(holder);
  if (!release) {
    throw full();
  }
  return release;
}

/**
 * Moves a key's streams to its organization once the organization is known.
 * @throws {ApiError} 429 if the organization then has too many streams
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
