import { sql } from "drizzle-orm";
import { runAsPoller } from "../../database/poller.ts";
import type { deliveryStates, disabledReasons } from "../../database/tables/index.ts";
import type { Settings } from "../../env.ts";
import type { ChangeRow } from "../model.ts";
import type { LeasedWebhook } from "./claims.ts";
import type { Outcome } from "./send.ts";

/** What a webhook is to be told next, as `app.next_delivery` has it. */
export interface NextDelivery extends Record<string, unknown> {
  /** Of a retry. */
  delivery_id: string | null;
  message_id: string | null;
  replays: number;
  after_at: string;
  after_entity: string;
  after_id: string;
  until_at: string;
  until_entity: string;
  until_id: string;
  has_rest: boolean;
  /** Null where it is to be told nothing of what was read. */
  changes: ChangeRow[] | null;
  url: string;
  sealed_secrets: string[];
}

/** What may be sent to a webhook now; with neither, its lease ends. */
export interface Wanted {
  retries: boolean;
  newer: boolean;
}

/**
 * What a webhook is to be told next; undefined where there is nothing, and its lease has ended.
 * @throws {ApiError} when the database fails
 */
export async function nextDelivery(
  settings: Settings,
  { organization_id, id, delivery_generation }: LeasedWebhook,
  { retries, newer }: Wanted,
): Promise<NextDelivery | undefined> {
  const [{ rows }] = await runAsPoller(settings, (database) => [
    database.execute<NextDelivery>(sql`
      select * from app.next_delivery(
        ${organization_id}, ${id}, ${delivery_generation}, ${retries}, ${newer})`),
  ]);
  return rows[0];
}

/** What has become of a webhook and its delivery. */
export interface Recorded extends Record<string, unknown> {
  disabled_reason: (typeof disabledReasons)[number] | null;
  /** Null of a delivery that was taken at once. */
  state: (typeof deliveryStates)[number] | null;
}

/**
 * Records what came of a delivery; undefined where the lease has ended or somebody has taken over.
 * @param sent.isSlow whether the next one goes to the slow lane
 * @throws {ApiError} when the database fails
 */
export async function recordDelivery(
  settings: Settings,
  { organization_id, id, delivery_generation }: LeasedWebhook,
  next: NextDelivery,
  sent: { messageId: string; outcome: Outcome; isSlow: boolean },
): Promise<Recorded | undefined> {
  const { error, http_status, duration_ms } = sent.outcome;
  const [{ rows }] = await runAsPoller(settings, (database) => [
    database.execute<Recorded>(sql`
      select * from app.record_delivery(
        ${organization_id}, ${id}, ${delivery_generation}, ${next.delivery_id}::uuid,
        ${sent.messageId}, (${next.after_at}, ${next.after_entity}, ${next.after_id})::app.change_key,
        (${next.until_at}, ${next.until_entity}, ${next.until_id})::app.change_key, ${next.has_rest},
        ${error}::text, ${error === null ? null : http_status}::integer, ${duration_ms}::integer,
        ${sent.isSlow})`),
  ]);
  return rows[0];
}
