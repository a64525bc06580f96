import { askAsPoller } from "../database/poller.ts";
import { keyRingOf } from "../database/sealing.ts";
import type { Settings } from "../env.ts";
import { contactDaemon, contactDeadlineMs } from "./contact.ts";
import type { PollMessage } from "./poll-cycle.ts";
import { type ClaimedDaemon, type PollResult, recordPolls } from "./poll-state.ts";

/** Connections that the platform lets one invocation hold at a time. */
export const maxConnections = 6;

/**
 * Polls the daemons of one message and records all results in one call. May run twice for a message,
 * or late: what no longer holds its lease changes nothing.
 * @param options.deadlineMs how long each daemon may take, in milliseconds
 * @throws {ApiError} when the database fails: no result is recorded
 */
export async function pollBatch(
  settings: Settings,
  { daemons }: PollMessage,
  { deadlineMs = contactDeadlineMs }: { deadlineMs?: number } = {},
): Promise<void> {
  const startedAt = Date.now();
  const waiting = [...daemons];
  const results: PollResult[] = [];
  const pollWaiting = async (): Promise<void> => {
    for (let daemon = waiting.shift(); daemon; daemon = waiting.shift()) {
      const result = canStillRecord(settings, daemon, deadlineMs)
        ? await poll(settings, daemon, deadlineMs)
        : null;
      if (result) {
        results.push(result);
      }
    }
  };
  await Promise.all(Array.from({ length: maxConnections }, pollWaiting));

  const recorded = results.length > 0 ? await record(settings, results) : [];
  const ok = results.filter(({ outcome }) => outcome.error === null).length;
  const line = {
    event: "poll_batch",
    claimed: daemons.length,
    ok,
    failed: results.length - ok,
    not_polled: daemons.length - results.length,
    newly_unreachable: recorded.filter(({ became_unreachable }) => became_unreachable).length,
    discarded: results.length - recorded.length,
    duration_ms: Date.now() - startedAt,
  };
  console.log(JSON.stringify(line));
}

/**
 * Whether a poll that begins now is recorded while the lease holds. When the queue is so far behind
 * that it is not, the batch gives way to fresher ones. Our clock only saves work here: what counts
 * is the database's, when it records.
 */
const canStillRecord = (
  { DATABASE_DEADLINE_MS }: Settings,
  { lease_expires_at }: Pick<ClaimedDaemon, "lease_expires_at">,
  deadlineMs: number,
) => Date.now() + deadlineMs + DATABASE_DEADLINE_MS < lease_expires_at;

async function record(settings: Settings, results: readonly PollResult[]) {
  const [recorded] = await askAsPoller(settings, (database) => [recordPolls(database, results)]);
  return recorded.rows;
}

/** Polls one daemon. Null if its token does not open, which is for the operator and no failure of it. */
async function poll(
  settings: Settings,
  { id, url, sealed_token, poll_generation }: PollMessage["daemons"][number],
  deadlineMs: number,
): Promise<PollResult | null> {
  const startedAt = Date.now();
  const token = await openToken(settings, id, sealed_token);
  if (token === null) {
    return null;
  }
  const allowsPrivate =
    settings.ENVIRONMENT === "development" && settings.PRIVATE_DAEMON_ADDRESSES === "allowed";
  const outcome = await contactDaemon(url, token, { allowsPrivate, deadlineMs });
  const line = {
    event: "poll",
    daemon_id: id,
    error: outcome.error,
    http_status: outcome.error === null ? 200 : outcome.http_status,
    duration_ms: Date.now() - startedAt,
  };
  console.log(JSON.stringify(line));
  return { id, poll_generation, outcome };
}

async function openToken(settings: Settings, id: string, sealed: string): Promise<string | null> {
  try {
    return await keyRingOf(settings).open(sealed, { record: "daemon", id, field: "token" });
  } catch {
    console.error(JSON.stringify({ event: "daemon_token_unreadable", daemon_id: id }));
    return null;
  }
}
