const lookAgainMs = 20;

/**
 * A waiter looks again and again. One that has not looked for so many milliseconds has ended or is
 * late: others go first.
 */
const absentMs = 1000;

/** The most waiters of one holder: each of them looks at all others. */
const maximumWaiting = 32;

/** How many hold a slot at once. */
export interface SlotLimits {
  /** Of one holder, such as an organization. */
  perHolder: number;
  perIsolate: number;
  /** After so many milliseconds a slot is free again, whatever has become of its holder. */
  expiresMs: number;
  /** How long a caller waits for a slot, in milliseconds. */
  waitMs: number;
}

interface Place {
  holder: string;
  expiresAt: number;
}

interface Ticket {
  holder: string;
  /** When the waiter last looked. */
  lookedAt: number;
}

/**
 * Gives a slot back. Returns whether it was still held: it may have expired, or have been given
 * back already.
 */
export type GiveBack = () => boolean;

/**
 * Slots that few requests of an isolate may hold at once, shared fairly among their holders: a free
 * one goes to the holder that has the fewest, then to one that was not the last to get one, then in
 * order of arrival.
 */
export class Slots {
  readonly #limits: SlotLimits;
  /** Plain data, since requests must not share what belongs to one. */
  readonly #taken = new Set<Place>();
  /** The waiters, in order of arrival. */
  readonly #waiting = new Set<Ticket>();
  #last: string | null = null;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /** How many slots are held. */
  get size(): number {
    this.#dropExpired(Date.now());
    return this.#taken.size;
  }

  /** How many slots a holder has. */
  heldBy(holder: string): number {
    this.#dropExpired(Date.now());
    return this.#heldBy(holder);
  }

  /**
   * Counts the slots of one holder for another, who turned out to be behind it and may then have
   * too many.
   */
  rename(holder: string, to: string): void {
    for (const place of this.#taken) {
      if (place.holder === holder) {
        place.holder = to;
      }
    }
  }

  /**
   * Waits for a slot, by looking again and again: the platform does not let one request await the
   * promise of another. A slot expires by itself, because the platform can also end a request
   * without running any more of its code; for the same reason a waiter that no longer looks is
   * passed over.
   * @returns null when there is none in time, or the holder has too many waiters already
   */
  async take(holder: string): Promise<GiveBack | null> {
    const startedAt = Date.now();
    const ticket = { holder, lookedAt: startedAt };
    if (this.#waitingOf(holder, startedAt) >= maximumWaiting) {
      return null;
    }
    this.#waiting.add(ticket);
    try {
      for (;;) {
        const now = Date.now();
        ticket.lookedAt = now;
        // It may have been dropped as absent; then it has lost its place in the order.
        this.#waiting.add(ticket);
        const place = this.#place(ticket, now);
        if (place) {
          return () => this.#taken.delete(place);
        }
        if (now >= startedAt + this.#limits.waitMs) {
          return null;
        }
        await new Promise((resolve) => setTimeout(resolve, lookAgainMs));
      }
    } finally {
      this.#waiting.delete(ticket);
    }
  }

  #place(ticket: Ticket, now: number): Place | null {
    const { perHolder, perIsolate, expiresMs } = this.#limits;
    this.#dropExpired(now);
    if (this.#taken.size >= perIsolate || this.#heldBy(ticket.holder) >= perHolder) {
      return null;
    }
    let hasArrivedBefore = true;
    for (const other of this.#waiting) {
      if (other === ticket) {
        hasArrivedBefore = false;
      } else if (other.lookedAt + absentMs <= now) {
        this.#waiting.delete(other);
      } else if (this.#goesBefore(other.holder, ticket.holder, hasArrivedBefore)) {
        return null;
      }
    }
    const { holder } = ticket;
    const place = { holder, expiresAt: now + expiresMs };
    this.#taken.add(place);
    this.#last = holder;
    return place;
  }

  /** Whether one waiter gets a slot before another, who could have it. */
  #goesBefore(one: string, other: string, hasArrivedBefore: boolean): boolean {
    const [held, heldByOther] = [this.#heldBy(one), this.#heldBy(other)];
    if (held >= this.#limits.perHolder) {
      return false;
    }
    if (held !== heldByOther) {
      return held < heldByOther;
    }
    return (one === this.#last) === (other === this.#last)
      ? hasArrivedBefore
      : other === this.#last;
  }

  #dropExpired(now: number): void {
    for (const place of this.#taken) {
      if (place.expiresAt <= now) {
        this.#taken.delete(place);
      }
    }
  }

  #heldBy(holder: string): number {
    let count = 0;
    for (const place of this.#taken) {
      count += place.holder === holder ? 1 : 0;
    }
    return count;
  }

  #waitingOf(holder: string, now: number): number {
    let count = 0;
    for (const { holder: other, lookedAt } of this.#waiting) {
      count += other === holder && lookedAt + absentMs > now ? 1 : 0;
    }
    return count;
  }
}
