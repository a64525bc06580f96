import type { AgendaNamespace, AgendaStub } from "../env.ts";
import { callDurableObject, logFailedCall } from "./durable-object.ts";

/** All jobs share one agenda, since they share one database. */
const name = "jobs";

/** Maximum duration of a call, in milliseconds. */
const deadlineMs = 2000;

/** Number of attempts to end the rest, and the pause between them in milliseconds. */
const wakeAttempts = { count: 4, pauseMs: 1000 };

const call = <Result>(
  namespace: AgendaNamespace,
  use: (agenda: AgendaStub) => Promise<Result>,
): Promise<Result> => callDurableObject(namespace, name, deadlineMs, use);

const logFailure = (operation: "is_due" | "begin" | "rest" | "wake", error: unknown): void =>
  logFailedCall("agenda_failed", operation, error);

/** Returns true if background jobs may have something to do; also if the agenda fails. */
export async function isDue(namespace: AgendaNamespace): Promise<boolean> {
  try {
    return await call(namespace, (agenda) => agenda.isDue());
  } catch (error) {
    logFailure("is_due", error);
    return true;
  }
}

/**
 * Begins an attempt to rest, before the query for its duration. Changes that are committed from
 * now on end it.
 * @returns a function that rests for some milliseconds; undefined if the agenda fails
 */
export async function beginRest(
  namespace: AgendaNamespace,
): Promise<((milliseconds: number) => Promise<void>) | undefined> {
  try {
    const attempt = await call(namespace, (agenda) => agenda.begin());
    return async (milliseconds) => {
      try {
        await call(namespace, (agenda) => agenda.rest(attempt, milliseconds));
      } catch (error) {
        logFailure("rest", error);
      }
    };
  } catch (error) {
    logFailure("begin", error);
    return undefined;
  }
}

/**
 * Ends the rest, after a change that can make a job due sooner. If all attempts fail, the change is
 * noticed when another change is made, or when the rest ends.
 */
export async function wake(namespace: AgendaNamespace): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call(namespace, (agenda) => agenda.wake());
    } catch (error) {
      logFailure("wake", error);
      if (attempt === wakeAttempts.count) {
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, wakeAttempts.pauseMs));
    }
  }
}
