import { emptyList, type Place } from "../helpers/place.ts";

const filters = {
  service_id: "services",
  network_id: "networks",
  port_id: "ports",
  ip_address_id: "ip-addresses",
} as const;

/** The filters of the list of bindings. */
export const places: Place[] = Object.entries(filters).flatMap(([filter, collection]) =>
  ["", "&limit=0", "&at=2999-01-01T00:00:00Z"].map((rest) => ({
    name: `the filter ${filter} of bindings with the query "${rest}"`,
    request: (_, sent) => ({
      method: "GET",
      path: `/api/v1/bindings?${filter}=${sent[collection]}${rest}`,
    }),
    expected: emptyList,
    isInNetwork: true,
  })),
);
