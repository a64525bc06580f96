import type { Hono } from "hono";
import type { InventoryChange } from "../client/app.d.ts";

// Operations and fields that `../client/app.d.ts` does not declare yet. Delete this file once it
// does: `api.ts` names everything that comes from here.

/** A part of a histogram that has changes. The three counts are null if it is an estimate. */
export interface Bucket {
  at: string;
  begun: number | null;
  changed: number | null;
  ended: number | null;
  transactions: number;
  first_at: string;
  last_at: string;
}

/** The number of changes in equal parts of time. */
export interface Histogram {
  from: string;
  to: string;
  interval_ms: number;
  is_estimate: boolean;
  buckets: Bucket[];
}

/** The number of differences of one host between two instants. */
export interface HostDifference {
  host_id: string;
  label: string;
  added: number;
  removed: number;
  changed: number;
  returned: number;
}

export type Change = InventoryChange & { label_before?: string | null };

type Get<Query, Output> = {
  $get: {
    input: { query: Query };
    output: Output;
    outputFormat: "json";
    status: 200;
  };
};

export type Upcoming = Hono<
  Record<never, never>,
  {
    "/api/v1/changes": Get<
      {
        since?: string;
        until?: string;
        cursor?: string;
        network_id?: string;
        limit?: string;
      },
      { success: true; data: Change[]; meta: { next_cursor: string; has_more: boolean } }
    >;
    "/api/v1/changes/histogram": Get<
      { from?: string; to?: string; buckets?: string; network_id?: string; host_id?: string },
      { success: true; data: Histogram }
    >;
    "/api/v1/diff": Get<
      { by: "host"; from: string; to?: string; network_id?: string; limit?: string },
      {
        success: true;
        data: { from: string; to: string; items: HostDifference[] };
        meta: { pagination: { total_count: number } };
      }
    >;
  },
  "/"
>;
