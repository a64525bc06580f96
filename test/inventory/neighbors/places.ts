import { bulkDeletePlace, creationPlace, filterPlaces, type Place } from "../../helpers/place.ts";

const one = { protocol: "Cdp", chassis_id: { subtype: "LocallyAssigned", value: "switch" } };

/** Every place, other than the path, where a request for neighbors can contain an id. */
export const places: Place[] = [
  ...filterPlaces("neighbors", {
    network_id: "networks",
    ids: "neighbors",
    q: "neighbors",
    host_id: "hosts",
    interface_id: "interfaces",
  }),
  creationPlace(
    "neighbors",
    { entity: "Interface", field: "body.interface_id" },
    (_, { interfaces: interface_id }) => ({ interface_id, ...one }),
  ),
  creationPlace(
    "neighbors/bulk",
    { entity: "Interface", field: "body[1].interface_id" },
    (own, sent) => [
      { interface_id: own.interfaces, ...one },
      { interface_id: sent.interfaces, ...one, protocol: "Lldp" },
    ],
  ),
  bulkDeletePlace("neighbors"),
];
