import type { Dataset } from "./env.ts";

/** What is counted and timed. Nothing in it may be a secret, nor anything else that callers chose. */
interface Measured {
  event: "request" | "poll" | "poll_batch" | "webhook_delivery" | "webhook_batch" | "job";
  /** Method and pattern of the route, or the name of the job. */
  operation: string;
  /** `ok`, or a word of ours for what went wrong. */
  outcome: string;
  organization_id?: string | null | undefined;
  /** Of HTTP, where there is one. */
  status?: number | null;
  duration_ms?: number;
  /** How much of that the database took. */
  database_ms?: number;
  /** Daemons of a batch that were claimed and not polled. */
  not_polled?: number;
}

/**
 * Writes a data point to Workers Analytics Engine; without a dataset, nothing. The order of blobs and doubles is
 * that of the columns in the operations' section on metrics. An invocation writes one for each daemon of its message
 * and one more, far fewer than the 250 that the platform allows
 * (https://developers.cloudflare.com/analytics/analytics-engine/limits/).
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
    // Nobody's request fails for want of a figure.
  }
}
