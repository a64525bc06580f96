/**
 * Work in steps, with a `yield` wherever others may come in between: an isolate serves everybody on one
 * thread, and no deadline ends work that is under way.
 */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** How much is done at a stretch: some milliseconds on a slow machine. */
const stretch = 2000;

/**
 * Says when a step has been long enough. Work is counted, since the platform's clock stands still while
 * code computes (https://developers.cloudflare.com/workers/reference/security-model/).
 */
export class Pace {
  #done = 0;

  /** @param units of the work that was just done, or is about to be: about a microsecond each */
  isOver(units: number): boolean {
    this.#done += units;
    if (this.#done < stretch) {
      return false;
    }
    this.#done = 0;
    return true;
  }
}

/**
 * Does work in steps, and lets others come in between.
 * @throws what the work throws, and the reason of the signal once it is aborted
 */
export async function inSteps<Result>(steps: Steps<Result>, signal?: AbortSignal): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done) {
      return step.value;
    }
    await new Promise((resolve) => setTimeout(resolve, 0));
    signal?.throwIfAborted();
  }
}
