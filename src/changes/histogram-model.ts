import * as z from "zod";
import { rfc3339 } from "../database/tables/columns.ts";
import { maximumInteger } from "../http/input/integer.ts";
import { timestamp } from "../http/input/timestamp.ts";

const count = z.int().min(0).max(maximumInteger);

const countOrNone = (description: string) => count.nullable().meta({ description });

/** A bucket that contains changes (API contract, section 11). */
const bucketSchema = z
  .object({
    at: timestamp.meta({
      description:
        "The start of the bucket, which contains the changes after it, up to `at` + `interval_ms`.",
    }),
    begun: countOrNone("The number of `created` and `returned` records; null in an estimate."),
    changed: countOrNone("The number of `updated` records; null in an estimate."),
    ended: countOrNone("The number of `deleted` records; null in an estimate."),
    transactions: count.min(1).meta({
      description: "The number of transactions; in an estimate, there can be more.",
    }),
    first_at: timestamp.meta({ description: "The instant of the first change." }),
    last_at: timestamp.meta({ description: "The instant of the last change." }),
  })
  .meta({ id: "ChangeBucket", description: "The number of changes in a part of an interval." });

/** The number of changes in each bucket of an interval (API contract, section 11). */
export const histogramSchema = z
  .object({
    from: timestamp.meta({
      description: "The start of the interval; its changes are not counted.",
    }),
    to: timestamp.meta({
      description:
        "The end of the interval: the requested instant, or the latest settled instant before it.",
    }),
    interval_ms: z
      .int()
      .min(1)
      .max(Number.MAX_SAFE_INTEGER)
      .meta({ description: "The duration of each bucket, in milliseconds." }),
    is_estimate: z.boolean().meta({
      description:
        "True if there are too many changes to count: in that case, only transactions are counted.",
    }),
    buckets: z.array(bucketSchema).max(500).meta({
      description: "The buckets that have changes, oldest first.",
    }),
  })
  .meta({
    id: "ChangeHistogram",
    description: "The number of changes in equal parts of an interval.",
  });
export type Histogram = z.output<typeof histogramSchema>;

/** The row of `app.histogram`. */
export interface HistogramRow extends Record<string, unknown> {
  begins_at: string;
  ends_at: string;
  interval_ms: number;
  is_estimate: boolean;
  buckets: Histogram["buckets"];
}

/** Converts a row to a histogram in the response format. */
export const toHistogram = (row: HistogramRow): Histogram => ({
  from: row.begins_at,
  to: row.ends_at,
  interval_ms: row.interval_ms,
  is_estimate: row.is_estimate,
  buckets: row.buckets.map((bucket) => ({
    ...bucket,
    at: rfc3339(bucket.at),
    first_at: rfc3339(bucket.first_at),
    last_at: rfc3339(bucket.last_at),
  })),
});
