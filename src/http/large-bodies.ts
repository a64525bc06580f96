import { ApiError } from "../errors.ts";
import { maxMembers, maxMembersWithChildren } from "./json-budget.ts";
import { type GiveBack, Slots } from "./slots.ts";

/** The largest body that is read, in bytes. */
export const maxBodyBytes = 1024 * 1024;

/** The largest body that is read without room for it, in bytes. */
export const maxSmallBytes = 64 * 1024;

/**
 * How many bodies of more than 64 KiB arrive at once, and how many are parsed and worked on. The two
 * are apart, so that a slow sender takes no turn from others: one that is arriving takes as much
 * memory as it may have bytes, one in its turn a few times that, and an isolate has 128 MB for everybody.
 */
interface LargeBodyLimits {
  arriving: { perOrganization: number; perIsolate: number };
  turns: number;
}

/** How large the bodies of a kind of operation may be. Every kind has room of its own. */
export interface BodyBounds {
  /** In bytes. */
  bytes: number;
  /** Members of arrays and fields of objects, all together. */
  members: number;
  arriving: Slots;
  turns: Slots;
}

/** Bounds on time, in milliseconds: to wait for room, and for a turn; then each expires. */
export const largeBodyDeadlines = { wait: 10_000, arriving: 60_000, turn: 180_000 } as const;

/** The bounds of a kind of operation, with room of its own for its large bodies. */
export function bodyBounds({
  bytes,
  members,
  arriving,
  turns,
}: { bytes: number; members: number } & LargeBodyLimits): BodyBounds {
  const { wait: waitMs, arriving: arrivingMs, turn: turnMs } = largeBodyDeadlines;
  return {
    bytes,
    members,
    arriving: new Slots({
      perHolder: arriving.perOrganization,
      perIsolate: arriving.perIsolate,
      expiresMs: arrivingMs,
      waitMs,
    }),
    turns: new Slots({ perHolder: turns, perIsolate: turns, expiresMs: turnMs, waitMs }),
  };
}

/** The limits of every operation that has none of its own. */
const usualLimits: LargeBodyLimits = {
  arriving: { perOrganization: 4, perIsolate: 8 },
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
  turns: 1,
});

const retryAfterSeconds = 5;

/** There is no room for the body now. */
const noRoom = () =>
  new ApiError("service_unavailable", { retry_after_seconds: retryAfterSeconds });

/**
 * What no body is read into right now. Buffers are used again, since the runtime frees one only long
 * after its last use, and many large bodies in a row would be held together.
 */
const spare: Uint8Array<ArrayBuffer>[] = [];

/** What a large body takes of an isolate: room to arrive in, then a turn to be parsed and worked on. */
export class LargeBodyRoom {
  readonly #bounds: BodyBounds;
  #buffer: Uint8Array<ArrayBuffer> | undefined;
  #leaveArriving: GiveBack | undefined;
  #endTurn: GiveBack | undefined;

  constructor(bounds: BodyBounds) {
    this.#bounds = bounds;
  }

  /**
   * Waits for room to arrive in.
   * @returns as large as a body of its kind may be
   * @throws {ApiError} 503 when there is none in time
   */
  async enter(organizationId: string): Promise<Uint8Array<ArrayBuffer>> {
    const { arriving, bytes } = this.#bounds;
    this.#leaveArriving = (await arriving.take(organizationId)) ?? undefined;
    if (!this.#leaveArriving) {
      throw noRoom();
    }
    this.#buffer = takeSpare(bytes) ?? new Uint8Array(bytes);
    return this.#buffer;
  }

  /**
   * Waits for the turn of a body that has arrived. Does nothing for one that needed no room.
   * @throws {ApiError} 503 when there is none in time
   */
  async takeTurn(): Promise<void> {
    if (this.#buffer) {
      this.#endTurn = (await this.#bounds.turns.take("")) ?? undefined;
      if (!this.#endTurn) {
        throw noRoom();
      }
    }
  }

  /** Gives the buffer back: it is another body's from now on. More than once does nothing. */
  letGoOfBytes(): void {
    const buffer = this.#buffer;
    this.#buffer = undefined;
    // Bodies hold secrets.
    buffer?.fill(0);
    // Of one that has expired, another buffer may have taken the place.
    if (this.#leaveArriving?.() && buffer) {
      spare.push(buffer);
    }
  }

  /** Gives back whatever is still held. */
  leave(): void {
    this.letGoOfBytes();
    this.#endTurn?.();
  }
}

function takeSpare(bytes: number): Uint8Array<ArrayBuffer> | undefined {
  const position = spare.findIndex(({ length }) => length === bytes);
  return position < 0 ? undefined : spare.splice(position, 1)[0];
}
