import {
  bulkDeletePlace,
  creationPlace,
  filterPlaces,
  invalidReference,
  type Place,
} from "../../helpers/place.ts";

/** Every place, other than the path, where a request for bindings can contain an id. */
export const places: Place[] = [
  ...filterPlaces("bindings", {
    ids: "bindings",
    q: "bindings",
    service_id: "services",
    network_id: "networks",
    port_id: "ports",
    ip_address_id: "ip-addresses",
  }),
  // Bound to all addresses, so that it replaces the caller's binding.
  creationPlace(
    "bindings",
    { entity: "Service", field: "body.service_id" },
    ({ ports: port_id }, { services: service_id }) => ({ type: "Port", service_id, port_id }),
  ),
  creationPlace(
    "bindings",
    { entity: "Port", field: "body.port_id" },
    ({ services: service_id }, { ports: port_id }) => ({ type: "Port", service_id, port_id }),
  ),
  {
    name: "ip_address_id of PUT bindings",
    request: (own, sent) => ({
      method: "PUT",
      path: `/api/v1/bindings/${own.bindings}`,
      json: {
        type: "Port",
        service_id: own.services,
        port_id: own.ports,
        ip_address_id: sent["ip-addresses"],
      },
    }),
    expected: invalidReference("IPAddress", "body.ip_address_id"),
  },
  bulkDeletePlace("bindings"),
];
