import type { DurableObjects } from "../env.ts";

/**
 * Calls the Durable Object with a name.
 * @param deadlineMs the maximum duration of the call, in milliseconds
 * @throws if the object fails, or does not respond in time
 */
export async function callDurableObject<Stub, Result>(
  objects: DurableObjects<Stub>,
  name: string,
  deadlineMs: number,
  call: (stub: Stub) => Promise<Result>,
): Promise<Result> {
  // A stub that has failed once does not work again, so each call gets a new one.
  const stub = objects.get(objects.idFromName(name));
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error("It did not respond.")), deadlineMs);
  try {
    return await Promise.race([call(stub), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Logs a failed call. Neither the state of our objects nor the error contains data of callers. */
export function logFailedCall(
  event: "agenda_failed" | "change_signal_failed",
  operation: string,
  error: unknown,
): void {
  const message = error instanceof Error ? error.message : null;
  console.error(JSON.stringify({ event, operation, error: message }));
}
