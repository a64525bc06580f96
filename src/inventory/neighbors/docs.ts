import { describeGroup } from "../../openapi/describe.ts";
import { describeVerbs, orderParameters } from "../../openapi/verbs.ts";
import { inventoryFilters } from "../describe-filters.ts";
import { type Neighbor, neighborResource, neighborSchema } from "./model.ts";

const tag = describeGroup({
  name: "Neighbors",
  description:
    "The devices that hosts hear of on their interfaces by LLDP, CDP or a forwarding table, with their history.",
});

const example: Neighbor = {
  id: "595a30c0-fb7e-465a-801b-20f217ea5a3e",
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
  interface_id: "800e826d-b120-4de3-845f-4caef6a6724c",
  protocol: "Lldp",
  chassis_id: { subtype: "MacAddress", value: "02:B8:56:5E:DF:0B" },
  port_id: { subtype: "InterfaceName", value: "eth0" },
  system_name: "router",
  system_description: null,
  port_description: null,
  management_addresses: ["192.168.1.1"],
  source: { type: "Manual" },
};

const body = {
  interface_id: example.interface_id,
  protocol: "Lldp" as const,
  chassis_id: { subtype: "MacAddress" as const, value: "02:5E:00:10:00:03" },
  port_id: { subtype: "InterfaceName" as const, value: "gi1/0/8" },
  system_name: "attic-switch",
  management_addresses: ["192.168.1.3"],
};

describeVerbs(neighborResource, {
  tag,
  singular: "neighbor",
  plural: "neighbors",
  schema: neighborSchema,
  example,
  body,
  patch: { port_description: "Uplink to the attic" },
  bodies: {
    createMany: { ...body, port_id: { subtype: "InterfaceName" as const, value: "gi1/0/9" } },
    update: {
      ...body,
      chassis_id: example.chassis_id,
      port_id: example.port_id,
      system_name: example.system_name,
    },
  },
  rules:
    "The interface of a neighbor cannot change. On it, the combination of `protocol`, `chassis_id` and `port_id` is unique.",
  deletion: "Its current version ends now; its history is kept.",
  filters: {
    ...orderParameters("system_name", "protocol"),
    ...inventoryFilters(example),
    host_id: {
      description: "Only neighbors of this host's interfaces.",
      example: example.host_id,
    },
    interface_id: {
      description: "Only neighbors of this interface.",
      example: example.interface_id,
    },
    protocol: { description: "Only neighbors that this protocol reports.", example: "Lldp" },
    mac: {
      description: "Only neighbors whose chassis or port has this MAC address.",
      example: example.chassis_id.value,
    },
    q: {
      description:
        "Only neighbors with this id, MAC address in any notation, or complete system name, chassis or port.",
      example: "router",
    },
  },
});
