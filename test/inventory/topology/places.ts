import { emptyList, type Place } from "../../helpers/place.ts";

/** The filters of a map, with the collection whose ids each filter takes. */
const filters = {
  network_id: "networks",
  host_id: "hosts",
  subnet_id: "subnets",
  tag_ids: "tags",
} as const;

const mapPlaces = Object.entries(filters).flatMap(([filter, of]) =>
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

/** Every place where a request for a map can contain an id. */
export const places: Place[] = [
  ...mapPlaces,
  {
    name: "the filter network_id of topology/data",
    request: (_, { networks }) => ({
      method: "GET",
      path: `/api/v1/topology/data?network_id=${networks}`,
    }),
    expected: {
      status: 200,
      body: { data: { hosts: [], subnets: [], ip_addresses: [], available_views: ["L3Logical"] } },
    },
    isInNetwork: true,
  },
  {
    name: "the filter network_id of topologies",
    request: (_, { networks }) => ({
      method: "GET",
      path: `/api/v1/topologies?network_id=${networks}`,
    }),
    expected: emptyList,
    isInNetwork: true,
  },
];
