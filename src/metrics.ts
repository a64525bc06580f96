import type { Dataset } from "./env.ts";

/** One data point. It must not contain secrets or values chosen by callers. */
interface Measured {
  event: "request" | "poll" | "poll_batch" | "webhook_delivery" | "webhook_batch" | "job";
  /** Method and pattern of the route, or the name of the job. */
  operation: string;
  /** `ok`, or a fixed word for the failure. */
  outcome: string;
  organization_id?: string | null | undefined;
  /** The HTTP status, if there is one. */
  status?: number | null;
  duration_ms?: number;
  /** The share of the database in `duration_ms`. */
  database_ms?: number;
  /** Daemons of a batch that were claimed but not polled. */
  not_polled?: number;
}

/**
 * Writes a data point to Workers Analytics Engine; does nothing without a dataset. Blobs and
 * doubles follow the order of the columns in the section on metrics of `docs/operations.md`. An
 * invocation writes one point for each daemon of its message and one more, far fewer than the
 * platform's limit of 250 (https://developers.cloudflare.com/analytics/analytics-engine/limits/).
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
    // A failed metric must not fail the request.
  }
}
