import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  foreignKey,
  index,
  integer,
  pgTable,
  text,
  unique,
  uuid,
} from "drizzle-orm/pg-core";
import { oneOf } from "./checks.ts";
import { id, instant, times } from "./columns.ts";
import { networks } from "./inventory.ts";
import { organizations } from "./organizations.ts";

/** Failures in a row after which a daemon counts as unreachable. */
export const unreachableAfterFailures = 5;

/** Why a daemon was not reached. */
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
] as const;
export type ContactError = (typeof contactErrors)[number];

/**
 * The discovery agents that the service polls. Who polls one holds its lease, which ends by itself;
 * `poll_generation` grows with every claim and every reset, and a result of an earlier one is void.
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
    name: text().notNull(),
    url: text().notNull(),
    sealed_token: text().notNull(),
    version: text(),
    last_seen_at: instant(),
    consecutive_failures: integer().notNull().default(0),
    unreachable_since: instant(),
    is_unreachable: boolean().notNull().generatedAlwaysAs(sql`unreachable_since is not null`),
    last_error: text({ enum: contactErrors }),
    last_error_http_status: integer(),
    last_error_at: instant(),
    next_poll_at: instant().default(sql`now()`),
    lease_expires_at: instant(),
    poll_generation: bigint({ mode: "number" }).notNull().default(0),
  },
  (table) => [
    unique("daemons_tenant_unique").on(table.organization_id, table.id),
    index("daemons_network_index").on(table.organization_id, table.network_id),
    index("daemons_list_index").on(table.organization_id, table.created_at, table.id),
    index("daemons_due_index").on(table.next_poll_at).where(sql`next_poll_at is not null`),
    foreignKey({
      name: "daemons_network_fk",
      columns: [table.organization_id, table.network_id],
      foreignColumns: [networks.organization_id, networks.id],
    }).onDelete("cascade"),
    check("daemons_name_check", sql`char_length(${table.name}) between 1 and 255`),
    check("daemons_url_check", sql`char_length(${table.url}) between 1 and 2048`),
    // A message of the poller's queue must hold it.
    check("daemons_sealed_token_check", sql`char_length(${table.sealed_token}) between 1 and 4096`),
    check("daemons_version_check", sql`char_length(${table.version}) between 1 and 64`),
    check("daemons_failures_check", sql`${table.consecutive_failures} >= 0`),
    check(
      "daemons_unreachable_check",
      sql.raw(
        `(unreachable_since is not null) = (consecutive_failures >= ${unreachableAfterFailures})`,
      ),
    ),
    // An unreachable daemon is left alone, every other one has its next poll.
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
    check(
      "daemons_last_error_http_status_check",
      sql.raw(
        "(last_error_http_status is not null) = coalesce(last_error in ('http_status', 'redirected'), false)",
      ),
    ),
    check(
      "daemons_failures_have_an_error_check",
      sql`${table.consecutive_failures} = 0 or ${table.last_error} is not null`,
    ),
  ],
);
