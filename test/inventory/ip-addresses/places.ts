import { bulkDeletePlace, creationPlace, filterPlaces, type Place } from "../../helpers/place.ts";

const ip_address = "198.51.100.99";

/** Every place, other than the path, where a request for addresses can contain an id. */
export const places: Place[] = [
  ...filterPlaces("ip-addresses", {
    network_id: "networks",
    ids: "ip-addresses",
    q: "ip-addresses",
    host_id: "hosts",
    subnet_id: "subnets",
  }),
  creationPlace(
    "ip-addresses",
    { entity: "Host", field: "body.host_id" },
    (_, { hosts: host_id }) => ({
      host_id,
      ip_address,
    }),
  ),
  creationPlace(
    "ip-addresses",
    { entity: "Subnet", field: "body.subnet_id" },
    ({ hosts: host_id }, { subnets: subnet_id }) => ({ host_id, subnet_id, ip_address }),
  ),
  bulkDeletePlace("ip-addresses"),
];
