import * as z from "zod";
import { describeGroup, describeOperation } from "../../openapi/describe.ts";
import { idParameter } from "../../openapi/texts.ts";
import { describeVerbs, externalIdFilter, nameFilter } from "../../openapi/verbs.ts";
import { inventoryFilters, tagFilter } from "../describe-filters.ts";
import { ipAddressExample } from "../ip-addresses/docs.ts";
import { ipAddressSchema } from "../ip-addresses/model.ts";
import {
  availableSchema,
  listAvailable,
  maximumAddresses,
  takeAvailable,
} from "./available-ips.ts";
import { type Subnet, subnetResource, subnetSchema } from "./model.ts";

const tag = describeGroup({
  name: "Subnets",
  description: "Networks' address blocks, with their history.",
});

const example: Subnet = {
  id: "9606785e-20bd-4c03-8c0a-899dc2b8d8da",
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
  cidr: "192.168.1.0/24",
  name: "Ground floor",
  description: null,
  external_id: null,
  metadata: {},
  subnet_type: "Lan",
  tags: ["aed75b45-9130-4bef-8d61-1c2d0a47133c"],
  source: { type: "Manual" },
  parent_id: null,
  utilization: { addresses: 254, recorded: 31, seen_last_day: 27 },
};

describeVerbs(subnetResource, {
  tag,
  singular: "subnet",
  plural: "subnets",
  schema: subnetSchema,
  example,
  body: { network_id: example.network_id, cidr: "10.20.0.0/16", subnet_type: "Lan" },
  bodies: {
    createMany: { network_id: example.network_id, cidr: "10.30.0.0/16" },
    upsert: { network_id: example.network_id, cidr: "10.40.0.0/16" },
    update: { network_id: example.network_id, cidr: example.cidr, name: example.name },
  },
  rules:
    "Each block is unique in a network. By default, the name is the block. If the block changes, addresses that it no longer contains move to the smallest subnet that contains them, or to none.",
  deletion:
    "Its current version ends now; its history is kept. Its addresses are then no longer in a subnet. If it has more than 10,000 addresses, the response is 409 `deletion_too_large`: first move addresses to another subnet, or delete their hosts.",
  filters: {
    ...inventoryFilters(example),
    ...nameFilter(example),
    ...externalIdFilter,
    ...tagFilter,
    cidr: {
      description: "Only the subnet with this block, in any notation.",
      example: example.cidr,
    },
    contains: {
      description: "Only subnets that contain this address, or this whole block.",
      example: "192.168.1.10",
    },
    within: {
      description: "Only subnets inside this block, without the block itself.",
      example: "192.168.0.0/16",
    },
    q: {
      description: "Only subnets that have this id or block, or contain this text or address.",
      example: "192.168",
    },
  },
});

describeOperation(listAvailable, {
  operationId: "list_available_ips",
  tag,
  summary: "List available IP addresses",
  description:
    "Lists the lowest addresses of the subnet that can be assigned. An address is not available if a host of the network has it, if it is in a smaller subnet of the network, or if it is reserved: the network and broadcast addresses in IPv4 except in a /31 and a /32, and the first address in IPv6 except in a /127 and a /128.",
  parameters: {
    ...idParameter("Subnet", "subnet", example.id),
    limit: { description: "The maximum number of addresses.", example: 2 },
  },
  data: availableSchema,
  response: "The lowest available addresses, in ascending order.",
  example: { data: { ip_addresses: ["192.168.1.11", "192.168.1.12"] } },
});

describeOperation(takeAvailable, {
  operationId: "take_available_ips",
  tag,
  summary: "Assign available IP addresses",
  description:
    "Assigns the lowest available addresses of the subnet to a host of its network, all or nothing. Concurrent requests get different addresses. If there are too few, the response is 409 `subnet_full`. If another request takes one of the addresses in another way at the same time, it is 409 `request_conflict`: repeat the request.\n\nSend an `Idempotency-Key` to repeat the request safely.",
  parameters: idParameter("Subnet", "subnet", example.id),
  data: z.array(ipAddressSchema).max(maximumAddresses),
  response: "The assigned addresses, in ascending order.",
  example: {
    body: { host_id: ipAddressExample.host_id, name: "ilo", status: "Reserved" },
    data: [
      {
        ...ipAddressExample,
        ip_address: "192.168.1.11",
        mac_address: null,
        name: "ilo",
        status: "Reserved",
      },
    ],
  },
  errorExamples: { subnet_full: { id: example.id, available: 3, requested: 16 } },
});
