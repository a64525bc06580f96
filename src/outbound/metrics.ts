import type { Dataset } from "../env.ts";

/** The kinds of data points. */
export const measuredEvents = [
  "request",
  "poll",
  "poll_batch",
  "webhook_delivery",
  "webhook_batch",
  "job",
] as const;

/** One data point. It must not contain secrets or values chosen by callers. */
interface Measured {
  event: (typeof measuredEvents)[number];
  /** The route's method and pattern, or the job name. */
  operation: string;
  /** `ok`, or the code of the failure. */
  outcome: string;
  organization_id?: string | null | undefined;
  /** The HTTP status, if there is one. */
  status?: number | null;
  duration_ms?: number;
  /** The part of `duration_ms` that was spent on database calls. */
  database_ms?: number;
  /** The number of daemons in a batch that were claimed but not polled. */
  not_polled?: number;
}

/**
 * Writes a data point to Workers Analytics Engine; does nothing without a dataset. Blobs and
 * doubles are in the order of the columns in `docs/operations/alerts.md`. An
 * invocation writes one point for each daemon in its message and one more, far below the platform's
 * limit of 250 (https://developers.cloudflare.com/analytics/analytics-engine/limits/).
 */
export function measure(dataset: Dataset | undefined, measured: Measured): void {
  const { event, operation, outcome, organization_id, status } = measured;
  const { duration_ms = 0, database_ms = 0, not_polled = 0 } = measured;
  try {
    dataset?.writeDataPoint({
      indexes: [organization_id ?? "none"],
      blobs: [event, operation, outcome],
      doubles: [status ?? 0, duration_ms, database_ms, not_polled],
    });
  } catch {
    // A metric that cannot be written must not make the request fail.
  }
}
