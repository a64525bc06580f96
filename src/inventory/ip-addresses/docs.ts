import { describeGroup } from "../../openapi/describe.ts";
import { describeVerbs } from "../../openapi/verbs.ts";
import { inventoryFilters } from "../describe-filters.ts";
import { type IPAddress, ipAddressResource, ipAddressSchema } from "./model.ts";

const tag = describeGroup({
  name: "IP addresses",
  description: "Addresses of hosts, with their history.",
});

/** An address, for examples. */
export const ipAddressExample: IPAddress = {
  id: "cdb4cd21-ff85-40a2-8d2c-e5b5da88f3cd",
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
  subnet_id: "9606785e-20bd-4c03-8c0a-899dc2b8d8da",
  ip_address: "192.168.1.10",
  mac_address: "02:78:A7:D0:A2:0C",
  name: null,
  status: "Active",
  role: null,
  position: 0,
};

describeVerbs(ipAddressResource, {
  tag,
  singular: "IP address",
  plural: "IP addresses",
  schema: ipAddressSchema,
  example: ipAddressExample,
  body: { host_id: ipAddressExample.host_id, ip_address: "192.168.1.200" },
  bodies: {
    createMany: { host_id: ipAddressExample.host_id, ip_address: "192.168.1.201" },
    update: {
      host_id: ipAddressExample.host_id,
      ip_address: ipAddressExample.ip_address,
      mac_address: ipAddressExample.mac_address,
    },
  },
  rules:
    "If omitted, `subnet_id` is the smallest subnet of the network that contains the address; a subnet that does not contain it, or is on another network, is an error. Each address of a subnet belongs to one host.",
  deletion: "Its current version ends now; its history is kept.",
  filters: {
    ...inventoryFilters(ipAddressExample),
    host_id: { description: "Only records of this host.", example: ipAddressExample.host_id },
    subnet_id: {
      description: "Only addresses in this subnet.",
      example: "9606785e-20bd-4c03-8c0a-899dc2b8d8da",
    },
    ip: { description: "Only this address.", example: "192.168.1.10" },
    cidr: { description: "Only addresses in this block.", example: "192.168.1.0/24" },
    mac: { description: "Only records with this MAC address.", example: "02:78:A7:D0:A2:0C" },
    status: { description: "Only addresses with this status.", example: "Active" },
    role: { description: "Only addresses with this role.", example: "Gateway" },
    q: {
      description: "Only addresses that have this id or contain this text.",
      example: "192.168",
    },
  },
});
