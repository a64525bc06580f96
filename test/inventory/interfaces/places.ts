import { bulkDeletePlace, creationPlace, filterPlaces, type Place } from "../../helpers/place.ts";

const one = { if_index: 12_000 };

/** Every place, other than the path, where a request for interfaces can contain an id. */
export const places: Place[] = [
  ...["interfaces", "if-entries"].flatMap((collection) =>
    filterPlaces(collection, {
      network_id: "networks",
      ids: "interfaces",
      q: "interfaces",
      host_id: "hosts",
    }),
  ),
  creationPlace(
    "interfaces",
    { entity: "Host", field: "body.host_id" },
    (_, { hosts: host_id }) => ({ host_id, ...one }),
  ),
  creationPlace("interfaces/bulk", { entity: "Host", field: "body[1].host_id" }, (own, sent) => [
    { host_id: own.hosts, ...one },
    { host_id: sent.hosts, if_index: 12_001 },
  ]),
  creationPlace(
    "interfaces",
    { entity: "IPAddress", field: "body.ip_address_ids" },
    (own, sent) => ({ host_id: own.hosts, ...one, ip_address_ids: [sent["ip-addresses"]] }),
  ),
  bulkDeletePlace("interfaces"),
];
