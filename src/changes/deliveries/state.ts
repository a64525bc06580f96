import { sql } from "drizzle-orm";
import type { Database } from "../../database/connection.ts";
import { runAsPoller } from "../../database/poller.ts";
import {
  type deliveryStates,
  type disabledReasons,
  webhooks,
} from "../../database/tables/index.ts";
import type { Settings } from "../../env.ts";
import type { ChangeRow } from "../model.ts";
import type { LeasedWebhook } from "./claims.ts";
import type { Outcome } from "./send.ts";

/** The next delivery of a webhook, as returned by `app.next_delivery`. */
export interface NextDelivery extends Record<string, unknown> {
  /** The generation to pass when recording the result. */
  delivery_generation: number;
  /** The id of a retried delivery; null for new changes. */
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
  /** Null if the webhook's filters exclude all changes that were read. */
  changes: ChangeRow[] | null;
  url: string;
  sealed_secrets: string[];
}

/** The kinds of deliveries that can be sent now. If both are false, the lease ends. */
export interface AllowedDeliveries {
  retries: boolean;
  newer: boolean;
}

/**
 * Reads the next delivery of a webhook with `app.next_delivery`, if this transaction has leased the
 * webhook.
 */
const next = (
  database: Database,
  { organization_id, id }: LeasedWebhook,
  { retries, newer }: AllowedDeliveries,
) =>
  database.execute<NextDelivery>(sql`
    select following.*, leased.delivery_generation::float8 as delivery_generation
    from ${webhooks} as leased
    cross join lateral app.next_delivery(
      leased.organization_id, leased.id, leased.delivery_generation, ${retries}, ${newer}) as following
    where leased.organization_id = ${organization_id} and leased.id = ${id}
      -- Another consumer may hold the same generation.
      and leased.xmin = pg_current_xact_id()::xid`);

/**
 * Takes a claimed webhook and returns its first delivery; undefined if there is none, or if another
 * consumer has taken the webhook. Increments the generation, which invalidates duplicate and late
 * messages, and consumers that were presumed dead. The claim itself may already have expired.
 * @param leaseMs duration of the lease: one delivery, and the database calls around it
 * @throws {ApiError} when the database fails
 */
export async function takeDelivery(
  settings: Settings,
  claimed: LeasedWebhook,
  leaseMs: number,
): Promise<NextDelivery | undefined> {
  const { organization_id, id, delivery_generation } = claimed;
  const [, { rows }] = await runAsPoller(settings, (database) => [
    database.execute(sql`
      update ${webhooks} as taken set lease_expires_at = now() + ${leaseOf(leaseMs)},
        delivery_generation = taken.delivery_generation + 1
      where taken.organization_id = ${organization_id} and taken.id = ${id}
        and taken.delivery_generation = ${delivery_generation}`),
    next(database, claimed, { retries: true, newer: true }),
  ]);
  return rows[0];
}

/**
 * Renews a webhook's lease and returns its next delivery. If nothing is due, ends the lease and
 * returns undefined; also returns undefined if the lease was already lost.
 * @param leaseMs as in {@link takeDelivery}
 * @throws {ApiError} when the database fails
 */
export async function nextDelivery(
  settings: Settings,
  taken: LeasedWebhook,
  allowed: AllowedDeliveries,
  leaseMs: number,
): Promise<NextDelivery | undefined> {
  const { organization_id, id, delivery_generation } = taken;
  const [, { rows }] = await runAsPoller(settings, (database) => [
    database.execute(sql`
      update ${webhooks} as leased set lease_expires_at = now() + ${leaseOf(leaseMs)}
      where leased.organization_id = ${organization_id} and leased.id = ${id}
        and leased.delivery_generation = ${delivery_generation}
        and leased.lease_expires_at > now()`),
    next(database, taken, allowed),
  ]);
  return rows[0];
}

const leaseOf = (milliseconds: number) =>
  sql`make_interval(secs => ${milliseconds / 1000}::float8)`;

/** The state of a webhook and its delivery after the result was recorded. */
export interface Recorded extends Record<string, unknown> {
  disabled_reason: (typeof disabledReasons)[number] | null;
  /** Null if the first attempt succeeded. */
  state: (typeof deliveryStates)[number] | null;
}

/**
 * Records the result of a delivery. Returns undefined if the lease has ended or another consumer
 * has taken over.
 * @param sent.isSlow true if the next delivery uses the slow queue
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
