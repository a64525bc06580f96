import { emptyList, type Place } from "../helpers/place.ts";

const filters = { network_id: "networks", ids: "daemons", q: "daemons" } as const;

/** The filters of the daemon list. */
export const places: Place[] = Object.entries(filters).flatMap(([filter, collection]) =>
  ["", "&limit=0"].map((rest) => ({
    name: `the filter ${filter} of daemons with the query "${rest}"`,
    request: (_, sent) => ({
      method: "GET",
      path: `/api/v1/daemons?${filter}=${sent[collection]}${rest}`,
    }),
    expected: emptyList,
    isInNetwork: true,
  })),
);
