/**
 * Work in steps. Other requests run at each `yield`: an isolate serves all requests on one thread,
 * and deadlines do not interrupt a computation.
 */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Units of work per step: a few milliseconds on a slow machine. */
const unitsPerStep = 2000;

/**
 * Decides when a step ends. Counts the work, since the platform's clock does not advance during
 * computation (https://developers.cloudflare.com/workers/reference/security-model/).
 */
export class Pace {
  #done = 0;

  /**
   * @param units the cost of the work just done, or about to be done, in units of about a
   *   microsecond
   */
  isOver(units: number): boolean {
    this.#done += units;
    if (this.#done < unitsPerStep) {
      return false;
    }
    this.#done = 0;
    return true;
  }
}

/**
 * Runs work in steps, and lets other requests run in between.
 * @throws the errors of the work, or the signal's abort reason once it is aborted
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
