import { sql } from "drizzle-orm";
import type { Settings } from "../env.ts";
import { runAsPoller } from "./poller.ts";

/** Maximum number of rows per statement, small enough that requests do not wait for its locks. */
export const sweepSize = 1000;

/** Maximum number of statements per run. The next run continues with the rest. */
export const sweepSteps = 10;

/**
 * The functions that each sweep one batch, keyed by the event in their log lines. A function takes
 * the maximum number of rows and returns the number of rows written.
 */
const sweeps = {
  /**
   * Idempotency-Keys older than 24 hours (API contract, section 7), which the next request with the
   * same key would replace anyway.
   */
  idempotency_sweep: sql`app.sweep_idempotency_keys`,
  /** Tokens that expired more than five minutes ago (API contract, section 8). */
  token_sweep: sql`app.sweep_user_api_tokens`,
  /**
   * Scans that ended more than 90 days ago, and the daily counters of requested scans (API
   * contract, section 10).
   */
  session_sweep: sql`app.sweep_discovery_sessions`,
  /**
   * Version counters for days that are no longer relevant to the limits (API contract, section 6).
   */
  version_sweep: sql`app.sweep_version_counters`,
  /**
   * Inventory history that is older than the organization's `history_days` (API contract, section
   * 11).
   */
  history_sweep: sql`app.sweep_history`,
  /**
   * Audit entries that are older than 400 days, or than `history_days` if that is longer (API
   * contract, section 11).
   */
  audit_sweep: sql`app.sweep_audit_log`,
  /**
   * Organizations that were deleted more than 30 days ago, with all of their rows (API contract,
   * section 15).
   */
  organization_sweep: sql`app.sweep_organizations`,
  /** Webhook deliveries that ended more than 30 days ago (API contract, section 12). */
  webhook_delivery_sweep: sql`app.sweep_webhook_deliveries`,
  /**
   * Scans that have not made progress for five minutes, which are marked as failed (API contract,
   * section 10).
   */
  stalled_sessions: sql`app.end_stalled_sessions`,
  /** The usage of organizations per day, for billing (API contract, section 15). */
  usage_count: sql`app.count_usage`,
  /** Changes to the numbers of live records, which are replaced by their sums. */
  count_fold: sql`app.fold_count_deltas`,
} as const;

/**
 * Maximum number of rows per statement of the `count_fold` sweep. No request waits for its locks.
 */
export const foldSize = 10_000;

/**
 * Runs one sweep, in at most {@link sweepSteps} steps, and logs the number of rows.
 * @param size the maximum number of rows per step
 * @returns true if rows may be left for the next run
 * @throws {ApiError} when the database fails
 */
export async function sweep(
  settings: Settings,
  event: keyof typeof sweeps,
  size = sweepSize,
): Promise<boolean> {
  let swept = 0;
  let hasMore = true;
  for (let step = 0; hasMore && step < sweepSteps; step++) {
    const [{ rows }] = await runAsPoller(settings, (database) => [
      database.execute<{ swept: number }>(sql`select ${sweeps[event]}(${size}) as swept`),
    ]);
    const count = rows[0]?.swept ?? 0;
    swept += count;
    hasMore = count >= size;
  }
  if (swept > 0) {
    console.log(JSON.stringify({ event, swept }));
  }
  return hasMore;
}

/**
 * Limits for {@link sweepStaleHosts}. A call is one transaction and changes hosts of one
 * organization only.
 */
export const staleSweep = {
  /**
   * Maximum number of calls per run. Each call handles one organization; the next minute's run
   * continues with the hosts that are left.
   */
  calls: 50,
  /** Maximum number of hosts that one call changes. */
  changed: sweepSize,
  /** Maximum number of hosts that one call reads. */
  lookedAt: 50_000,
};

interface StaleSweep extends Record<string, unknown> {
  began_at: string;
  swept: number;
  has_more: boolean;
  changed_organization: string | null;
}

/**
 * Sets `is_stale` on hosts whose `last_seen_at` is older than their network's `stale_after_hours`,
 * and clears it on hosts whose network now allows more hours (API contract, section 9).
 * @param announce called for each organization whose hosts have changed
 * @returns true if hosts may be left for the next run
 * @throws {ApiError} when the database fails
 */
export async function sweepStaleHosts(
  settings: Settings,
  announce: (organizationId: string) => Promise<void>,
): Promise<boolean> {
  let swept = 0;
  let hasMore = true;
  let began_at: string | null = null;
  for (let call = 0; hasMore && call < staleSweep.calls; call++) {
    const [{ rows }] = await runAsPoller(settings, (database) => [
      database.execute<StaleSweep>(sql`
        select began_at::text, swept, has_more, changed_organization from app.sweep_stale_hosts(
          ${began_at}::timestamptz, ${staleSweep.changed}, ${staleSweep.lookedAt})`),
    ]);
    const [row] = rows;
    began_at = row?.began_at ?? null;
    swept += row?.swept ?? 0;
    hasMore = row?.has_more ?? false;
    if (row?.changed_organization) {
      await announce(row.changed_organization);
    }
  }
  if (swept > 0) {
    console.log(JSON.stringify({ event: "stale_sweep", swept }));
  }
  return hasMore;
}

/**
 * Returns the number of milliseconds until a job whose time is promised has something to do.
 * @param maximum the result if nothing is due by then, in milliseconds
 * @throws {ApiError} when the database fails
 */
export async function msUntilDue(settings: Settings, maximum: number): Promise<number> {
  const [{ rows }] = await runAsPoller(settings, (database) => [
    database.execute<{ ms: number }>(sql`select app.ms_until_due(${maximum})::float8 as ms`),
  ]);
  return rows[0]?.ms ?? 0;
}
