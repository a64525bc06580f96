import { sql } from "drizzle-orm";
import type { Settings } from "../env.ts";
import { runAsPoller } from "./poller.ts";

/** Rows that one statement writes: few enough that no request waits for it. */
export const sweepSize = 1000;

/** Statements of one sweep. What is beyond them goes with the next sweep. */
export const sweepSteps = 10;

/**
 * What is swept, by the event of its line in the log: a function that takes the most rows that it may
 * write, and returns how many it wrote.
 */
const sweeps = {
  /** Idempotency-Keys older than 24 hours, which count no more either: the next claim replaces one. */
  idempotency_sweep: sql`app.sweep_idempotency_keys`,
  /** Scans that ended more than 90 days ago, and what counts those asked for in a day (API contract, section 10). */
  session_sweep: sql`app.sweep_discovery_sessions`,
  /** Counters of the versions that organizations began, once no day counts them (API contract, section 6). */
  version_sweep: sql`app.sweep_version_counters`,
  /** What organizations keep no longer of the history of their inventory (API contract, section 11). */
  history_sweep: sql`app.sweep_history`,
  /** Entries of the audit log that are older than 400 days, or as old as an organization keeps them (section 11). */
  audit_sweep: sql`app.sweep_audit_log`,
  /** Deliveries of webhooks that ended more than 30 days ago (API contract, section 12). */
  webhook_delivery_sweep: sql`app.sweep_webhook_deliveries`,
  /** Scans that have stood still for five minutes, which fail. */
  stalled_sessions: sql`app.end_stalled_sessions`,
} as const;

/** A sweep of `sweeps`, step by step. */
async function sweep(settings: Settings, event: keyof typeof sweeps): Promise<void> {
  let swept = 0;
  for (let step = 0; step < sweepSteps; step++) {
    const [{ rows }] = await runAsPoller(settings, (database) => [
      database.execute<{ swept: number }>(sql`select ${sweeps[event]}(${sweepSize}) as swept`),
    ]);
    const count = rows[0]?.swept ?? 0;
    swept += count;
    if (count < sweepSize) {
      break;
    }
  }
  if (swept > 0) {
    console.log(JSON.stringify({ event, swept }));
  }
}

/** The bounds of {@link sweepStaleHosts}. A call is one transaction, and changes hosts of one organization alone. */
export const staleSweep = {
  /** Calls of one run. An organization has one of them, so where it has more to change, a run of the next minute goes on. */
  calls: 50,
  /** Hosts that one call changes, and so one run of an organization. */
  changed: sweepSize,
  /** Hosts that one call looks at. */
  lookedAt: 50_000,
};

/**
 * Sets `is_stale` of hosts that nobody has seen for as long as their network says, and clears it where the network no
 * longer says so (API contract, section 9).
 * @throws {ApiError} when the database fails
 */
export async function sweepStaleHosts(settings: Settings): Promise<void> {
  let swept = 0;
  let began_at: string | null = null;
  for (let call = 0; call < staleSweep.calls; call++) {
    const [{ rows }] = await runAsPoller(settings, (database) => [
      database.execute<{ began_at: string; swept: number; has_more: boolean }>(sql`
        select began_at::text, swept, has_more from app.sweep_stale_hosts(
          ${began_at}::timestamptz, ${staleSweep.changed}, ${staleSweep.lookedAt})`),
    ]);
    const [row] = rows;
    began_at = row?.began_at ?? null;
    swept += row?.swept ?? 0;
    if (!row?.has_more) {
      break;
    }
  }
  if (swept > 0) {
    console.log(JSON.stringify({ event: "stale_sweep", swept }));
  }
}

/**
 * Deletes Idempotency-Keys that are older than 24 hours (API contract, section 7).
 * @throws {ApiError} when the database fails
 */
export const sweepIdempotencyKeys = (settings: Settings) => sweep(settings, "idempotency_sweep");

/**
 * Deletes counters of versions that no day counts (API contract, section 6).
 * @throws {ApiError} when the database fails
 */
export const sweepVersionCounters = (settings: Settings) => sweep(settings, "version_sweep");

/**
 * Deletes what organizations keep no longer of the history of their inventory (API contract, section 11).
 * @throws {ApiError} when the database fails
 */
export const sweepHistory = (settings: Settings) => sweep(settings, "history_sweep");

/**
 * Deletes entries of the audit log that are no longer kept (API contract, section 11).
 * @throws {ApiError} when the database fails
 */
export const sweepAuditLog = (settings: Settings) => sweep(settings, "audit_sweep");

/**
 * Deletes old scans, and the count of those asked for, and fails those that stand still (API contract,
 * section 10).
 * @throws {ApiError} when the database fails
 */
export async function sweepSessions(settings: Settings): Promise<void> {
  await sweep(settings, "stalled_sessions");
  await sweep(settings, "session_sweep");
}

/**
 * Deletes deliveries of webhooks that ended long ago (API contract, section 12).
 * @throws {ApiError} when the database fails
 */
export const sweepWebhookDeliveries = (settings: Settings) =>
  sweep(settings, "webhook_delivery_sweep");
