import { runAsPoller } from "../../database/poller.ts";
import type { Settings } from "../../env.ts";
import { traceOf } from "../../http/trace.ts";
import { measure } from "../../metrics.ts";
import { enqueue } from "../../outbound/queues.ts";
import type { PollMessage } from "./claim/cycle.ts";
import {
  type LeasedDaemon,
  type PollOutcome,
  type PollResult,
  recordPolls,
} from "./claim/state.ts";
import { poll, pollTimes } from "./poll.ts";

/** Daemons that are contacted at a time. The platform allows six connections; one is for recording. */
export const maxConnections = 5;

/**
 * Takes a message that is delivered again. What its first consumer met may end this one as well,
 * such as a report that the memory of an isolate does not hold: the daemons go on in smaller
 * messages, at last each in its own, so that none takes others with it every time. They go to the
 * slow lane, where they delay no fast daemon.
 * @throws {ApiError} as {@link pollBatch}; what the queue throws
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
 * Polls the daemons of one message and records what comes of it every second, not when the slowest
 * is done. May run twice for a message, or late: what no longer holds its lease changes nothing.
 * @throws {ApiError} when the database fails at last: some results are not recorded
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
        // The next try is a second away, and their leases hold for longer.
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
 * Polls one daemon. A fault of ours is no result, and stops no other poll: the daemon is due again
 * when its lease ends.
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

/** Waits for a promise, but not for longer than so many milliseconds. */
async function endOrTimeout(promise: Promise<void>, milliseconds: number): Promise<void> {
  const { promise: timeout, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  await Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}

/**
 * Whether a poll that begins now is recorded while the lease holds. When the queue is so far behind
 * that it is not, the batch gives way to fresher ones. Our clock only saves work here: what counts
 * is the database's, when it records.
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
