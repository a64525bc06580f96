import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  cidr,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid,
} from "drizzle-orm/pg-core";
import { oneOf, upTo } from "./checks.ts";
import { id, sortableText, times, timestamp } from "./columns.ts";
import { hosts } from "./hosts.ts";
import { networks } from "./networks.ts";
import { organizations } from "./organizations.ts";
import { ownData, ownDataRules } from "./own-data.ts";
import { tags } from "./tags.ts";

/** The number of consecutive failures after which a daemon is considered unreachable. */
export const unreachableAfterFailures = 5;

/** The reasons why a daemon could not be reached or was not contacted. */
export const contactErrors = [
  "dns_failed",
  "connection_refused",
  "timed_out",
  "tls_failed",
  "http_status",
  "not_json",
  "wrong_shape",
  "too_large",
  "redirected",
  "url_forbidden",
  "url_not_encrypted",
  "token_unreadable",
] as const;
export type ContactError = (typeof contactErrors)[number];

/** Maximum number of attached networks that are stored for a daemon. */
export const maximumInterfacedCidrs = 100;

/**
 * The largest generation of a daemon: the largest integer that JSON represents exactly. The
 * generation after it is 1.
 */
export const maxPollGeneration = Number.MAX_SAFE_INTEGER;

/**
 * The discovery agents that the service polls. A poll holds the daemon's lease, which expires.
 * `poll_generation` changes with every claim and every reset, and results of earlier generations
 * are discarded. The poller may claim a daemon from `due_at` on, and `due_at` is never earlier than
 * the end of the lease. `is_slow` refers to the last poll.
 */
export const daemons = pgTable(
  "daemons",
  {
    id: id(),
    ...times(),
    organization_id: uuid()
      .notNull()
      .references(() => organizations.id, { onDelete: "cascade" }),
    network_id: uuid().notNull(),
    host_id: uuid(),
    /**
     * The last time that the daemon acknowledged the service's introduction; null before the first
     * acknowledgement.
     */
    introduced_at: timestamp(),
    name: sortableText().notNull(),
    ...ownData(),
    url: text().notNull(),
    version: text(),
    last_seen_at: timestamp(),
    consecutive_failures: integer().notNull().default(0),
    unreachable_since: timestamp(),
    is_unreachable: boolean().notNull().generatedAlwaysAs(sql`unreachable_since is not null`),
    last_error: text({ enum: contactErrors }),
    last_error_http_status: integer(),
    last_error_at: timestamp(),
    next_poll_at: timestamp().default(sql`now()`),
    lease_expires_at: timestamp(),
    due_at: timestamp().generatedAlwaysAs(sql`greatest(next_poll_at, lease_expires_at)`),
    schedule_cron: text(),
    schedule_timezone: text(),
    /** True if scheduled scans are full; null to derive this from earlier scans. */
    schedule_is_full_scan: boolean(),
    /** The next time that the schedule is due. */
    next_scan_at: timestamp(),
    poll_generation: bigint({ mode: "number" }).notNull().default(0),
    is_slow: boolean().notNull().default(false),
    /** True if the daemon's scans receive credentials. Enabling this requires the Admin role. */
    receives_credentials: boolean().notNull().default(false),
    /** True if the daemon can query a Docker engine, according to its last status. */
    has_docker_socket: boolean().notNull().default(false),
    /** The networks that the daemon is attached to, according to its last status. */
    interfaced_cidrs: cidr().array().notNull().default([]),
  },
  (table) => [
    primaryKey({ name: "daemons_pk", columns: [table.organization_id, table.id] }),
    // Scans refer to this constraint, so that a scan always has its daemon's network.
    unique("daemons_network_unique").on(table.organization_id, table.network_id, table.id),
    index("daemons_network_index").on(table.organization_id, table.network_id),
    index("daemons_list_index").on(table.organization_id, table.created_at, table.id),
    index("daemons_due_index")
      .on(table.organization_id, table.due_at)
      .where(sql`due_at is not null`),
    index("daemons_next_scan_index").on(table.next_scan_at).where(sql`next_scan_at is not null`),
    index("daemons_host_index").on(table.host_id).where(sql`host_id is not null`),
    foreignKey({
      name: "daemons_network_fk",
      columns: [table.organization_id, table.network_id],
      foreignColumns: [networks.organization_id, networks.id],
    }).onDelete("cascade"),
    // When the host is deleted, only host_id is set to null. Drizzle cannot express this: see
    // `drizzle/rules/daemons.sql`.
    foreignKey({
      name: "daemons_host_fk",
      columns: [table.organization_id, table.network_id, table.host_id],
      foreignColumns: [hosts.organization_id, hosts.network_id, hosts.current_id],
    }).onDelete("set null"),
    check(
      "daemons_interfaced_cidrs_check",
      sql.raw(`cardinality(interfaced_cidrs) <= ${maximumInterfacedCidrs}`),
    ),
    check("daemons_schedule_cron_check", upTo(table.schedule_cron, 100)),
    check("daemons_schedule_timezone_check", upTo(table.schedule_timezone, 64)),
    check(
      "daemons_schedule_check",
      sql`(${table.schedule_cron} is null) = (${table.schedule_timezone} is null)
        and (${table.schedule_is_full_scan} is null or ${table.schedule_cron} is not null)
        and (${table.next_scan_at} is null or ${table.schedule_cron} is not null)`,
    ),
    ...ownDataRules("daemons", table),
    check("daemons_name_check", sql`char_length(${table.name}) between 1 and 100`),
    check("daemons_url_check", sql`char_length(${table.url}) between 1 and 2048`),
    check("daemons_version_check", sql`char_length(${table.version}) between 1 and 64`),
    // Rejects control and text-direction characters, because versions are printed to terminals.
    check(
      "daemons_version_characters_check",
      sql.raw(
        String.raw`version !~ '[\u0001-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]'`,
      ),
    ),
    check(
      "daemons_poll_generation_check",
      sql.raw(`poll_generation between 0 and ${maxPollGeneration}`),
    ),
    check("daemons_failures_check", sql`${table.consecutive_failures} >= 0`),
    check(
      "daemons_unreachable_check",
      sql.raw(
        `(unreachable_since is not null) = (consecutive_failures >= ${unreachableAfterFailures})`,
      ),
    ),
    // An unreachable daemon is not polled; every other daemon has a time for its next poll.
    check(
      "daemons_next_poll_check",
      sql`(${table.unreachable_since} is null) = (${table.next_poll_at} is not null)`,
    ),
    check(
      "daemons_lease_check",
      sql`${table.lease_expires_at} is null or ${table.next_poll_at} is not null`,
    ),
    check("daemons_last_error_check", oneOf(table.last_error, contactErrors)),
    check(
      "daemons_last_error_at_check",
      sql`(${table.last_error} is null) = (${table.last_error_at} is null)`,
    ),
    check("daemons_http_status_range_check", sql`last_error_http_status between 100 and 599`),
    // A status outside this range is invalid in HTTP. It is recorded as the error `http_status`
    // with a null status.
    check(
      "daemons_last_error_http_status_check",
      sql.raw(`case when last_error_http_status is null then last_error is distinct from 'redirected'
        else coalesce(last_error in ('http_status', 'redirected'), false) end`),
    ),
    check(
      "daemons_failures_have_an_error_check",
      sql`${table.consecutive_failures} = 0 or ${table.last_error} is not null`,
    ),
  ],
);

export const daemonTags = pgTable(
  "daemon_tags",
  {
    organization_id: uuid().notNull(),
    daemon_id: uuid().notNull(),
    tag_id: uuid().notNull(),
  },
  (table) => [
    primaryKey({
      name: "daemon_tags_pk",
      columns: [table.organization_id, table.daemon_id, table.tag_id],
    }),
    index("daemon_tags_tag_index").on(table.tag_id),
    foreignKey({
      name: "daemon_tags_daemon_fk",
      columns: [table.organization_id, table.daemon_id],
      foreignColumns: [daemons.organization_id, daemons.id],
    }).onDelete("cascade"),
    foreignKey({
      name: "daemon_tags_tag_fk",
      columns: [table.organization_id, table.tag_id],
      foreignColumns: [tags.organization_id, tags.id],
    }).onDelete("cascade"),
  ],
);
