import { DurableObject } from "cloudflare:workers";
import type { AgendaStub } from "./env.ts";

/** The key of the end of the rest in the storage, in milliseconds since the epoch. */
const restKey = "rests_until";

/**
 * Stores, outside the database, the time until which no background job has anything to do, so that
 * the jobs do not query the database every minute. It contains no data of callers.
 *
 * A job run that finds nothing more to do lets the object rest (`begin`, then `rest`). Every change
 * ends the rest (`wake`). The run's query may miss a change that is committed at the same time. The
 * `wake` of that change therefore also ends the run's attempt, so that the later `rest` has no
 * effect.
 */
export class Agenda extends DurableObject implements AgendaStub {
  /**
   * The current attempt to rest. It is only in memory: if the object is evicted, the attempt fails
   * and the next run queries the database again.
   */
  #attempt: string | null = null;

  /** Returns true unless the object rests. Without stored state, jobs are due. */
  async isDue(): Promise<boolean> {
    const until = await this.ctx.storage.get<number>(restKey);
    return until === undefined || until <= Date.now();
  }

  /** Begins an attempt to rest. Earlier attempts end. */
  async begin(): Promise<string> {
    this.#attempt = crypto.randomUUID();
    return this.#attempt;
  }

  /**
   * Rests for some milliseconds, unless the attempt has ended.
   * @returns true if the object rests
   */
  async rest(attempt: string, milliseconds: number): Promise<boolean> {
    if (this.#attempt !== attempt) {
      return false;
    }
    this.#attempt = null;
    await this.ctx.storage.put(restKey, Date.now() + milliseconds);
    return true;
  }

  /** Ends the rest, and the current attempt. */
  async wake(): Promise<void> {
    this.#attempt = null;
    // Writing only the change keeps frequent wakes cheap.
    if (!(await this.isDue())) {
      await this.ctx.storage.delete(restKey);
    }
  }
}
