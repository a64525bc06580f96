import { ApiError } from "../errors.ts";
import { maxMembers, maxMembersWithChildren } from "./json-budget.ts";

/** The largest body that is read, in bytes. */
export const maxBodyBytes = 1024 * 1024;

/**
 * How many bodies of more than 64 KiB are held at once, by a key and by an isolate. Each takes a few
 * MiB as bytes, as text and as what it is parsed into, and an isolate has 128 MB for everybody.
 */
export const largeBodyLimits = { perKey: 4, perIsolate: 8 } as const;

/** How large the bodies of a kind of operation may be. */
export interface BodyBounds {
  /** Every kind has room of its own. */
  kind: string;
  /** In bytes. */
  bytes: number;
  /** Members of arrays and fields of objects, all together. */
  members: number;
  /** How many of more than 64 KiB are held at once. */
  perKey: number;
  perIsolate: number;
}

/** The bounds of every operation that has none of its own. */
export const usualBounds: BodyBounds = {
  kind: "usual",
  bytes: maxBodyBytes,
  members: maxMembers,
  ...largeBodyLimits,
};

/**
 * The bounds of a record that is sent with its children: one at a time, as it takes several times as
 * much once it is parsed.
 */
export const boundsWithChildren: BodyBounds = {
  kind: "with children",
  bytes: maxBodyBytes,
  members: maxMembersWithChildren,
  perKey: 1,
  perIsolate: 1,
};

/** Bounds on time, in milliseconds: for a slot to be had, for the rest of the body, and for a slot in all. */
export const largeBodyDeadlines = { wait: 10_000, read: 30_000, whole: 180_000 } as const;

const pollMilliseconds = 20;
const retryAfterSeconds = 5;

interface Slot {
  kind: string;
  keyHash: string;
  expiresAt: number;
}

/** The large bodies of this isolate. Plain data, since requests must not share what belongs to one. */
const taken = new Set<Slot>();

/**
 * What no body is read into right now. Buffers are used again, since the runtime frees one only long
 * after its last use, and many large bodies in a row would be held together.
 */
const spare: Uint8Array<ArrayBuffer>[] = [];

/** Room for one large body. */
export interface LargeBodySlot {
  /** As large as a body of its kind; another body's once the slot has been given back. */
  buffer: Uint8Array<ArrayBuffer>;
  /** More than once does nothing. */
  giveBack(): void;
}

/**
 * Waits until one more large body may be held, by looking again and again: the platform does not let
 * one request await the promise of another. A slot expires by itself, because the platform can also
 * end a request without running any more of its code.
 * @throws {ApiError} 503 when there is none in time
 */
export async function takeLargeBodySlot(
  keyHash: string,
  bounds = usualBounds,
): Promise<LargeBodySlot> {
  const giveUpAt = Date.now() + largeBodyDeadlines.wait;
  for (;;) {
    const slot = take(keyHash, bounds);
    if (slot) {
      const buffer = takeSpare(bounds.bytes) ?? new Uint8Array(bounds.bytes);
      const giveBack = () => {
        // Bodies hold secrets. Of an expired slot, another buffer may have taken the place.
        buffer.fill(0);
        if (taken.delete(slot)) {
          spare.push(buffer);
        }
      };
      return { buffer, giveBack };
    }
    if (Date.now() >= giveUpAt) {
      throw noRoom();
    }
    await new Promise((resolve) => setTimeout(resolve, pollMilliseconds));
  }
}

/** There is no room for the body now, or it came too slowly to keep its room. */
export const noRoom = () =>
  new ApiError("service_unavailable", { retry_after_seconds: retryAfterSeconds });

function takeSpare(bytes: number): Uint8Array<ArrayBuffer> | undefined {
  const position = spare.findIndex(({ length }) => length === bytes);
  return position < 0 ? undefined : spare.splice(position, 1)[0];
}

function take(keyHash: string, { kind, perKey, perIsolate }: BodyBounds): Slot | null {
  const now = Date.now();
  let ofKind = 0;
  let ofKey = 0;
  for (const slot of taken) {
    if (slot.expiresAt <= now) {
      taken.delete(slot);
    } else if (slot.kind === kind) {
      ofKind++;
      ofKey += slot.keyHash === keyHash ? 1 : 0;
    }
  }
  if (ofKey >= perKey || ofKind >= perIsolate) {
    return null;
  }
  const slot = { kind, keyHash, expiresAt: now + largeBodyDeadlines.whole };
  taken.add(slot);
  return slot;
}
