import { ApiError } from "../../errors/errors.ts";
import { type GiveBack, Slots } from "../limits/slots.ts";
import { maxMembers, maxMembersWithChildren } from "./json-budget.ts";

/** Maximum size of a body, in bytes. */
export const maxBodyBytes = 1024 * 1024;

/** Maximum size of a body that does not need a slot, in bytes. */
export const maxSmallBytes = 64 * 1024;

/** Maximum number of bodies handled at the same time. */
interface Share {
  perOrganization: number;
  perIsolate: number;
}

/**
 * Limits for bodies of more than 64 KiB: the maximum number that may arrive at once, the maximum
 * number in progress (arrived, but without a response yet), and the maximum number of those that
 * may be parsed at once. The limits are separate, so that neither a slow sender nor a slow database
 * call keeps other requests from being parsed. While it arrives, a body occupies a buffer of the
 * maximum size. Parsing it takes several times as much memory. After that, the statement and its
 * records stay in memory. An isolate has 128 MB in total.
 */
interface LargeBodyLimits {
  arriving: Share;
  underWay: Share;
  turns: number;
}

/** Limits for the bodies of one kind of operation. Each kind has its own slots. */
export interface BodyBounds {
  /** Maximum size, in bytes. */
  bytes: number;
  /** Maximum total number of array members and object fields. */
  members: number;
  arriving: Slots;
  underWay: Slots;
  turns: Slots;
}

/**
 * Deadlines in milliseconds: the maximum wait for any slot (`wait`), and the time until an arrival
 * slot (`arriving`) or any other slot (`turn`) expires.
 */
export const largeBodyDeadlines = { wait: 10_000, arriving: 60_000, turn: 180_000 } as const;

/** Creates the limits for one kind of operation, with its own slots. */
export function bodyBounds({
  bytes,
  members,
  arriving,
  underWay,
  turns,
}: { bytes: number; members: number } & LargeBodyLimits): BodyBounds {
  const { wait: waitMs, arriving: arrivingMs, turn: turnMs } = largeBodyDeadlines;
  const slots = ({ perOrganization: perHolder, perIsolate }: Share, expiresMs: number) =>
    new Slots({ perHolder, perIsolate, expiresMs, waitMs });
  return {
    bytes,
    members,
    arriving: slots(arriving, arrivingMs),
    underWay: slots(underWay, turnMs),
    turns: slots({ perOrganization: turns, perIsolate: turns }, turnMs),
  };
}

/** The default limits. */
const usualLimits: LargeBodyLimits = {
  arriving: { perOrganization: 4, perIsolate: 8 },
  underWay: { perOrganization: 4, perIsolate: 8 },
  turns: 4,
};

export const usualBounds = bodyBounds({
  bytes: maxBodyBytes,
  members: maxMembers,
  ...usualLimits,
});

/**
 * Limits for a record with its children. Only one such body is parsed at a time, since parsing a
 * body takes several times its size in memory.
 */
export const boundsWithChildren = bodyBounds({
  bytes: maxBodyBytes,
  members: maxMembersWithChildren,
  arriving: { perOrganization: 2, perIsolate: 4 },
  underWay: { perOrganization: 1, perIsolate: 2 },
  turns: 1,
});

const retryAfterSeconds = 5;

const noRoom = () =>
  new ApiError("service_unavailable", {
    retry_after_seconds: retryAfterSeconds,
    outcome: "unchanged",
    advice: "repeat",
  });

async function take(slots: Slots, organizationId: string): Promise<GiveBack> {
  const release = await slots.take(organizationId);
  if (!release) {
    throw noRoom();
  }
  return release;
}

/**
 * Free buffers for reuse. The runtime frees a buffer only long after its last use, so consecutive
 * large bodies would otherwise occupy many buffers at once.
 */
const spare: Uint8Array<ArrayBuffer>[] = [];

/**
 * The slots of a large body: an arrival slot, then an in-progress slot and a parsing slot. Each
 * kind of slot is shared fairly among organizations.
 */
export class LargeBodyRoom {
  readonly bounds: BodyBounds;
  #buffer: Uint8Array<ArrayBuffer> | undefined;
  #organizationId = "";
  #leaveArriving: GiveBack | undefined;
  #leaveWay: GiveBack | undefined;
  #endTurn: GiveBack | undefined;

  constructor(bounds: BodyBounds) {
    this.bounds = bounds;
  }

  /**
   * Waits for an arrival slot.
   * @returns a buffer of the maximum body size
   * @throws {ApiError} 503 if no slot becomes free in time
   */
  async enter(organizationId: string): Promise<Uint8Array<ArrayBuffer>> {
    const { arriving, bytes } = this.bounds;
    this.#organizationId = organizationId;
    this.#leaveArriving = await take(arriving, organizationId);
    this.#buffer = takeSpare(bytes) ?? new Uint8Array(bytes);
    return this.#buffer;
  }

  /**
   * Waits for the in-progress slot and the parsing slot. Does nothing for a small body.
   * @throws {ApiError} 503 if no slot becomes free in time
   */
  async takeTurn(): Promise<void> {
    if (this.#buffer) {
      const { underWay, turns } = this.bounds;
      this.#leaveWay = await take(underWay, this.#organizationId);
      this.#endTurn = await take(turns, this.#organizationId);
    }
  }

  /**
   * Releases the parsing slot after the statement has been sent. A body of more than 1 MiB keeps
   * the slot, since much of it stays in memory until the response. Calling this again does nothing.
   */
  endTurn(bytes: number): void {
    if (bytes <= maxBodyBytes) {
      this.#endTurn?.();
    }
  }

  /** Returns the buffer for reuse by another body. Calling this again does nothing. */
  releaseBuffer(): void {
    const buffer = this.#buffer;
    this.#buffer = undefined;
    // Bodies contain secrets.
    buffer?.fill(0);
    // If the slot has expired, another buffer may have replaced this buffer.
    if (this.#leaveArriving?.() && buffer) {
      spare.push(buffer);
    }
  }

  /** Releases everything that is still held. */
  leave(): void {
    this.releaseBuffer();
    this.#endTurn?.();
    this.#leaveWay?.();
  }
}

function takeSpare(bytes: number): Uint8Array<ArrayBuffer> | undefined {
  const position = spare.findIndex(({ length }) => length === bytes);
  return position < 0 ? undefined : spare.splice(position, 1)[0];
}
