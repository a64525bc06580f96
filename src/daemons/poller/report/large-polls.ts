import { type GiveBack, Slots } from "../../../http/limits/slots.ts";

/**
 * Maximum number of polls of more than 64 KiB that an isolate receives concurrently (`arriving`)
 * and processes concurrently (`turns`). The two limits are separate, so that a slow daemon does not
 * block processing. A poll takes up to 8 MiB of memory while it is received, and several times that
 * while it is processed; an isolate has 128 MB.
 */
export const maxLargePolls = { arrivingPerOrganization: 1, arriving: 2, turns: 1 } as const;

/** Timeouts for waiting for a slot and for holding it, in milliseconds. */
export const largePollDeadlines = { wait: 10_000, hold: 60_000 } as const;

const times = { expiresMs: largePollDeadlines.hold, waitMs: largePollDeadlines.wait };

const arriving = new Slots({
  perHolder: maxLargePolls.arrivingPerOrganization,
  perIsolate: maxLargePolls.arriving,
  ...times,
});
const turns = new Slots({
  perHolder: maxLargePolls.turns,
  perIsolate: maxLargePolls.turns,
  ...times,
});

/** The slots of one large poll: one to receive it, then one to process it. */
export class LargePollRoom {
  #organizationId = "";
  #leaveArriving: GiveBack | null = null;
  #endTurn: GiveBack | null = null;

  /** Waits for a slot to receive the poll. Returns false on timeout. */
  async enter(organizationId: string): Promise<boolean> {
    this.#organizationId = organizationId;
    this.#leaveArriving = await arriving.take(organizationId);
    return this.#leaveArriving !== null;
  }

  /**
   * Waits for a slot to process the poll. Returns false on timeout, and true for a poll that is not
   * large.
   */
  async takeTurn(): Promise<boolean> {
    if (!this.#leaveArriving) {
      return true;
    }
    this.#endTurn = await turns.take(this.#organizationId);
    // Allows the next poll to be received: from here on, this one needs memory only for its bytes
    // and some parsed pieces.
    this.#leaveArriving();
    return this.#endTurn !== null;
  }

  /** Releases the slots that are still held. */
  leave(): void {
    this.#leaveArriving?.();
    this.#endTurn?.();
  }
}
