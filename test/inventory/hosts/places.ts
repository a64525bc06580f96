import { bulkDeletePlace, creationPlace, filterPlaces, type Place } from "../../helpers/place.ts";

const name = "New";

/** Every place, other than the path, where a request for hosts can contain an id. */
export const places: Place[] = [
  ...filterPlaces("hosts", { network_id: "networks", ids: "hosts", q: "hosts", tag_ids: "tags" }),
  creationPlace(
    "hosts",
    { entity: "Network", field: "body.network_id" },
    (_, { networks: network_id }) => ({ network_id, name }),
  ),
  creationPlace("hosts/bulk", { entity: "Network", field: "body[1].network_id" }, (own, sent) => [
    { network_id: own.networks, name },
    { network_id: sent.networks, name },
  ]),
  creationPlace("hosts", { entity: "Tag", field: "body.tags" }, (own, { tags }) => ({
    network_id: own.networks,
    name,
    tags: [tags],
  })),
  creationPlace("hosts", { entity: "Tag", field: "body.services[0].tags" }, (own, { tags }) => ({
    network_id: own.networks,
    name,
    services: [{ name, tags: [tags] }],
  })),
  creationPlace(
    "hosts",
    { entity: "Subnet", field: "body.ip_addresses[0].subnet_id" },
    (own, { subnets: subnet_id }) => ({
      network_id: own.networks,
      name,
      ip_addresses: [{ ip_address: "198.51.100.99", subnet_id }],
    }),
  ),
  creationPlace(
    "hosts",
    { entity: "Service", field: "body.virtualization.details.service_id" },
    (own, { services: service_id }) => ({
      network_id: own.networks,
      name,
      virtualization: { type: "Proxmox", details: { service_id } },
    }),
  ),
  creationPlace(
    "hosts",
    { entity: "Service", field: "body.services[0].virtualization.details.service_id" },
    (own, { services: service_id }) => ({
      network_id: own.networks,
      name,
      services: [{ name, virtualization: { type: "Docker", details: { service_id } } }],
    }),
  ),
  bulkDeletePlace("hosts"),
];
