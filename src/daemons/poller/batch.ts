import { runAsPoller } from "../../database/poller.ts";
import type { Settings } from "../../env.ts";
import { traceOf } from "../../http/trace.ts";
import { measure } from "../../outbound/metrics.ts";
import { enqueue } from "../../outbound/queues.ts";
import type { PollMessage } from "./claim/cycle.ts";
import {
  type LeasedDaemon,
  type PollOutcome,
  type PollResult,
  recordPolls,
} from "./claim/state.ts";
import { poll, pollTimes } from "./poll.ts";

/**
 * Maximum number of daemons that are contacted concurrently. The platform allows six connections;
 * one is for the database.
 */
export const maxConnections = 5;

/**
 * Handles a message that is redelivered. One of its daemons may have crashed the first consumer,
 * for example with a report that exhausts an isolate's memory. The message is split, eventually
 * into one message per daemon, so that such a daemon does not keep affecting other daemons. The
 * parts go to the slow queue, where they do not delay fast daemons.
 * @throws {ApiError} as {@link pollBatch}; also throws queue errors
 */
export async function pollBatchAgain(settings: Settings, { daemons }: PollMessage): Promise<void> {
  if (daemons.length <= 1) {
    return pollBatch(settings, { daemons });
  }
  const size = daemons.length > maxConnections ? maxConnections : 1;
  const bodyOf = (members: PollMessage["daemons"]) => ({ daemons: members }) satisfies PollMessage;
  const messages = await enqueue(settings.SLOW_POLL_QUEUE, daemons, bodyOf, size);
  console.log(JSON.stringify({ event: "poll_batch_split", claimed: daemons.length, messages }));
}

/**
 * Polls the daemons of one message. Records results every second, so that they do not wait for the
 * slowest daemon. May run late, or twice for the same message: a result whose lease has ended has
 * no effect.
 * @throws {ApiError} if the last results cannot be recorded
 */
export async function pollBatch(
  settings: Settings,
  { daemons }: PollMessage,
  times: typeof pollTimes = pollTimes,
): Promise<void> {
  const startedAt = Date.now();
  const waiting = [...daemons];
  const line = { ok: 0, failed: 0, token_unreadable: 0, newly_unreachable: 0, discarded: 0 };
  let unrecorded: PollResult[] = [];
  let isPolling = true;

  const pollWaiting = async (): Promise<void> => {
    for (let daemon = waiting.shift(); daemon; daemon = waiting.shift()) {
      if (canStillRecord(settings, daemon, times)) {
        const result = await pollAlone(settings, daemon, times);
        if (result) {
          line[countOf(result.outcome)] += 1;
          unrecorded.push(result);
        }
      }
    }
  };
  const polls = Promise.all(Array.from({ length: maxConnections }, pollWaiting)).then(() => {
    isPolling = false;
  });
  while (isPolling || unrecorded.length > 0) {
    await endOrTimeout(polls, times.record);
    const results = unrecorded;
    unrecorded = [];
    if (results.length > 0) {
      try {
        const recorded = await record(settings, results);
        line.discarded += results.length - recorded.length;
        line.newly_unreachable += recorded.filter((row) => row.became_unreachable).length;
      } catch (error) {
        if (!isPolling) {
          throw error;
        }
        // The results that could not be recorded are retried with the next ones: a lease lasts for
        // many such intervals.
        unrecorded = [...results, ...unrecorded];
      }
    }
  }
  const { ok, failed, token_unreadable, newly_unreachable, discarded } = line;
  const batch = {
    event: "poll_batch",
    claimed: daemons.length,
    ok,
    failed,
    token_unreadable,
    not_polled: daemons.length - ok - failed - token_unreadable,
    newly_unreachable,
    discarded,
    duration_ms: Date.now() - startedAt,
  };
  console.log(JSON.stringify(batch));
  measure(settings.METRICS, {
    event: "poll_batch",
    operation: "poll_batch",
    outcome: "ok",
    organization_id: daemons[0]?.organization_id,
    duration_ms: batch.duration_ms,
    not_polled: batch.not_polled,
  });
}

/**
 * Polls one daemon. An internal error is logged, and there is no result: the other polls continue,
 * and the daemon is due again when its lease ends.
 */
async function pollAlone(
  settings: Settings,
  daemon: PollMessage["daemons"][number],
  times: typeof pollTimes,
): Promise<PollResult | null> {
  try {
    return await poll(settings, daemon, times);
  } catch (error) {
    const trace = error instanceof Error ? traceOf(error) : {};
    console.error(JSON.stringify({ event: "poll_failed", daemon_id: daemon.id, ...trace }));
    return null;
  }
}

/** Waits for a promise, up to a timeout. */
async function endOrTimeout(promise: Promise<void>, milliseconds: number): Promise<void> {
  const { promise: timeout, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  await Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}

/**
 * True if the result of a poll that starts now can be recorded before its lease ends. If the queue
 * is behind, this skips polls whose results could no longer be recorded. Checking the Worker's
 * clock only saves work here: the database's clock decides whether a result is recorded.
 */
const canStillRecord = (
  { DATABASE_DEADLINE_MS }: Settings,
  { lease_expires_at }: Pick<LeasedDaemon, "lease_expires_at">,
  times: typeof pollTimes,
) =>
  Date.now() + times.deadline + times.visit + times.record + DATABASE_DEADLINE_MS <
  lease_expires_at;

async function record(settings: Settings, results: readonly PollResult[]) {
  const [recorded] = await runAsPoller(settings, (database) => [recordPolls(database, results)]);
  return recorded.rows;
}

function countOf({ error }: PollOutcome) {
  if (error === null) {
    return "ok";
  }
  return error === "token_unreadable" ? error : "failed";
}
