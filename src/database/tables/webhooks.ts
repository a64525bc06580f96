import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uuid,
} from "drizzle-orm/pg-core";
import { oneOf, someOf, upTo } from "./checks.ts";
import { id, sortableText, times, timestamp } from "./columns.ts";
import { sealedForm } from "./daemon-secrets.ts";
import { organizations } from "./organizations.ts";

/**
 * The kinds of records in changes, in the order in which changes are sorted, as in
 * `app.change_kinds`.
 */
export const changeEntities = [
  "Binding",
  "Host",
  "IPAddress",
  "Interface",
  "Neighbor",
  "Port",
  "Service",
  "Subnet",
] as const;

export const changeKinds = ["created", "updated", "deleted", "returned"] as const;

/** The reasons why a webhook can be disabled. */
export const disabledReasons = ["requested", "failing", "gone"] as const;

/** The reasons why a delivery was not accepted or not sent. */
export const deliveryErrors = [
  "dns_failed",
  "connection_refused",
  "timed_out",
  "tls_failed",
  "http_status",
  "redirected",
  "url_forbidden",
  "url_not_encrypted",
  "secret_unreadable",
  "history_expired",
] as const;
export type DeliveryError = (typeof deliveryErrors)[number];

/** The states of a delivery that has failed at least once. */
export const deliveryStates = ["retrying", "delivered", "failed"] as const;

/**
 * True if a status is consistent with an error. For `http_status`, a status that is invalid in HTTP
 * is stored as null.
 */
const statusOfError = (error: string, status: string) =>
  sql.raw(`${status} between 100 and 599
    and ${error} is not null and ${error} in ('http_status', 'redirected')
    or ${status} is null and ${error} is distinct from 'redirected'`);

/**
 * The webhooks that receive an organization's changes. A delivery run holds the webhook's lease,
 * which expires. `delivery_generation` changes with every claim and every replay, and results of
 * earlier generations are discarded.
 *
 * All changes in the feed up to `position_*` have been delivered, or have failed and have a row in
 * `webhook_deliveries`. `newer_at` is the time from which later changes may be sent; it is null
 * while too many deliveries wait for their retries. `retry_at` is the time of the first due retry.
 */
export const webhooks = pgTable(
  "webhooks",
  {
    id: id(),
    ...times(),
    organization_id: uuid()
      .notNull()
      .references(() => organizations.id, { onDelete: "cascade" }),
    name: sortableText().notNull(),
    url: text().notNull(),
    /** An empty array means all kinds. */
    entities: text({ enum: changeEntities }).array().notNull().default([]),
    /** An empty array means all kinds. */
    changes: text({ enum: changeKinds }).array().notNull().default([]),
    /** The networks that the webhook is limited to; null for all networks. */
    network_ids: uuid().array(),
    disabled_reason: text({ enum: disabledReasons }),
    is_enabled: boolean().notNull().generatedAlwaysAs(sql`disabled_reason is null`),
    secret_hint: text().notNull(),
    last_success_at: timestamp(),
    last_failure_at: timestamp(),
    last_error: text({ enum: deliveryErrors }),
    last_error_http_status: integer(),
    /** The time of the first failure since the last success; null after a success. */
    failing_since: timestamp(),
    position_at: timestamp().notNull(),
    position_entity: text().notNull(),
    position_id: uuid().notNull(),
    /** The number of replays. Replayed messages have new ids. */
    replays: integer().notNull().default(0),
    newer_at: timestamp().default(sql`now()`),
    retry_at: timestamp(),
    lease_expires_at: timestamp(),
    delivery_generation: bigint({ mode: "number" }).notNull().default(0),
    /** True if the receiver responded slowly to the last delivery. */
    is_slow: boolean().notNull().default(false),
  },
  (table) => [
    primaryKey({ name: "webhooks_pk", columns: [table.organization_id, table.id] }),
    index("webhooks_list_index").on(table.organization_id, table.created_at, table.id),
    index("webhooks_enabled_index")
      .on(table.organization_id, table.id)
      .where(sql`disabled_reason is null`),
    check("webhooks_name_check", sql`char_length(${table.name}) between 1 and 100`),
    check("webhooks_url_check", sql`char_length(${table.url}) between 1 and 2048`),
    check("webhooks_entities_check", someOf(table.entities, changeEntities)),
    check("webhooks_entities_count_check", sql`cardinality(entities) <= 8`),
    check("webhooks_changes_check", someOf(table.changes, changeKinds)),
    check("webhooks_changes_count_check", sql`cardinality(changes) <= 4`),
    check("webhooks_network_ids_check", sql`cardinality(network_ids) <= 1000`),
    check("webhooks_disabled_reason_check", oneOf(table.disabled_reason, disabledReasons)),
    check("webhooks_secret_hint_check", sql`char_length(secret_hint) = 4`),
    check("webhooks_last_error_check", oneOf(table.last_error, deliveryErrors)),
    check(
      "webhooks_last_failure_check",
      sql`(${table.last_error} is null) = (${table.last_failure_at} is null)`,
    ),
    check("webhooks_status_check", statusOfError("last_error", "last_error_http_status")),
    check("webhooks_position_entity_check", upTo(table.position_entity, 32)),
    check("webhooks_replays_check", sql`replays >= 0`),
    check("webhooks_generation_check", sql`delivery_generation >= 0`),
  ],
);

/**
 * The sealed secrets of webhooks: the current secret and, for a while after a rotation, the
 * previous secret.
 */
export const webhookSecrets = pgTable(
  "webhook_secrets",
  {
    organization_id: uuid().notNull(),
    webhook_id: uuid().notNull(),
    is_former: boolean().notNull(),
    sealed: text().notNull(),
    expires_at: timestamp(),
  },
  (table) => [
    primaryKey({
      name: "webhook_secrets_pk",
      columns: [table.organization_id, table.webhook_id, table.is_former],
    }),
    foreignKey({
      name: "webhook_secrets_webhook_fk",
      columns: [table.organization_id, table.webhook_id],
      foreignColumns: [webhooks.organization_id, webhooks.id],
    }).onDelete("cascade"),
    check("webhook_secrets_sealed_check", sql.raw(`sealed ~ '${sealedForm}'`)),
    check("webhook_secrets_length_check", sql`char_length(${table.sealed}) <= 4096`),
    check("webhook_secrets_expiry_check", sql`is_former = (expires_at is not null)`),
  ],
);

/**
 * Deliveries that have failed at least once. Each delivery covers a range of the feed, after
 * `after_*` and up to `until_*`, which is read again for each retry.
 */
export const webhookDeliveries = pgTable(
  "webhook_deliveries",
  {
    id: id(),
    created_at: timestamp().notNull().default(sql`now()`),
    organization_id: uuid().notNull(),
    webhook_id: uuid().notNull(),
    /** The `webhook-id` header. */
    message_id: text().notNull(),
    after_at: timestamp().notNull(),
    after_entity: text().notNull(),
    after_id: uuid().notNull(),
    until_at: timestamp().notNull(),
    until_entity: text().notNull(),
    until_id: uuid().notNull(),
    state: text({ enum: deliveryStates }).notNull(),
    attempt_count: integer().notNull(),
    last_attempt_at: timestamp().notNull(),
    next_attempt_at: timestamp(),
    duration_ms: integer().notNull(),
    /** The error from the last attempt. */
    error: text({ enum: deliveryErrors }),
    http_status: integer(),
  },
  (table) => [
    primaryKey({ name: "webhook_deliveries_pk", columns: [table.organization_id, table.id] }),
    index("webhook_deliveries_list_index").on(
      table.organization_id,
      table.webhook_id,
      table.created_at,
      table.id,
    ),
    index("webhook_deliveries_due_index")
      .on(table.organization_id, table.webhook_id, table.next_attempt_at)
      .where(sql`state = 'retrying'`),
    index("webhook_deliveries_ended_index")
      .on(table.last_attempt_at)
      .where(sql`state <> 'retrying'`),
    foreignKey({
      name: "webhook_deliveries_webhook_fk",
      columns: [table.organization_id, table.webhook_id],
      foreignColumns: [webhooks.organization_id, webhooks.id],
    }).onDelete("cascade"),
    check("webhook_deliveries_message_check", upTo(table.message_id, 64)),
    check("webhook_deliveries_state_check", oneOf(table.state, deliveryStates)),
    check("webhook_deliveries_after_check", upTo(table.after_entity, 32)),
    check("webhook_deliveries_until_check", upTo(table.until_entity, 32)),
    check(
      "webhook_deliveries_next_check",
      sql`(state = 'retrying') = (next_attempt_at is not null)`,
    ),
    check("webhook_deliveries_attempts_check", sql`attempt_count > 0`),
    check("webhook_deliveries_duration_check", sql`duration_ms >= 0`),
    check("webhook_deliveries_error_check", oneOf(table.error, deliveryErrors)),
    check("webhook_deliveries_ended_check", sql`(state = 'delivered') = (error is null)`),
    check("webhook_deliveries_status_check", statusOfError("error", "http_status")),
  ],
);
