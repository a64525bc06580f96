import type { Settings } from "../../env.ts";
import { measure } from "../../outbound/metrics.ts";
import type { LeasedWebhook } from "./claims.ts";
import type { WebhookMessage } from "./cycle.ts";
import { messageOf } from "./message.ts";
import { deliveryDeadlineMs, send } from "./send.ts";
import {
  type AllowedDeliveries,
  type NextDelivery,
  nextDelivery,
  recordDelivery,
  takeDelivery,
} from "./state.ts";

/** Limits and thresholds for deliveries, in milliseconds. */
export const deliveryTimes = {
  /** Maximum response time of a receiver. */
  deadline: deliveryDeadlineMs,
  /** Maximum duration of a visit. The remaining deliveries wait for the next cycle. */
  visit: 30_000,
  /**
   * Response time above which a receiver is considered slow: its next deliveries use the slow
   * queue.
   */
  slow: 1000,
};

/**
 * Maximum number of concurrent deliveries. The platform allows six connections; one is for the
 * database.
 */
const maxConnections = 5;

/**
 * Delivers to the webhooks of one message. The queue may deliver a message late or twice, so this
 * function skips webhooks that another consumer has taken. A result that is recorded without a
 * valid lease has no effect, but the receiver may then get the same message twice.
 * @throws {ApiError} if the database fails repeatedly, so that some results are not recorded
 */
export async function deliverBatch(
  settings: Settings,
  { webhooks }: WebhookMessage,
  times: typeof deliveryTimes = deliveryTimes,
): Promise<void> {
  const startedAt = Date.now();
  const waiting = [...webhooks];
  const line = { ok: 0, failed: 0, discarded: 0, disabled: 0 };
  const faults: unknown[] = [];
  const deliverWaiting = async (): Promise<void> => {
    for (let webhook = waiting.shift(); webhook; webhook = waiting.shift()) {
      try {
        await deliverTo(settings, webhook, times, line);
      } catch (error) {
        faults.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: maxConnections }, deliverWaiting));
  const duration_ms = Date.now() - startedAt;
  console.log(
    JSON.stringify({ event: "webhook_batch", claimed: webhooks.length, ...line, duration_ms }),
  );
  measure(settings.METRICS, {
    event: "webhook_batch",
    operation: "webhook_batch",
    outcome: "ok",
    organization_id: webhooks[0]?.organization_id,
    duration_ms,
  });
  if (faults.length > 0) {
    throw faults[0];
  }
}

/**
 * Sends one webhook's deliveries one after another, until both a retry and a new message have
 * failed, or no deliveries are left.
 */
async function deliverTo(
  settings: Settings,
  claimed: LeasedWebhook,
  times: typeof deliveryTimes,
  line: { ok: number; failed: number; discarded: number; disabled: number },
): Promise<void> {
  const endsAt = Date.now() + times.visit;
  const leaseMs = leaseMsOf(settings, times);
  const allowed: AllowedDeliveries = { retries: true, newer: true };
  let webhook = claimed;
  for (
    let next = await takeDelivery(settings, claimed, leaseMs);
    next !== undefined;
    next = await nextDelivery(
      settings,
      webhook,
      Date.now() < endsAt ? allowed : noDeliveries,
      leaseMs,
    )
  ) {
    webhook = { ...claimed, delivery_generation: next.delivery_generation };
    if (next.changes === null) {
      continue;
    }
    const message = await messageOf(settings, webhook, next, next.changes);
    const outcome = await send(settings, receiverOf(webhook, next), message, times.deadline);
    const isSlow = outcome.error === "timed_out" || outcome.duration_ms > times.slow;
    const sent = { messageId: message.id, outcome, isSlow };
    const recorded = await recordDelivery(settings, webhook, next, sent);
    logDelivery(settings, webhook, sent);
    if (recorded === undefined) {
      line.discarded += 1;
      return;
    }
    if (outcome.error === null) {
      line.ok += 1;
    } else {
      line.failed += 1;
      line.disabled += recorded.disabled_reason === null ? 0 : 1;
      allowed[next.delivery_id === null ? "newer" : "retries"] = false;
    }
  }
}

/** Allows no deliveries, which ends the webhook's lease. */
const noDeliveries: AllowedDeliveries = { retries: false, newer: false };

const receiverOf = (webhook: LeasedWebhook, { url, sealed_secrets }: NextDelivery) => ({
  organization_id: webhook.organization_id,
  webhook_id: webhook.id,
  url,
  sealed_secrets,
});

function logDelivery(
  { METRICS }: Settings,
  { organization_id, id }: LeasedWebhook,
  { outcome: { error, http_status, duration_ms } }: Parameters<typeof recordDelivery>[3],
): void {
  if (error !== null) {
    const line = { event: "webhook_delivery", webhook_id: id, error, http_status, duration_ms };
    console.log(JSON.stringify(line));
  }
  measure(METRICS, {
    event: "webhook_delivery",
    operation: "webhook_delivery",
    outcome: error ?? "ok",
    organization_id,
    status: http_status,
    duration_ms,
  });
}

/**
 * Duration of a lease, which is renewed for each delivery: the time to send and record the
 * delivery, plus a margin.
 */
const leaseMsOf = (
  { DATABASE_DEADLINE_MS }: Settings,
  { deadline }: typeof deliveryTimes,
): number => deadline + 2 * DATABASE_DEADLINE_MS + 4000;
