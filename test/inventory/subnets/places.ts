import {
  bulkDeletePlace,
  creationPlace,
  filterPlaces,
  invalidReference,
  type Place,
} from "../../helpers/place.ts";

const network = { entity: "Network", field: "body.network_id" };

/** Every place, other than the path, where a request for subnets can contain an id. */
export const places: Place[] = [
  ...filterPlaces("subnets", {
    network_id: "networks",
    ids: "subnets",
    q: "subnets",
    tag_ids: "tags",
  }),
  creationPlace("subnets", network, (_, { networks: network_id }) => ({
    network_id,
    cidr: "203.0.113.0/24",
  })),
  creationPlace("subnets/bulk", { ...network, field: "body[1].network_id" }, (own, sent) => [
    { network_id: own.networks, cidr: "203.0.113.0/24" },
    { network_id: sent.networks, cidr: "203.0.113.0/25" },
  ]),
  creationPlace("subnets", { entity: "Tag", field: "body.tags" }, (own, { tags }) => ({
    network_id: own.networks,
    cidr: "203.0.113.0/24",
    tags: [tags],
  })),
  {
    name: "body.host_id of POST subnets/{id}/available-ips",
    request: (own, { hosts: host_id }) => ({
      method: "POST",
      path: `/api/v1/subnets/${own.subnets}/available-ips`,
      json: { host_id },
    }),
    expected: invalidReference("Host", "body.host_id"),
    isInNetwork: true,
  },
  bulkDeletePlace("subnets"),
];
