/** Milliseconds between a waiter's polls. */
const pollMs = 20;

/**
 * Milliseconds without a poll after which a waiter is skipped, because it has given up or is late.
 */
const absentMs = 1000;

/** Maximum number of waiters per holder, limited because each poll scans all waiters. */
const maximumWaiting = 32;

/** Limits for the holders of slots. */
export interface SlotLimits {
  /** Maximum number of slots per holder, such as an organization. */
  perHolder: number;
  perIsolate: number;
  /** Milliseconds after which a slot becomes free, even if its holder has not released it. */
  expiresMs: number;
  /** Maximum wait for a slot, in milliseconds. */
  waitMs: number;
}

interface Slot {
  holder: string;
  expiresAt: number;
}

interface Ticket {
  holder: string;
  /** Time of the waiter's last poll, in milliseconds since the epoch. */
  polledAt: number;
}

/** Releases a slot. Returns false if it has already expired or been released. */
export type GiveBack = () => boolean;

/**
 * A limited number of slots per isolate, shared fairly among their holders. A free slot goes to the
 * holder with the fewest slots. Ties go to a holder other than the one served last, then to the
 * earliest arrival.
 */
export class Slots {
  readonly #limits: SlotLimits;
  /** Only plain data, since Workers do not let requests share I/O objects or promises. */
  readonly #taken = new Set<Slot>();
  /** The waiters, in order of arrival. */
  readonly #waiting = new Set<Ticket>();
  #last: string | null = null;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /** The number of slots in use. */
  get size(): number {
    this.#dropExpired(Date.now());
    return this.#taken.size;
  }

  /** The number of slots that one holder has. */
  heldBy(holder: string): number {
    this.#dropExpired(Date.now());
    return this.#heldBy(holder);
  }

  /** Moves one holder's slots to another holder, which may then exceed its limit. */
  rename(holder: string, to: string): void {
    for (const slot of this.#taken) {
      if (slot.holder === holder) {
        slot.holder = to;
      }
    }
  }

  /**
   * Waits for a slot by polling, since the platform does not let one request await another
   * request's promise. The platform can also end a request without running any more of its code, so
   * slots expire and waiters that no longer poll are skipped.
   * @returns null if no slot becomes free in time or if the holder already has too many waiters
   */
  async take(holder: string): Promise<GiveBack | null> {
    const startedAt = Date.now();
    const ticket = { holder, polledAt: startedAt };
    if (this.#waitingOf(holder, startedAt) >= maximumWaiting) {
      return null;
    }
    this.#waiting.add(ticket);
    try {
      for (;;) {
        const now = Date.now();
        ticket.polledAt = now;
        // If another waiter has dropped this waiter as absent, this appends it to the end of the
        // queue.
        this.#waiting.add(ticket);
        const slot = this.#takeFree(ticket, now);
        if (slot) {
          return () => this.#taken.delete(slot);
        }
        if (now >= startedAt + this.#limits.waitMs) {
          return null;
        }
        await new Promise((resolve) => setTimeout(resolve, pollMs));
      }
    } finally {
      this.#waiting.delete(ticket);
    }
  }

  #takeFree(ticket: Ticket, now: number): Slot | null {
    const { perHolder, perIsolate, expiresMs } = this.#limits;
    this.#dropExpired(now);
    if (this.#taken.size >= perIsolate || this.#heldBy(ticket.holder) >= perHolder) {
      return null;
    }
    let hasArrivedBefore = true;
    for (const other of this.#waiting) {
      if (other === ticket) {
        hasArrivedBefore = false;
      } else if (other.polledAt + absentMs <= now) {
        this.#waiting.delete(other);
      } else if (this.#goesBefore(other.holder, ticket.holder, hasArrivedBefore)) {
        return null;
      }
    }
    const { holder } = ticket;
    const slot = { holder, expiresAt: now + expiresMs };
    this.#taken.add(slot);
    this.#last = holder;
    return slot;
  }

  /**
   * True if one holder's waiter takes precedence over another's. The other holder must be within
   * its limit.
   */
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
    for (const slot of this.#taken) {
      if (slot.expiresAt <= now) {
        this.#taken.delete(slot);
      }
    }
  }

  #heldBy(holder: string): number {
    let count = 0;
    for (const slot of this.#taken) {
      count += slot.holder === holder ? 1 : 0;
    }
    return count;
  }

  #waitingOf(holder: string, now: number): number {
    let count = 0;
    for (const { holder: other, polledAt } of this.#waiting) {
      count += other === holder && polledAt + absentMs > now ? 1 : 0;
    }
    return count;
  }
}
