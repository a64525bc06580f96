import { emptyList, invalidReference, type Place } from "../../helpers/place.ts";

const filters = { network_id: "networks", daemon_id: "daemons" } as const;

/** The filters of the scan list, and the subnets of a new scan. */
export const places: Place[] = [
  ...Object.entries(filters).flatMap(([filter, collection]) =>
    ["", "&limit=0"].map((rest) => ({
      name: `the filter ${filter} of discovery/sessions with the query "${rest}"`,
      request: (_own: unknown, sent: Record<typeof collection, string>) => ({
        method: "GET",
        path: `/api/v1/discovery/sessions?${filter}=${sent[collection]}${rest}`,
      }),
      expected: emptyList,
      isInNetwork: true,
    })),
  ),
  {
    name: "subnet_ids of POST daemons/{id}/scan",
    request: (own, sent) => ({
      method: "POST",
      path: `/api/v1/daemons/${own.daemons}/scan`,
      json: { subnet_ids: [sent.subnets] },
    }),
    expected: invalidReference("Subnet", "body.subnet_ids"),
  },
];
