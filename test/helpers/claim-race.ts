import type { claimDueDaemons } from "../../src/daemons/poller/state.ts";
import { runAsPoller } from "../../src/database/poller.ts";
import type { Settings } from "../../src/env.ts";

/** Cycles at the same time. */
const cycles = 8;

/** Daemons that one claim takes, so that each cycle claims many times. */
const claimSize = 100;

/** Every organization, as much of each as one claim takes. */
const everything = { after: "00000000-0000-0000-0000-000000000000", share: claimSize };

/**
 * Lets eight cycles claim at the same time, each until nothing is due.
 * @returns the ids that each of them claimed
 */
export function raceClaims(settings: Settings, claim: typeof claimDueDaemons): Promise<string[][]> {
  const runCycle = async (): Promise<string[]> => {
    const claimed: string[] = [];
    for (;;) {
      const [{ rows }] = await runAsPoller(settings, (database) => [
        claim(database, everything, claimSize),
      ]);
      if (rows.length === 0) {
        return claimed;
      }
      claimed.push(...rows.map(({ id }) => id));
    }
  };
  return Promise.all(Array.from({ length: cycles }, runCycle));
}
