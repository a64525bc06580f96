import { describeGroup, describeOperation } from "../../openapi/describe.ts";
import { tagFilter } from "../describe-filters.ts";
import { type Topology, topologyBounds, topologySchema } from "./model.ts";
import { readTopology } from "./read.ts";

const tag = describeGroup({
  name: "Topology",
  description: "What is connected to what, now and at any time in the past.",
});

const network_id = "277af32d-eb94-4677-88b1-472a3ec07051";
const host_id = "e1e74882-b978-405e-89f9-922e1a30e63b";
const subnet_id = "9606785e-20bd-4c03-8c0a-899dc2b8d8da";
const address_id = "cdb4cd21-ff85-40a2-8d2c-e5b5da88f3cd";

const example: Topology = {
  at: "2025-05-10T00:00:00.000Z",
  network_ids: [network_id],
  layer: "l3",
  detail: "hosts",
  nodes: [
    {
      id: `host:${host_id}`,
      type: "Host",
      record: { entity: "Host", id: host_id },
      label: "nas",
      network_id,
      parent: `subnet:${subnet_id}`,
      details: { addresses: ["192.168.1.10"], services: 6, operating_system: "DSM 7.2.2" },
    },
    {
      id: `subnet:${subnet_id}`,
      type: "Subnet",
      record: { entity: "Subnet", id: subnet_id },
      label: "Ground floor",
      network_id,
      parent: null,
      details: { cidr: "192.168.1.0/24", subnet_type: "Lan", hosts: 1, addresses: 1 },
    },
  ],
  edges: [
    {
      id: `address:${address_id}`,
      type: "Address",
      source: `host:${host_id}`,
      target: `subnet:${subnet_id}`,
      basis: "recorded",
      label: "192.168.1.10",
      evidence: [{ entity: "IPAddress", id: address_id }],
    },
  ],
  counts: { nodes: 2, edges: 1, hosts: 1, hosts_in_no_subnet: 0 },
};

describeOperation(readTopology, {
  operationId: "get_topology",
  tag,
  summary: "Get a map of the networks",
  description: `Returns what is connected to what as a graph, computed from the records at one instant. Every edge names the records that it follows from, and hosts in the same subnet are not connected to each other. Nodes and edges have the same ids at every instant. With \`detail=subnets\`, hosts in exactly one subnet or in none are only counted. A map has at most ${topologyBounds.hosts} hosts, ${topologyBounds.edges} edges and 4 MiB, or with \`detail=subnets\` ${topologyBounds.nodes} nodes; beyond, the response is 409 \`topology_too_large\`. The \`ETag\` is a digest of the response: send it as \`If-None-Match\` to learn whether the map has changed.`,
  parameters: {
    layer: {
      description:
        "`l2`: hosts, connected by the neighbors of their interfaces. `l3`: hosts and subnets, connected by addresses. `services`: services and their hosts, connected by what they run on.",
      example: "l3",
    },
    network_id: { description: "Only these networks.", example: network_id, component: "Networks" },
    at: {
      description:
        "The map as of this instant instead of the current map: ISO 8601 with an offset, a date, or a time before now such as `-24h`.",
      example: "2025-05-10T00:00:00Z",
    },
    detail: {
      description: "`subnets`: only subnets, and hosts in several of them. Only in the layer `l3`.",
      example: "hosts",
    },
    host_id: { description: "Only the surroundings of this host.", example: host_id },
    depth: {
      description:
        "The maximum distance from the host, in edges; 1 by default. A service is as far away as its host.",
      example: 2,
    },
    subnet_id: { description: "Only hosts with an address in this subnet.", example: subnet_id },
    tag_ids: {
      ...tagFilter.tag_ids,
      description: "Only hosts with one of these tags.",
    },
    vlan: { description: "Only hosts with an interface in this VLAN.", example: 20 },
  },
  data: topologySchema,
  response: "The map.",
  example: { data: example },
});
