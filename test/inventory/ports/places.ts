import { bulkDeletePlace, creationPlace, filterPlaces, type Place } from "../../helpers/place.ts";

const port = { number: 12_000, protocol: "Tcp" };

/** Every place, other than the path, where a request for ports can contain an id. */
export const places: Place[] = [
  ...filterPlaces("ports", {
    network_id: "networks",
    ids: "ports",
    q: "ports",
    host_id: "hosts",
  }),
  creationPlace("ports", { entity: "Host", field: "body.host_id" }, (_, { hosts: host_id }) => ({
    host_id,
    ...port,
  })),
  creationPlace("ports/bulk", { entity: "Host", field: "body[1].host_id" }, (own, sent) => [
    { host_id: own.hosts, ...port },
    { host_id: sent.hosts, ...port, protocol: "Udp" },
  ]),
  bulkDeletePlace("ports"),
];
