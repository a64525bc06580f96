import * as z from "zod";
import type { QueueProducer, Settings } from "../../env.ts";
import { claimFairly } from "./claims.ts";
import type { ClaimedDaemon } from "./state.ts";

/**
 * Daemons that one message carries, and so one invocation polls: with five connections at a time and
 * ten seconds for each, a batch of dead ones ends in less than four minutes.
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
      organization_id: z.guid(),
      id: z.guid(),
      // Null in a message of the version before.
      network_id: z.guid().nullable().default(null),
      url: z.string(),
      sealed_token: z.string().nullable(),
      poll_generation: z.int(),
      lease_expires_at: z.number(),
      is_introduced: z.boolean().default(true),
      has_work: z.boolean().default(false),
    }),
  ),
});
export type PollMessage = z.output<typeof pollMessageSchema>;

/**
 * One cycle of the poller: claims every daemon that is due and hands them to the queues in batches.
 * A message holds daemons of one organization, all slow or none, so that nobody's result waits for
 * the daemons of others. What is claimed but does not reach a queue is due again when its lease ends.
 * @throws {ApiError} when the database fails, or what the queue throws
 */
export async function runPollCycle(settings: Settings): Promise<void> {
  const line = { event: "poll_cycle", claimed: 0, slow: 0, batches: 0, completed: false };
  const startedAt = Date.now();
  try {
    for await (const claimed of claimFairly(settings)) {
      const slow = claimed.filter(({ is_slow }) => is_slow);
      const others = claimed.filter(({ is_slow }) => !is_slow);
      line.claimed += claimed.length;
      line.slow += slow.length;
      line.batches += await enqueue(settings.POLL_QUEUE, others);
      line.batches += await enqueue(settings.SLOW_POLL_QUEUE, slow);
    }
    line.completed = true;
  } finally {
    console.log(JSON.stringify({ ...line, duration_ms: Date.now() - startedAt }));
  }
}

/** Sends daemons to a queue. Returns the number of messages. */
async function enqueue(queue: QueueProducer, claimed: readonly ClaimedDaemon[]): Promise<number> {
  const messages = [...Map.groupBy(claimed, ({ organization_id }) => organization_id).values()]
    .flatMap((ofOrganization) => groups(ofOrganization.map(leaseOf), batchSize, maxMessageBytes))
    .map((daemons) => ({ body: { daemons } satisfies PollMessage }));
  for (const sent of groups(messages, maxSendMessages, maxSendBytes)) {
    await queue.sendBatch(sent);
  }
  return messages.length;
}

const leaseOf = ({ is_slow: _, ...leased }: ClaimedDaemon) => leased;

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
