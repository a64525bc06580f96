import type { ChangeSignals, Settings } from "../env.ts";
import { callDurableObject, logFailedCall } from "./durable-object.ts";

/** Maximum duration of a call that does not wait for changes, in milliseconds. */
const deadlineMs = 2000;

/**
 * Ends the waits for changes of an organization, after a change may have been committed. If the call
 * fails, waiting requests notice the change when they are repeated.
 */
export async function signalChange(
  { CHANGE_SIGNAL }: Settings,
  organizationId: string,
): Promise<void> {
  if (CHANGE_SIGNAL === undefined) {
    return;
  }
  try {
    await callDurableObject(CHANGE_SIGNAL, organizationId, deadlineMs, (stub) => stub.signal());
  } catch (error) {
    logFailedCall("change_signal_failed", "signal", error);
  }
}

/**
 * Begins to watch for changes of an organization, before they are read.
 * @returns a function that waits for a change from now on, for some milliseconds. It returns true if
 *   something may have changed, false if nothing has, and null if it cannot wait. Undefined if
 *   nothing can be watched
 */
export async function watchChanges(
  signals: ChangeSignals,
  organizationId: string,
): Promise<((milliseconds: number) => Promise<boolean | null>) | undefined> {
  try {
    const version = await callDurableObject(signals, organizationId, deadlineMs, (stub) =>
      stub.version(),
    );
    return async (milliseconds) => {
      try {
        return await callDurableObject(signals, organizationId, milliseconds + deadlineMs, (stub) =>
          stub.wait(version, milliseconds),
        );
      } catch (error) {
        logFailedCall("change_signal_failed", "wait", error);
        return null;
      }
    };
  } catch (error) {
    logFailedCall("change_signal_failed", "version", error);
    return undefined;
  }
}
