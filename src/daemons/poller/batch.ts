import { runAsPoller } from "../../database/poller.ts";
import { keyRingOf, type Place, tokenPlace } from "../../database/sealing.ts";
import type { Settings } from "../../env.ts";
import { contactDaemon, contactDeadlineMs } from "./contact.ts";
import type { PollMessage } from "./cycle.ts";
import { type LeasedDaemon, type PollOutcome, type PollResult, recordPolls } from "./state.ts";
import { failWork, visitDaemon } from "./visit.ts";

/** Daemons that are contacted at a time. The platform allows six connections; one records. */
export const maxConnections = 5;

/** Times of a poll, in milliseconds. */
export const pollTimes = {
  /** How long a daemon may take to respond. */
  deadline: contactDeadlineMs,
  /** How long all may take that follows a daemon's response: its report, and its scans. */
  visit: 25_000,
  /** From when on it is slow: its next poll is then in the lane of slow ones. */
  slow: 1000,
  /** How long a result may wait for others to be recorded with. */
  record: 1000,
};

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
        const result = await poll(settings, daemon, times);
        line[countOf(result.outcome)] += 1;
        unrecorded.push(result);
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

/** Polls one daemon. */
async function poll(
  settings: Settings,
  daemon: PollMessage["daemons"][number],
  times: typeof pollTimes,
): Promise<PollResult> {
  const { organization_id, id, url, sealed_token, poll_generation } = daemon;
  const token = await openToken(settings, tokenPlace(organization_id, id, url), sealed_token);
  if (token === null) {
    const outcome = { error: "token_unreadable", http_status: null } as const;
    return {
      organization_id,
      id,
      poll_generation,
      outcome,
      is_slow: null,
      is_introduced: false,
    };
  }
  const allowsPrivate =
    settings.ENVIRONMENT === "development" && settings.PRIVATE_DAEMON_ADDRESSES === "allowed";
  const startedAt = Date.now();
  const outcome = await contactDaemon(url, token, { allowsPrivate, deadlineMs: times.deadline });
  const duration_ms = Date.now() - startedAt;
  const is_introduced = await visit(settings, daemon, outcome, { token, allowsPrivate, times });
  if (outcome.error !== null || settings.LOG_POLLS === "all") {
    const http_status = outcome.error === null ? 200 : outcome.http_status;
    const line = { event: "poll", daemon_id: id, error: outcome.error, http_status, duration_ms };
    console.log(JSON.stringify(line));
  }
  // The whole of it is what keeps others waiting.
  const is_slow = outcome.error === "timed_out" || Date.now() - startedAt > times.slow;
  return { organization_id, id, poll_generation, outcome, is_slow, is_introduced };
}

/** What follows the response of a daemon. Returns whether it has now acknowledged who the service is. */
async function visit(
  settings: Settings,
  daemon: PollMessage["daemons"][number],
  outcome: PollOutcome,
  {
    token,
    allowsPrivate,
    times,
  }: { token: string; allowsPrivate: boolean; times: typeof pollTimes },
): Promise<boolean> {
  const { network_id, has_work } = daemon;
  if (network_id === null) {
    return false;
  }
  const visited = { ...daemon, network_id };
  if (outcome.error === null) {
    const { version, isReady } = outcome;
    return visitDaemon(settings, {
      ...visited,
      access: { url: daemon.url, token, allowsPrivate },
      version,
      isReady,
      deadlineMs: times.deadline,
      signal: AbortSignal.timeout(times.visit),
    });
  }
  if (has_work && (outcome.error === "url_not_encrypted" || outcome.error === "url_forbidden")) {
    await failWork(settings, visited, outcome.error).catch(() => {
      console.error(JSON.stringify({ event: "visit", daemon_id: daemon.id, error: "database" }));
    });
  }
  return false;
}

/** Null if no key of the ring opens it for the daemon's URL: that is for the operator to mend. */
async function openToken(
  settings: Settings,
  place: Place,
  sealed: string | null,
): Promise<string | null> {
  try {
    return await keyRingOf(settings).openAtEither(sealed ?? "", place);
  } catch {
    console.error(JSON.stringify({ event: "daemon_token_unreadable", daemon_id: place.id }));
    return null;
  }
}
