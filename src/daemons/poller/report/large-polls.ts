import { type GiveBack, Slots } from "../../../http/limits/slots.ts";

/**
 * The most polls of more than 64 KiB that an isolate receives at once (`arriving`), and that it processes at
 * once (`turns`). The two are separate, so that a slow daemon does not occupy a turn. A poll takes up to
 * 8 MiB while it arrives and several times that while it is processed; an isolate has 128 MB.
 */
export const maxLargePolls = { arrivingPerOrganization: 1, arriving: 2, turns: 1 } as const;

/** Timeouts for waiting for a slot, and for holding it, in milliseconds. */
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

/** The slots of one large poll: one to arrive, then one to be processed. */
export class LargePollRoom {
  #organizationId = "";
  #leaveArriving: GiveBack | null = null;
  #endTurn: GiveBack | null = null;

  /** Waits for a slot to arrive. Returns false on timeout. */
  async enter(organizationId: string): Promise<boolean> {
    this.#organizationId = organizationId;
    this.#leaveArriving = await arriving.take(organizationId);
    return this.#leaveArriving !== null;
  }

  /** Waits for a slot to be processed. Returns false on timeout, and true for a poll that is not large. */
  async takeTurn(): Promise<boolean> {
    if (!this.#leaveArriving) {
      return true;
    }
    this.#endTurn = await turns.take(this.#organizationId);
    // Lets the next poll arrive: this one takes no more memory than its bytes and some parsed pieces.
    this.#leaveArriving();
    return this.#endTurn !== null;
  }

  /** Releases the slots that are still held. */
  leave(): void {
    this.#leaveArriving?.();
    this.#endTurn?.();
  }
}
