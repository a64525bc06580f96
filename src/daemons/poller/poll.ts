import type { DatabaseTime } from "../../database/poller.ts";
import { keyRingOf, type Place, tokenPlace } from "../../database/sealing.ts";
import type { Settings } from "../../env.ts";
import { measure } from "../../metrics.ts";
import { contactDaemon, contactDeadlineMs } from "./call/contact.ts";
import type { PollMessage } from "./claim/cycle.ts";
import type { PollOutcome, PollResult } from "./claim/state.ts";
import { failWork, visitDaemon } from "./visit.ts";

/** Times of a poll, in milliseconds. */
export const pollTimes = {
  /** How long a daemon may take to respond. */
  deadline: contactDeadlineMs,
  /** How long everything that follows a daemon's response may take: its report and its scans. */
  visit: 25_000,
  /** From how long on it is slow: the daemon's next poll is then in the slow lane. */
  slow: 1000,
  /** How long a result may wait for others to be recorded with. */
  record: 1000,
};

/** Polls one daemon, and visits it if it responds. A failure is a result as well. */
export async function poll(
  settings: Settings,
  daemon: PollMessage["daemons"][number],
  times: typeof pollTimes,
): Promise<PollResult> {
  const { organization_id, id, url, sealed_token, poll_generation } = daemon;
  const token = await openToken(settings, tokenPlace(organization_id, id, url), sealed_token);
  if (token === null) {
    const outcome = { error: "token_unreadable", http_status: null } as const;
    measurePoll(settings, organization_id, outcome, {});
    return {
      organization_id,
      id,
      poll_generation,
      outcome,
      is_slow: null,
      is_introduced: false,
    };
  }
  const reach = { allowsPrivate: allowsPrivate(settings), deadlineMs: times.deadline };
  const databaseTime: DatabaseTime = { ms: 0 };
  const startedAt = Date.now();
  const outcome = await contactDaemon(url, token, reach);
  const duration_ms = Date.now() - startedAt;
  const leased = { ...daemon, databaseTime };
  const is_introduced = await visit(settings, leased, outcome, { token, ...reach, times });
  if (outcome.error !== null || settings.LOG_POLLS === "all") {
    const http_status = outcome.error === null ? 200 : outcome.http_status;
    const line = { event: "poll", daemon_id: id, error: outcome.error, http_status, duration_ms };
    console.log(JSON.stringify(line));
  }
  // The whole of it keeps others waiting.
  const wholeMs = Date.now() - startedAt;
  measurePoll(settings, organization_id, outcome, {
    duration_ms: wholeMs,
    database_ms: databaseTime.ms,
  });
  const is_slow = outcome.error === "timed_out" || wholeMs > times.slow;
  return { organization_id, id, poll_generation, outcome, is_slow, is_introduced };
}

const measurePoll = (
  { METRICS }: Settings,
  organization_id: string,
  { error, ...rest }: PollOutcome,
  times: { duration_ms?: number; database_ms?: number },
) =>
  measure(METRICS, {
    event: "poll",
    operation: "poll",
    outcome: error ?? "ok",
    organization_id,
    status: "http_status" in rest ? rest.http_status : 200,
    ...times,
  });

/** Whether daemons at private addresses, and without encryption, may be contacted. */
export const allowsPrivate = ({ ENVIRONMENT, PRIVATE_DAEMON_ADDRESSES }: Settings): boolean =>
  ENVIRONMENT === "development" && PRIVATE_DAEMON_ADDRESSES === "allowed";

/** What follows the response of a daemon. Returns whether it has now acknowledged who the service is. */
async function visit(
  settings: Settings,
  daemon: PollMessage["daemons"][number] & { databaseTime: DatabaseTime },
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

/**
 * The token of a daemon; null, and a line in the log, if no key of the ring opens it for the daemon's
 * URL: that is for the operator to mend.
 */
export async function openToken(
  settings: Settings,
  place: Place,
  sealed: string | null,
): Promise<string | null> {
  try {
    return await keyRingOf(settings).open(sealed ?? "", place);
  } catch {
    console.error(JSON.stringify({ event: "daemon_token_unreadable", daemon_id: place.id }));
    return null;
  }
}
