import type { DatabaseTime } from "../../database/poller.ts";
import { keyRingOf, type Place, tokenPlace } from "../../database/sealing.ts";
import type { Settings } from "../../env.ts";
import { measure } from "../../outbound/metrics.ts";
import { contactDaemon, contactDeadlineMs } from "./call/contact.ts";
import type { PollMessage } from "./claim/cycle.ts";
import type { PollOutcome, PollResult } from "./claim/state.ts";
import { failWork, visitDaemon } from "./visit.ts";

/** Deadlines and thresholds of a poll, in milliseconds. */
export const pollTimes = {
  /** The deadline for the status request, and for each request during a visit. */
  deadline: contactDeadlineMs,
  /** The deadline for the visit that follows a successful status request. */
  visit: 25_000,
  /** A poll that takes longer is slow: the daemon's next poll goes to the slow queue. */
  slow: 1000,
  /** The interval at which results are recorded. */
  record: 1000,
};

/** Polls one daemon, and visits it if it responds. A failed poll is a result, not an exception. */
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
  const is_introduced = await followUp(settings, leased, outcome, { token, ...reach, times });
  if (outcome.error !== null || settings.LOG_POLLS === "all") {
    const http_status = outcome.error === null ? 200 : outcome.http_status;
    const line = { event: "poll", daemon_id: id, error: outcome.error, http_status, duration_ms };
    console.log(JSON.stringify(line));
  }
  // Includes the visit, since other daemons in the message wait for both.
  const totalMs = Date.now() - startedAt;
  measurePoll(settings, organization_id, outcome, {
    duration_ms: totalMs,
    database_ms: databaseTime.ms,
  });
  const is_slow = outcome.error === "timed_out" || totalMs > times.slow;
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

/** True if daemons at private addresses and unencrypted URLs may be contacted: in development only. */
export const allowsPrivate = ({ ENVIRONMENT, PRIVATE_DAEMON_ADDRESSES }: Settings): boolean =>
  ENVIRONMENT === "development" && PRIVATE_DAEMON_ADDRESSES === "allowed";

/**
 * Visits a daemon that has responded. If the daemon must not be contacted, fails its scan.
 * @returns true if the daemon has acknowledged the service in this visit
 */
async function followUp(
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
  const lease = { ...daemon, network_id };
  if (outcome.error === null) {
    const { version, isReady } = outcome;
    return visitDaemon(settings, {
      ...lease,
      access: { url: daemon.url, token, allowsPrivate },
      version,
      isReady,
      deadlineMs: times.deadline,
      signal: AbortSignal.timeout(times.visit),
    });
  }
  if (has_work && (outcome.error === "url_not_encrypted" || outcome.error === "url_forbidden")) {
    await failWork(settings, lease, outcome.error).catch(() => {
      console.error(JSON.stringify({ event: "visit", daemon_id: daemon.id, error: "database" }));
    });
  }
  return false;
}

/**
 * Opens the token of a daemon. If no key in the ring opens it for the daemon's URL, logs the
 * problem, which an operator has to fix, and returns null.
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
