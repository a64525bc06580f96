import * as z from "zod";
import type { Settings } from "../../../env.ts";
import { enqueue } from "../../../outbound/queues.ts";
import { claimFairly } from "./claims.ts";
import type { ClaimedDaemon, LeasedDaemon } from "./state.ts";

/** A queue message with daemons to poll. Tokens stay sealed. */
export const pollMessageSchema = z.object({
  daemons: z.array(
    z.object({
      organization_id: z.guid(),
      id: z.guid(),
      // Null in messages from an older version.
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
 * Runs one cycle: claims all due daemons and sends them to the queues in batches. Each message
 * contains daemons of only one organization, either all slow or all fast, so that no result waits
 * for the daemons of another organization. A claimed daemon that does not reach a queue is due
 * again when its lease ends.
 * @throws {ApiError} when the database fails; also throws queue errors
 */
export async function runPollCycle(settings: Settings): Promise<void> {
  const line = { event: "poll_cycle", claimed: 0, slow: 0, batches: 0, completed: false };
  const startedAt = Date.now();
  try {
    for await (const claimed of claimFairly(settings)) {
      const slow = claimed.filter(({ is_slow }) => is_slow).map(leaseOf);
      const others = claimed.filter(({ is_slow }) => !is_slow).map(leaseOf);
      line.claimed += claimed.length;
      line.slow += slow.length;
      line.batches += await enqueue(settings.POLL_QUEUE, others, bodyOf);
      line.batches += await enqueue(settings.SLOW_POLL_QUEUE, slow, bodyOf);
    }
    line.completed = true;
  } finally {
    console.log(JSON.stringify({ ...line, duration_ms: Date.now() - startedAt }));
  }
}

const leaseOf = ({ is_slow: _, ...leased }: ClaimedDaemon) => leased;

const bodyOf = (daemons: LeasedDaemon[]) => ({ daemons }) satisfies PollMessage;
