import * as z from "zod";
import { askAsPoller } from "../database/poller.ts";
import type { Settings } from "../env.ts";
import { type ClaimedDaemon, claimDueDaemons } from "./poll-state.ts";

/** Daemons that one statement claims. */
export const claimSize = 1000;

/**
 * Daemons that one message carries, and so one invocation polls: with six connections at a time and
 * ten seconds for each, a batch of dead ones ends in less than three minutes.
 */
export const batchSize = 100;

/** The platform's limits for a message and for what one call sends, in bytes, with some room. */
const maxMessageBytes = 100_000;
const maxSendBytes = 200_000;
const maxSendMessages = 100;

/** A message of the queue: daemons to poll. Their tokens travel as they lie, sealed. */
export const pollMessageSchema = z.object({
  daemons: z.array(
    z.object({
      id: z.guid(),
      url: z.string(),
      sealed_token: z.string(),
      poll_generation: z.int(),
      lease_expires_at: z.number(),
    }),
  ),
});
export type PollMessage = z.output<typeof pollMessageSchema>;

/**
 * One cycle of the poller: claims every daemon that is due and hands them to the queue in batches.
 * What is claimed but does not reach the queue is due again when its lease ends.
 * @throws {ApiError} when the database fails, or what the queue throws
 */
export async function runPollCycle(settings: Settings): Promise<void> {
  const line = { event: "poll_cycle", claimed: 0, batches: 0, completed: false };
  const startedAt = Date.now();
  try {
    let portion: ClaimedDaemon[];
    do {
      const [claim] = await askAsPoller(settings, (database) => [
        claimDueDaemons(database, claimSize),
      ]);
      portion = claim.rows;
      line.claimed += portion.length;
      const messages = groups(portion, batchSize, maxMessageBytes).map((daemons) => ({
        body: { daemons } satisfies PollMessage,
      }));
      for (const sent of groups(messages, maxSendMessages, maxSendBytes)) {
        await settings.POLL_QUEUE.sendBatch(sent);
        line.batches += sent.length;
      }
    } while (portion.length === claimSize);
    line.completed = true;
  } finally {
    console.log(JSON.stringify({ ...line, duration_ms: Date.now() - startedAt }));
  }
}

/** Splits a list into groups of so many members and so many bytes of JSON at most. */
function groups<Member>(members: readonly Member[], maxMembers: number, maxBytes: number) {
  const found: Member[][] = [];
  let bytes = 0;
  for (const member of members) {
    const size = new TextEncoder().encode(JSON.stringify(member)).length + 1;
    const last = found.at(-1);
    if (last && last.length < maxMembers && bytes + size <= maxBytes) {
      last.push(member);
      bytes += size;
    } else {
      found.push([member]);
      bytes = size;
    }
  }
  return found;
}
