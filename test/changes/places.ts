import type { Place } from "../helpers/place.ts";

/** The filters of changes, histograms and diffs, with the collection whose ids each filter takes. */
const filters = { network_id: "networks", host_id: "hosts" } as const;

const since = "2000-01-01T00:00:00Z";

const noChange = { status: 200, body: { data: [] } };
const noDifference = {
  status: 200,
  body: { data: { items: [] }, meta: { pagination: { total_count: 0 } } },
};

/** Every place, other than the path, where a request for changes can contain an id. */
export const places: Place[] = [
  ...Object.entries({ ...filters, entity_id: "ports" } as const).map(([filter, of]) => ({
    name: `the filter ${filter} of changes`,
    request: (_own: unknown, sent: Record<typeof of, string>) => ({
      method: "GET",
      path: `/api/v1/changes?${filter}=${sent[of]}`,
    }),
    expected: noChange,
    isInNetwork: true,
  })),
  ...Object.entries(filters).map(([filter, of]) => ({
    name: `the filter ${filter} of a histogram`,
    request: (_own: unknown, sent: Record<typeof of, string>) => ({
      method: "GET",
      path: `/api/v1/changes/histogram?from=${since}&to=2025-01-01T00:00:00Z&${filter}=${sent[of]}`,
    }),
    expected: { status: 200, body: { data: { buckets: [] } } },
    isInNetwork: true,
  })),
  ...Object.entries(filters).flatMap(([filter, of]) =>
    ["", "&limit=0", "&by=host"].map((rest) => ({
      name: `the filter ${filter} of diff with the query "${rest}"`,
      request: (_own: unknown, sent: Record<typeof of, string>) => ({
        method: "GET",
        path: `/api/v1/diff?from=${since}&${filter}=${sent[of]}${rest}`,
      }),
      expected: noDifference,
      isInNetwork: true,
    })),
  ),
];
