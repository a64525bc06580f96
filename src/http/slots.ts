const lookAgainMs = 20;

/** How many hold a slot at once. */
export interface SlotLimits {
  /** Of one holder, such as an organization. */
  perHolder: number;
  perIsolate: number;
  /** After so many milliseconds a slot is free again, whatever became of its holder. */
  expiresMs: number;
  /** How long one waits for a slot, in milliseconds. */
  waitMs: number;
}

interface Place {
  holder: string;
  expiresAt: number;
}

/** Gives a slot back. Returns whether it was still held: it may have expired, or been given back. */
export type GiveBack = () => boolean;

/** What few requests of an isolate may hold at once. */
export class Slots {
  readonly #limits: SlotLimits;
  /** Plain data, since requests must not share what belongs to one. */
  readonly #taken = new Set<Place>();

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /**
   * Waits for a slot, by looking again and again: the platform does not let one request await the
   * promise of another. A slot expires by itself, because the platform can also end a request without
   * running any more of its code.
   * @returns null when there is none in time
   */
  async take(holder: string): Promise<GiveBack | null> {
    const giveUpAt = Date.now() + this.#limits.waitMs;
    for (;;) {
      const now = Date.now();
      const place = this.#place(holder, now);
      if (place) {
        return () => this.#taken.delete(place);
      }
      if (now >= giveUpAt) {
        return null;
      }
      await new Promise((resolve) => setTimeout(resolve, lookAgainMs));
    }
  }

  #place(holder: string, now: number): Place | null {
    const { perHolder, perIsolate, expiresMs } = this.#limits;
    let ofHolder = 0;
    for (const place of this.#taken) {
      if (place.expiresAt <= now) {
        this.#taken.delete(place);
      } else {
        ofHolder += place.holder === holder ? 1 : 0;
      }
    }
    if (ofHolder >= perHolder || this.#taken.size >= perIsolate) {
      return null;
    }
    const place = { holder, expiresAt: now + expiresMs };
    this.#taken.add(place);
    return place;
  }
}
