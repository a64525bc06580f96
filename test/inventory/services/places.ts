import { bulkDeletePlace, creationPlace, filterPlaces, type Place } from "../../helpers/place.ts";

const name = "New";

/** Every place, other than the path, where a request for services can contain an id. */
export const places: Place[] = [
  ...filterPlaces("services", {
    network_id: "networks",
    ids: "services",
    q: "services",
    host_id: "hosts",
    tag_ids: "tags",
  }),
  creationPlace("services", { entity: "Host", field: "body.host_id" }, (_, { hosts: host_id }) => ({
    host_id,
    name,
  })),
  creationPlace("services", { entity: "Tag", field: "body.tags" }, (own, { tags }) => ({
    host_id: own.hosts,
    name,
    tags: [tags],
  })),
  creationPlace(
    "services",
    { entity: "IPAddress", field: "body.bindings[0].ip_address_id" },
    ({ hosts: host_id }, { "ip-addresses": ip_address_id }) => ({
      host_id,
      name,
      bindings: [{ type: "IPAddress", ip_address_id }],
    }),
  ),
  creationPlace(
    "services",
    { entity: "Service", field: "body.virtualization.details.service_id" },
    ({ hosts: host_id }, { services: service_id }) => ({
      host_id,
      name,
      virtualization: { type: "Docker", details: { service_id } },
    }),
  ),
  bulkDeletePlace("services"),
];
