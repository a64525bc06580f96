import { sql } from "drizzle-orm";
import {
  boolean,
  check,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { list, oneOf } from "./checks.ts";
import { id, times, timestamp } from "./columns.ts";
import { daemons } from "./daemons.ts";
import { organizations } from "./organizations.ts";

/** The phases in which a daemon works on a scan, in order. */
export const runningPhases = ["Pending", "Starting", "Started", "Scanning"] as const;

/** The final phases of a scan. */
export const finalPhases = ["Complete", "Failed", "Cancelled"] as const;

/** All phases of a scan, from queued to final (API contract, section 10). */
export const sessionPhases = ["Queued", ...runningPhases, ...finalPhases] as const;
export type SessionPhase = (typeof sessionPhases)[number];

/** Maximum length of a failed scan's error, in characters. */
export const maxSessionError = 500;

/**
 * The scans of daemons. `app.keep_session_forward` prevents a return to an earlier phase, and an
 * index prevents a daemon from running two scans at once. `moved_at` is the last time that the
 * daemon reported progress: a running scan that makes no progress for too long fails.
 */
export const discoverySessions = pgTable(
  "discovery_sessions",
  {
    id: id(),
    ...times(),
    organization_id: uuid()
      .notNull()
      .references(() => organizations.id, { onDelete: "cascade" }),
    network_id: uuid().notNull(),
    daemon_id: uuid().notNull(),
    /**
     * The only host that the scan may change; null for a scan of the network. No foreign key: a
     * scan keeps the id of a deleted host, since a scan without one changes every host that it
     * finds.
     */
    host_id: uuid(),
    phase: text({ enum: sessionPhases }).notNull().default("Queued"),
    subnet_ids: uuid().array(),
    /**
     * True to scan all ports; null until the scan is sent to the daemon, unless a caller has set
     * it.
     */
    is_full_scan: boolean(),
    /**
     * The time at which the daemon accepted the scan. The data that was sent with the scan is in
     * `app.handed_scans`.
     */
    initiated_at: timestamp(),
    progress: integer().notNull().default(0),
    hosts_discovered: integer(),
    estimated_remaining_secs: integer(),
    error: text(),
    started_at: timestamp(),
    finished_at: timestamp(),
    cancel_requested_at: timestamp(),
    moved_at: timestamp(),
    /**
     * The time at which the records that a complete scan did not find were closed; see the poller's
     * `visit.ts`.
     */
    settled_at: timestamp(),
    /** True if the daemon's schedule started it. */
    is_scheduled: boolean().notNull().default(false),
  },
  (table) => [
    primaryKey({ name: "discovery_sessions_pk", columns: [table.organization_id, table.id] }),
    foreignKey({
      name: "discovery_sessions_daemon_fk",
      columns: [table.organization_id, table.network_id, table.daemon_id],
      foreignColumns: [daemons.organization_id, daemons.network_id, daemons.id],
    }).onDelete("cascade"),
    index("discovery_sessions_list_index").on(table.organization_id, table.created_at, table.id),
    index("discovery_sessions_daemon_index").on(
      table.organization_id,
      table.daemon_id,
      table.created_at,
    ),
    index("discovery_sessions_network_index").on(
      table.organization_id,
      table.network_id,
      table.created_at,
    ),
    index("discovery_sessions_open_index")
      .on(table.organization_id, table.daemon_id, table.created_at, table.id)
      .where(sql`finished_at is null or (phase = 'Complete' and settled_at is null)`),
    uniqueIndex("discovery_sessions_one_runs")
      .on(table.organization_id, table.daemon_id)
      .where(sql`phase in (${list(runningPhases)})`),
    // For finding stalled scans and old scans.
    index("discovery_sessions_moved_index")
      .on(table.moved_at)
      .where(sql`phase in (${list(runningPhases)})`),
    index("discovery_sessions_finished_index")
      .on(table.finished_at)
      .where(sql`finished_at is not null`),
    check("discovery_sessions_phase_check", oneOf(table.phase, sessionPhases)),
    check("discovery_sessions_progress_check", sql`${table.progress} between 0 and 100`),
    check("discovery_sessions_hosts_check", sql`${table.hosts_discovered} >= 0`),
    check("discovery_sessions_remaining_check", sql`${table.estimated_remaining_secs} >= 0`),
    check(
      "discovery_sessions_subnets_check",
      sql`cardinality(${table.subnet_ids}) between 1 and 1000`,
    ),
    check(
      "discovery_sessions_error_check",
      sql.raw(
        `(error is not null) = (phase = 'Failed') and char_length(error) between 1 and ${maxSessionError}`,
      ),
    ),
    check(
      "discovery_sessions_started_check",
      sql`(${table.started_at} is not null) or not ${oneOf(table.phase, [...runningPhases, "Complete"])}`,
    ),
    check(
      "discovery_sessions_moved_check",
      sql`(${table.moved_at} is not null) or not ${oneOf(table.phase, runningPhases)}`,
    ),
    check(
      "discovery_sessions_settled_check",
      sql`${table.settled_at} is null or ${table.phase} = 'Complete'`,
    ),
    check(
      "discovery_sessions_finished_check",
      sql`(${table.finished_at} is not null) = (${oneOf(table.phase, finalPhases)})`,
    ),
  ],
);
