import type { Context } from "hono";
import type { TenantEnv } from "../http/factory.ts";
import { watchChanges } from "../outbound/change-signal.ts";

/** Maximum number of requests of an isolate that wait for changes, of all organizations. */
export const maximumWaitingOfIsolate = 1000;

/**
 * The pause after a signal that brought no news for the caller, in milliseconds. It doubles each
 * time, so that changes that the caller does not see cause few reads.
 */
const firstPauseMs = 1000;

let waiting = 0;

/**
 * Reads a page of changes. If it has no news, waits until something changes in the organization,
 * and reads it again. No database call is made while waiting.
 * @param organizationId the organization in the request's cursor, which is only compared with the
 *   caller by `read`; null if there is no cursor: the page is then read once, and the next request
 *   can wait with the cursor of this page
 * @param waitMs the maximum time to wait, in milliseconds
 * @returns the page that was read last. `isComplete` is false if the request could not wait
 */
export async function waitForChanges<Page>(
  c: Context<TenantEnv>,
  organizationId: string | null,
  waitMs: number,
  read: () => Promise<Page>,
  hasNews: (page: Page) => boolean,
): Promise<{ page: Page; isComplete: boolean }> {
  const { CHANGE_SIGNAL } = c.var.settings;
  if (organizationId === null) {
    return { page: await read(), isComplete: true };
  }
  const endsAt = Date.now() + waitMs;
  let pauseMs = 0;
  for (;;) {
    // Before the read, so that a change that the read does not see ends the wait.
    const untilChanged = CHANGE_SIGNAL && (await watchChanges(CHANGE_SIGNAL, organizationId));
    const page = await read();
    const leftMs = endsAt - Date.now();
    if (hasNews(page) || leftMs <= 0) {
      return { page, isComplete: true };
    }
    if (untilChanged === undefined || waiting >= maximumWaitingOfIsolate) {
      return { page, isComplete: false };
    }
    const hasChanged = await timed(c, async () => {
      const changed = await untilChanged(leftMs);
      if (changed) {
        await sleep(Math.min(pauseMs, endsAt - Date.now()));
      }
      return changed;
    });
    if (!hasChanged) {
      return { page, isComplete: hasChanged === false };
    }
    pauseMs = pauseMs === 0 ? firstPauseMs : pauseMs * 2;
  }
}

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * Waits, and adds the time to the request's. Ends early if the client disconnects.
 * @returns null if the client has disconnected
 */
async function timed<Result>(
  c: Context<TenantEnv>,
  wait: () => Promise<Result>,
): Promise<Result | null> {
  const { signal } = c.req.raw;
  const gone = Promise.withResolvers<null>();
  const leave = () => gone.resolve(null);
  signal.addEventListener("abort", leave);
  const startedAt = Date.now();
  waiting++;
  try {
    return await Promise.race([wait(), gone.promise]);
  } finally {
    waiting--;
    signal.removeEventListener("abort", leave);
    c.set("waitedMs", (c.get("waitedMs") ?? 0) + Date.now() - startedAt);
  }
}
