/**
 * How many polls of more than 64 KiB an isolate holds at once. Each takes up to 8 MiB as bytes, and a
 * few times that as what it is parsed into; an isolate has 128 MB for everybody.
 */
export const maxLargePolls = 1;

/** How long such a poll may wait for its turn, and how long one may hold it, in milliseconds. */
export const largePollDeadlines = { wait: 10_000, hold: 60_000 } as const;

const lookAgainMs = 20;

interface Turn {
  expiresAt: number;
}

/** Plain data, since invocations of one isolate must not share what belongs to one of them. */
const taken = new Set<Turn>();

/**
 * Waits until one more large poll may be held, by looking again and again: the platform does not let
 * one invocation await the promise of another. A turn expires by itself, because the platform can
 * also end an invocation without running any more of its code.
 * @returns gives the turn back; null when there is none in time
 */
export async function takeLargePoll(): Promise<(() => void) | null> {
  const giveUpAt = Date.now() + largePollDeadlines.wait;
  for (;;) {
    const now = Date.now();
    for (const turn of taken) {
      if (turn.expiresAt <= now) {
        taken.delete(turn);
      }
    }
    if (taken.size < maxLargePolls) {
      const turn = { expiresAt: now + largePollDeadlines.hold };
      taken.add(turn);
      return () => taken.delete(turn);
    }
    if (now >= giveUpAt) {
      return null;
    }
    await new Promise((resolve) => setTimeout(resolve, lookAgainMs));
  }
}
