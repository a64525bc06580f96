import { describeGroup } from "../../openapi/describe.ts";
import { describeVerbs, orderParameters } from "../../openapi/verbs.ts";
import { inventoryFilters } from "../describe-filters.ts";
import { type Port, portResource, portSchema } from "./model.ts";

const tag = describeGroup({
  name: "Ports",
  description: "Ports of hosts, open and closed, with their history.",
});

const example: Port = {
  id: "15e32be1-8f8e-42d8-8a2c-e8e087509107",
  created_at: "2025-03-02T03:16:01.357Z",
  updated_at: "2025-03-02T03:16:01.357Z",
  organization_id: "e4b66c48-02de-4481-8c6f-f8b16360c781",
  network_id: "277af32d-eb94-4677-88b1-472a3ec07051",
  last_seen_at: "2025-09-14T21:47:05.310Z",
  valid_from: "2025-03-02T03:16:01.357Z",
  valid_to: null,
  lineage_id: null,
  first_discovery_id: null,
  last_discovery_id: null,
  host_id: "e1e74882-b978-405e-89f9-922e1a30e63b",
  number: 445,
  protocol: "Tcp",
  type: "Samba",
  is_open: true,
};

describeVerbs(portResource, {
  tag,
  singular: "port",
  plural: "ports",
  schema: portSchema,
  example,
  body: { host_id: example.host_id, number: 8443, protocol: "Tcp" },
  patch: { number: example.number },
  bodies: {
    createMany: { host_id: example.host_id, number: 8080, protocol: "Tcp" },
    update: { host_id: example.host_id, number: example.number, protocol: example.protocol },
  },
  rules:
    "The host of a port cannot change, and the combination of number and protocol is unique on a host. A port is open while a service is bound to it.",
  deletion: "Its current version ends now; its history is kept.",
  filters: {
    ...orderParameters("number"),
    ...inventoryFilters(example),
    host_id: { description: "Only records of this host.", example: example.host_id },
    number: { description: "Only ports with this number.", example: 445 },
    protocol: { description: "Only ports of this protocol.", example: "Tcp" },
    is_open: {
      description: "`true`: only open records; `false`: only closed ones.",
      example: true,
    },
    q: {
      description:
        "Only ports with this id, with this number, or with this number and protocol, such as `445/Tcp`.",
      example: "445",
    },
  },
});
