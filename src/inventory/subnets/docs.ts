import { describeGroup } from "../../openapi/describe.ts";
import { describeVerbs, externalIdFilter, nameFilter } from "../../openapi/verbs.ts";
import { inventoryFilters, tagFilter } from "../describe-filters.ts";
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
    contains: { description: "Only subnets that contain this address.", example: "192.168.1.10" },
    q: {
      description: "Only subnets that have this id or block, or contain this text or address.",
      example: "192.168",
    },
  },
});
