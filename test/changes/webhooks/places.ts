import { emptyList, invalidReference, type Place } from "../../helpers/place.ts";

const filtered: Place[] = ["ids", "q"].flatMap((filter) =>
  ["", "&limit=0"].map((rest) => ({
    name: `the filter ${filter} of webhooks with the query "${rest}"`,
    request: (_, sent) => ({
      method: "GET",
      path: `/api/v1/webhooks?${filter}=${sent.webhooks}${rest}`,
    }),
    expected: emptyList,
    isInNetwork: true,
  })),
);

const body = (network: string) => ({
  name: "Place",
  url: "https://receiver.example.com/",
  network_ids: [network],
});

/** Every place, other than the path, where a request for webhooks can contain an id. */
export const places: Place[] = [
  ...filtered,
  {
    name: "network_ids of PUT webhooks",
    request: (own, sent) => ({
      method: "PUT",
      path: `/api/v1/webhooks/${own.webhooks}`,
      json: body(sent.networks),
    }),
    expected: invalidReference("Network", "body.network_ids"),
  },
];
