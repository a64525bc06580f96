import { askAsPoller } from "../database/poller.ts";
import { keyRingOf } from "../database/sealing.ts";
import type { Settings } from "../env.ts";
import { contactDaemon } from "./contact.ts";
import type { PollMessage } from "./poll-cycle.ts";
import { type PollResult, recordPolls } from "./poll-state.ts";

/** Connections that the platform lets one invocation hold at a time. */
const maxConnections = 6;

/**
 * Polls the daemons of one message and records all results in one call. May run twice for a message,
 * or late: what no longer holds its lease changes nothing.
 */
export async function pollBatch(settings: Settings, { daemons }: PollMessage): Promise<void> {
  const startedAt = Date.now();
  const waiting = [...daemons];
  const results: PollResult[] = [];
  const pollNext = async (): Promise<void> => {
    for (let daemon = waiting.shift(); daemon; daemon = waiting.shift()) {
      const result = await poll(settings, daemon);
      if (result) {
        results.push(result);
      }
    }
  };
  await Promise.all(Array.from({ length: maxConnections }, pollNext));

  const [recorded] = await askAsPoller(settings, (database) => [recordPolls(database, results)]);
  const ok = results.filter(({ outcome }) => outcome.error === null).length;
  const line = {
    event: "poll_batch",
    claimed: daemons.length,
    ok,
    failed: results.length - ok,
    newly_unreachable: recorded.rows.filter(({ became_unreachable }) => became_unreachable).length,
    discarded: results.length - recorded.rows.length,
    duration_ms: Date.now() - startedAt,
  };
  console.log(JSON.stringify(line));
}

/** Polls one daemon. Null if its token does not open, which is for the operator and no failure of it. */
async function poll(
  settings: Settings,
  { id, url, sealed_token, poll_generation }: PollMessage["daemons"][number],
): Promise<PollResult | null> {
  const startedAt = Date.now();
  const token = await openToken(settings, id, sealed_token);
  if (token === null) {
    return null;
  }
  const allowsPrivate =
    settings.ENVIRONMENT === "development" && settings.PRIVATE_DAEMON_ADDRESSES === "allowed";
  const outcome = await contactDaemon(url, token, { allowsPrivate });
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
