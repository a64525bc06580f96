import type { Place } from "../../helpers/place.ts";

const emptySearch = { status: 200, body: { data: [] } };

/** Every place where a search can contain an id: its filter, and its text. */
export const places: Place[] = [
  {
    name: "the filter network_id of a search",
    request: (_, sent) => ({
      method: "GET",
      path: `/api/v1/search?network_id=${sent.networks}&q=${sent.networks}`,
    }),
    expected: emptySearch,
    isInNetwork: true,
  },
  ...(
    [
      ...["hosts", "services", "subnets", "ip-addresses", "ports", "interfaces"],
      ...["networks", "daemons"],
    ] as const
  ).map(
    (collection): Place => ({
      name: `the id of one of ${collection} as the text of a search`,
      request: (_, sent) => ({ method: "GET", path: `/api/v1/search?q=${sent[collection]}` }),
      expected: emptySearch,
      isInNetwork: true,
    }),
  ),
];
