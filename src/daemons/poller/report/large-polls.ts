import { type GiveBack, Slots } from "../../../http/limits/slots.ts";

/**
 * How many polls of more than 64 KiB an isolate receives at once, and how many it parses and works on.
 * The two are apart, so that a slow daemon takes no turn from others. One that arrives takes up to 8 MiB,
 * one in its turn a few times that, and an isolate has 128 MB for everybody.
 */
export const maxLargePolls = { arrivingPerOrganization: 1, arriving: 2, turns: 1 } as const;

/** How long such a poll may wait, for room and for its turn, and how long it may hold either, in milliseconds. */
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

/** What a large poll takes of an isolate: room to arrive in, then a turn. */
export class LargePollRoom {
  #organizationId = "";
  #leaveArriving: GiveBack | null = null;
  #endTurn: GiveBack | null = null;

  /** Waits for room to arrive in. Returns whether there was any in time. */
  async enter(organizationId: string): Promise<boolean> {
    this.#organizationId = organizationId;
    this.#leaveArriving = await arriving.take(organizationId);
    return this.#leaveArriving !== null;
  }

  /** Waits for the turn of a poll that has arrived: true in time, and for one that needed no room. */
  async takeTurn(): Promise<boolean> {
    if (!this.#leaveArriving) {
      return true;
    }
    this.#endTurn = await turns.take(this.#organizationId);
    // One more may arrive meanwhile: what is being worked on takes its bytes, and a part of them parsed.
    this.#leaveArriving();
    return this.#endTurn !== null;
  }

  /** Gives back whatever is still held. */
  leave(): void {
    this.#leaveArriving?.();
    this.#endTurn?.();
  }
}
