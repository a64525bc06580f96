import { ApiError } from "../../errors/errors.ts";
import { type GiveBack, Slots } from "../limits/slots.ts";
import { maxMembers, maxMembersWithChildren } from "./json-budget.ts";

/** The largest body that is read, in bytes. */
export const maxBodyBytes = 1024 * 1024;

/** The largest body that is read without room for it, in bytes. */
export const maxSmallBytes = 64 * 1024;

/** How many of something there are at once. */
interface Share {
  perOrganization: number;
  perIsolate: number;
}

/**
 * How many bodies of more than 64 KiB may arrive at once, how many may be under way (arrived, and
 * not answered yet), and how many of those have their turn to be parsed. The three are apart, so
 * that neither a slow sender nor a slow call of the database takes turns from others. A body that
 * is arriving takes as much memory as it may have bytes; one in its turn, several times that; one
 * whose statement has been sent, its statement and its records. An isolate has 128 MB for
 * everybody.
 */
interface LargeBodyLimits {
  arriving: Share;
  underWay: Share;
  turns: number;
}

/** How large the bodies of a kind of operation may be. Every kind has room of its own. */
export interface BodyBounds {
  /** In bytes. */
  bytes: number;
  /** Members of arrays and fields of objects, all together. */
  members: number;
  arriving: Slots;
  underWay: Slots;
  turns: Slots;
}

/**
 * Bounds on time, in milliseconds: how long one waits for each of room, place and turn, and when
 * each expires.
 */
export const largeBodyDeadlines = { wait: 10_000, arriving: 60_000, turn: 180_000 } as const;

/** The bounds of a kind of operation, with room of its own for its large bodies. */
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

/** The limits of every operation that has none of its own. */
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
 * The bounds of a record that is sent with its children: one turn at a time, as it takes several times
 * as much once it is parsed.
 */
export const boundsWithChildren = bodyBounds({
  bytes: maxBodyBytes,
  members: maxMembersWithChildren,
  arriving: { perOrganization: 2, perIsolate: 4 },
  underWay: { perOrganization: 1, perIsolate: 2 },
  turns: 1,
});

const retryAfterSeconds = 5;

/** There is no room for the body now. */
const noRoom = () =>
  new ApiError("service_unavailable", {
    retry_after_seconds: retryAfterSeconds,
    outcome: "unchanged",
    advice: "repeat",
  });

async function take(slots: Slots, organizationId: string): Promise<GiveBack> {
  const giveBack = await slots.take(organizationId);
  if (!giveBack) {
    throw noRoom();
  }
  return giveBack;
}

/**
 * Buffers that no body is being read into. They are used again, since the runtime frees one only
 * long after its last use, and would hold those of many large bodies in a row at once.
 */
const spare: Uint8Array<ArrayBuffer>[] = [];

/**
 * What a large body takes of an isolate: room to arrive in, then a place among those under way, and
 * there a turn to be parsed. Each goes to organizations in turn.
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
   * Waits for room to arrive in.
   * @returns as large as a body of its kind may be
   * @throws {ApiError} 503 when there is none in time
   */
  async enter(organizationId: string): Promise<Uint8Array<ArrayBuffer>> {
    const { arriving, bytes } = this.bounds;
    this.#organizationId = organizationId;
    this.#leaveArriving = await take(arriving, organizationId);
    this.#buffer = takeSpare(bytes) ?? new Uint8Array(bytes);
    return this.#buffer;
  }

  /**
   * Waits for the turn of a body that has arrived. Does nothing for one that needed no room.
   * @throws {ApiError} 503 when there is none in time
   */
  async takeTurn(): Promise<void> {
    if (this.#buffer) {
      const { underWay, turns } = this.bounds;
      this.#leaveWay = await take(underWay, this.#organizationId);
      this.#endTurn = await take(turns, this.#organizationId);
    }
  }

  /**
   * Lets the next one be parsed, once the statement has been sent. Not for a body above 1 MiB, as
   * too much of it is held until its answer. Calling it again does nothing.
   */
  endTurn(bytes: number): void {
    if (bytes <= maxBodyBytes) {
      this.#endTurn?.();
    }
  }

  /** Gives the buffer back: it is another body's from now on. Calling it again does nothing. */
  letGoOfBytes(): void {
    const buffer = this.#buffer;
    this.#buffer = undefined;
    // Bodies hold secrets.
    buffer?.fill(0);
    // Where the room has expired, another buffer may have taken this one's place.
    if (this.#leaveArriving?.() && buffer) {
      spare.push(buffer);
    }
  }

  /** Gives back whatever is still held. */
  leave(): void {
    this.letGoOfBytes();
    this.#endTurn?.();
    this.#leaveWay?.();
  }
}

function takeSpare(bytes: number): Uint8Array<ArrayBuffer> | undefined {
  const position = spare.findIndex(({ length }) => length === bytes);
  return position < 0 ? undefined : spare.splice(position, 1)[0];
}
