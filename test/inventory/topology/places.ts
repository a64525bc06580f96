import type { Place } from "../../helpers/place.ts";

/** The filters of a map, with the collection whose ids each filter takes. */
const filters = {
  network_id: "networks",
  host_id: "hosts",
  subnet_id: "subnets",
  tag_ids: "tags",
} as const;

/** Every place where a request for a map can contain an id. */
export const places: Place[] = Object.entries(filters).flatMap(([filter, of]) =>
  ["", "&layer=services", "&layer=l2", "&at=2999-01-01T00:00:00Z"].map((rest) => ({
    name: `the filter ${filter} of the topology with the query "${rest}"`,
    request: (_own: unknown, sent: Record<typeof of, string>) => ({
      method: "GET",
      path: `/api/v1/topology?${filter}=${sent[of]}${rest}`,
    }),
    expected: {
      status: 200,
      body: { data: { network_ids: [], nodes: [], edges: [], counts: { hosts: 0 } } },
    },
    isInNetwork: of !== "tags",
  })),
);
