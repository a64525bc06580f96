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

/** What a webhook is to be told next, as `app.next_delivery` has it. */
export interface NextDelivery extends Record<string, unknown> {
  /** By which its end is recorded. */
  delivery_generation: number;
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

/** What a webhook is to be told next, by `app.next_delivery`, where this transaction has just leased it. */
const next = (
  database: Database,
  { organization_id, id }: LeasedWebhook,
  { retries, newer }: Wanted,
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
 * Takes a webhook that a cycle has claimed, and says what it is to be told first; undefined where there is nothing, or
 * another consumer has taken it. The generation moves, so what others hold of the webhook is void: a message that comes
 * twice or late, and a consumer that was thought dead. The claim itself may have ended.
 * @param leaseMs how long the lease holds: one delivery, and the calls of the database around it
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
 * What a webhook is to be told next, and its lease anew; undefined where there is nothing, and its lease has ended.
 * @param leaseMs as of {@link takeDelivery}
 * @throws {ApiError} when the database fails
 */
export async function nextDelivery(
  settings: Settings,
  taken: LeasedWebhook,
  wanted: Wanted,
  leaseMs: number,
): Promise<NextDelivery | undefined> {
  const { organization_id, id, delivery_generation } = taken;
  const [, { rows }] = await runAsPoller(settings, (database) => [
    database.execute(sql`
      update ${webhooks} as leased set lease_expires_at = now() + ${leaseOf(leaseMs)}
      where leased.organization_id = ${organization_id} and leased.id = ${id}
        and leased.delivery_generation = ${delivery_generation}
        and leased.lease_expires_at > now()`),
    next(database, taken, wanted),
  ]);
  return rows[0];
}

const leaseOf = (milliseconds: number) =>
  sql`make_interval(secs => ${milliseconds / 1000}::float8)`;

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
