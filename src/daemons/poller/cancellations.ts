import { sql } from "drizzle-orm";
import * as z from "zod";
import { runAsPoller } from "../../database/poller.ts";
import { tokenPlace } from "../../database/sealing.ts";
import type { Settings } from "../../env.ts";
import { enqueue } from "../../outbound/queues.ts";
import { maxConnections } from "./batch.ts";
import { CallFailure } from "./call/call-failure.ts";
import { contactDeadlineMs } from "./call/contact.ts";
import { cancel } from "./call/visit-calls.ts";
import { failureCode } from "./failure-code.ts";
import { allowsPrivate, openToken } from "./poll.ts";

/** Maximum number of cancellations that one cycle claims. */
const claimSize = 1000;

/** A scan that was running when its daemon was deleted, with the daemon's URL and sealed token. */
const cancellationSchema = z.object({
  organization_id: z.guid(),
  session_id: z.guid(),
  daemon_id: z.guid(),
  url: z.string(),
  sealed_token: z.string(),
});
type Cancellation = z.output<typeof cancellationSchema>;

/** A queue message with scans to cancel. Tokens stay sealed. */
export const cancellationMessageSchema = z.object({ cancellations: z.array(cancellationSchema) });

/**
 * Enqueues the scans of deleted daemons for cancellation, in the queue for slow daemons. Later
 * cycles retry each cancellation for up to five minutes, until its daemon has responded.
 * @throws {ApiError} when the database fails; also throws queue errors
 */
export async function enqueueCancellations(settings: Settings): Promise<void> {
  const [{ rows }] = await runAsPoller(settings, (database) => [
    database.execute<Cancellation & Record<string, unknown>>(
      sql`select * from app.claim_scan_cancellations(${claimSize})`,
    ),
  ]);
  await enqueue(settings.SLOW_POLL_QUEUE, rows, (cancellations) => ({ cancellations }));
}

/**
 * Cancels the scans of deleted daemons. Deletes a cancellation that has succeeded, or cannot succeed.
 * @throws {ApiError} when the database fails
 */
export async function sendCancellations(
  settings: Settings,
  { cancellations }: z.output<typeof cancellationMessageSchema>,
): Promise<void> {
  const waiting = [...cancellations];
  const sendWaiting = async (): Promise<void> => {
    for (let one = waiting.shift(); one; one = waiting.shift()) {
      const { organization_id, session_id } = one;
      if (await send(settings, one)) {
        await runAsPoller(settings, (database) => [
          database.execute(
            sql`select app.forget_scan_cancellation(${organization_id}, ${session_id})`,
          ),
        ]);
      }
    }
  };
  await Promise.all(Array.from({ length: maxConnections }, sendWaiting));
}

/** Sends one cancellation. Returns true unless it must be retried. */
async function send(settings: Settings, cancellation: Cancellation): Promise<boolean> {
  const { organization_id, session_id, daemon_id, url, sealed_token } = cancellation;
  const token = await openToken(
    settings,
    tokenPlace(organization_id, daemon_id, url),
    sealed_token,
  );
  if (token === null) {
    return true;
  }
  const line = { event: "scan_cancellation", daemon_id, session_id };
  try {
    await cancel(
      {
        access: { url, token, allowsPrivate: allowsPrivate(settings) },
        deadlineMs: contactDeadlineMs,
        signal: AbortSignal.timeout(contactDeadlineMs),
      },
      session_id,
    );
    console.log(JSON.stringify({ ...line, error: null }));
    return true;
  } catch (error) {
    console.log(JSON.stringify({ ...line, error: failureCode(error) }));
    return error instanceof CallFailure && isFinal(error);
  }
}

/** True if a retry would fail as well. */
const isFinal = ({ reason, httpStatus }: CallFailure) =>
  reason === "url_forbidden" ||
  reason === "url_not_encrypted" ||
  (httpStatus !== null && httpStatus >= 400 && httpStatus < 500);
