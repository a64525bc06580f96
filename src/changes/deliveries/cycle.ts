import * as z from "zod";
import type { Settings } from "../../env.ts";
import { enqueue } from "../../outbound/queues.ts";
import {
  type ClaimedWebhook,
  claimWebhooks,
  type LeasedWebhook,
  shareOfOrganization,
} from "./claims.ts";

/** A queue message: webhooks with pending deliveries. It contains no secrets. */
export const webhookMessageSchema = z.object({
  webhooks: z.array(
    z.object({
      organization_id: z.guid(),
      id: z.guid(),
      delivery_generation: z.int(),
    }),
  ),
});
export type WebhookMessage = z.output<typeof webhookMessageSchema>;

/**
 * Claims and enqueues all due webhooks. Each message contains webhooks of only one organization,
 * which are either all slow or all fast. A claimed webhook that does not reach a queue is due again
 * when its claim expires.
 * @throws {ApiError} if the database fails; also throws queue errors
 */
export async function runWebhookCycle(settings: Settings): Promise<void> {
  const line = { event: "webhook_cycle", claimed: 0, slow: 0, batches: 0 };
  const startedAt = Date.now();
  for await (const claimed of claimWebhooks(settings)) {
    const slow = claimed.filter(({ is_slow }) => is_slow).map(leaseOf);
    const others = claimed.filter(({ is_slow }) => !is_slow).map(leaseOf);
    line.claimed += claimed.length;
    line.slow += slow.length;
    line.batches += await enqueue(settings.WEBHOOK_QUEUE, others, bodyOf, shareOfOrganization);
    line.batches += await enqueue(settings.SLOW_WEBHOOK_QUEUE, slow, bodyOf, shareOfOrganization);
  }
  if (line.claimed > 0) {
    console.log(JSON.stringify({ ...line, duration_ms: Date.now() - startedAt }));
  }
}

const leaseOf = ({ is_slow: _, ...leased }: ClaimedWebhook): LeasedWebhook => leased;

const bodyOf = (webhooks: LeasedWebhook[]) => ({ webhooks }) satisfies WebhookMessage;
