import { DurableObject } from "cloudflare:workers";
import type { ChangeSignalStub } from "./env.ts";

/** Maximum number of requests that wait for changes of one organization. */
export const maximumWaiting = 1000;

/**
 * Ends the waits of requests for changes of one organization (API contract, section 11, "Waiting for
 * changes"), once something may have changed. It contains no data of callers, and stores nothing.
 *
 * A request reads the version, then the changes in the database, and waits only if there are none.
 * A change that is committed after the version was read has a different version, so the wait for it
 * ends immediately. If the object leaves memory, its version changes.
 */
export class ChangeSignal extends DurableObject implements ChangeSignalStub {
  #version: string = crypto.randomUUID();
  readonly #waiting = new Set<() => void>();

  async version(): Promise<string> {
    return this.#version;
  }

  /**
   * Waits for a signal after the given version.
   * @returns true after a signal; false if there was none in time; null if too many requests wait
   */
  async wait(version: string, milliseconds: number): Promise<boolean | null> {
    if (version !== this.#version) {
      return true;
    }
    if (this.#waiting.size >= maximumWaiting) {
      return null;
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), milliseconds);
    const end = () => resolve(true);
    this.#waiting.add(end);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(end);
    }
  }

  /** Ends all waits, after a change has been committed. */
  async signal(): Promise<void> {
    this.#version = crypto.randomUUID();
    for (const end of this.#waiting) {
      end();
    }
  }
}
