import { sql } from "drizzle-orm";
import * as z from "zod";
import { runAsPoller } from "../../database/poller.ts";
import { tokenPlace } from "../../database/sealing.ts";
import type { Settings } from "../../env.ts";
import { enqueue } from "../../outbound/queues.ts";
import { maxConnections } from "./batch.ts";
import { CallFailure } from "./call/call-failure.ts";
import { contactDeadlineMs } from "./call/contact.ts";
import { cancel, codeOf } from "./call/visit-calls.ts";
import { allowsPrivate, openToken } from "./poll.ts";

/** Cancellations that one cycle claims. */
const claimSize = 1000;

/** A scan that ran when its daemon was deleted, and what it takes to end it there. */
const cancellationSchema = z.object({
  organization_id: z.guid(),
  session_id: z.guid(),
  daemon_id: z.guid(),
  url: z.string(),
  sealed_token: z.string(),
});
type Cancellation = z.output<typeof cancellationSchema>;

/** A message of the queue: scans to cancel. Tokens travel as they lie, sealed. */
export const cancellationMessageSchema = z.object({ cancellations: z.array(cancellationSchema) });

/**
 * Hands the scans of deleted daemons to the queue of slow ones. Each comes again with later cycles
 * until its daemon has been told, for five minutes at most.
 * @throws {ApiError} when the database fails, or what the queue throws
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
 * Tells daemons that were deleted to end their scans. What has succeeded, or never will, is
 * forgotten.
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

/** Returns whether there is nothing more to be tried. */
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
    console.log(JSON.stringify({ ...line, error: codeOf(error) }));
    return error instanceof CallFailure && isFinal(error);
  }
}

/** Whether another try would fail as well. */
const isFinal = ({ reason, httpStatus }: CallFailure) =>
  reason === "url_forbidden" ||
  reason === "url_not_encrypted" ||
  (httpStatus !== null && httpStatus >= 400 && httpStatus < 500);
