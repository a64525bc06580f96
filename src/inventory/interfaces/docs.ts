import * as z from "zod";
import { describeGroup, describeOperation } from "../../openapi/describe.ts";
import { describeVerbs, orderParameters } from "../../openapi/verbs.ts";
import { inventoryFilters } from "../describe-filters.ts";
import { ifEntrySchema, listIfEntries } from "./if-entries.ts";
import { type Interface, interfaceResource, interfaceSchema } from "./model.ts";

const tag = describeGroup({
  name: "Interfaces",
  description: "Network interfaces of hosts, as in SNMP's ifTable, with their history.",
});

const example: Interface = {
  id: "800e826d-b120-4de3-845f-4caef6a6724c",
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
  if_index: 2,
  name: "eth0",
  description: "Gigabit Ethernet",
  type: 6,
  speed_bps: 1_000_000_000,
  mac_address: "02:78:A7:D0:A2:0C",
  admin_status: "Up",
  oper_status: "Up",
  alias: "Uplink to the switch",
  native_vlan: 1,
  tagged_vlans: [20, 30],
  read_at: { lldp: null, cdp: null, fdb: null, vlans: null },
  ip_address_ids: ["cdb4cd21-ff85-40a2-8d2c-e5b5da88f3cd"],
  neighbors: [],
};

const body = {
  host_id: example.host_id,
  if_index: 10,
  name: "eth1",
  description: null,
  type: 6,
  speed_bps: 1_000_000_000,
  mac_address: "02:4E:1B:90:22:0E",
  admin_status: "Up" as const,
  oper_status: "Down" as const,
};

const filters = {
  ...orderParameters("if_index", "if_index", {
    group_by: "InterfaceGroup",
    order_by: "InterfaceOrder",
  }),
  ...inventoryFilters(example),
  host_id: { description: "Only records of this host.", example: example.host_id },
  if_index: { description: "Only interfaces with this number.", example: 2 },
  mac: { description: "Only records with this MAC address.", example: "02:78:A7:D0:A2:0C" },
  q: {
    description:
      "Only interfaces with this id, number, complete name, or MAC address in any notation.",
    example: "eth0",
  },
};

describeVerbs(interfaceResource, {
  tag,
  singular: "interface",
  plural: "interfaces",
  schema: interfaceSchema,
  example,
  body,
  patch: { description: "Uplink to the attic" },
  bodies: {
    createMany: { ...body, if_index: 11, name: "eth2", mac_address: "02:4E:1B:90:22:0F" },
    update: {
      ...body,
      if_index: example.if_index,
      name: example.name,
      mac_address: example.mac_address,
    },
  },
  rules: "The host of an interface cannot change, and its `if_index` is unique on the host.",
  deletion: "Its current version ends now; its history is kept.",
  filters,
});

const { name, description, type, alias, ...entry } = example;

describeOperation(listIfEntries, {
  operationId: "list_if_entries",
  tag,
  summary: "List interfaces with the names of ifTable",
  description:
    "Lists the same interfaces as `GET /interfaces`, with the field names of clients that were written for other servers.",
  parameters: filters,
  data: z.array(ifEntrySchema),
  response: "A page of interfaces.",
  example: {
    data: [
      {
        ...entry,
        if_name: name,
        if_descr: description ?? "",
        if_alias: alias,
        if_type: type ?? 1,
        lldp_sys_name: null,
      },
    ],
  },
});
