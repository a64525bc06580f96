import * as z from "zod";
import { describeGroup, describeOperation } from "../../openapi/describe.ts";
import { tagFilter } from "../describe-filters.ts";
import { type Topology, topologyBounds, topologySchema } from "./model.ts";
import { readTopology } from "./read.ts";
import { listTopologies, type NetworkTopology, networkTopologySchema } from "./views/list.ts";
import { type TopologyData, topologyDataSchema } from "./views/model.ts";
import { exportMermaid, readTopologyData } from "./views/read.ts";

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

const unplaced = { position: { x: 0, y: 0 }, size: { x: 0, y: 0 } } as const;

const dataExample: TopologyData = {
  hosts: [{ id: host_id, network_id, name: "nas" }],
  subnets: [
    { id: subnet_id, network_id, name: "Ground floor", cidr: "192.168.1.0/24", subnet_type: "Lan" },
  ],
  ip_addresses: [{ id: address_id, host_id, subnet_id, ip_address: "192.168.1.10" }],
  interfaces: [],
  dependencies: [],
  nodes: {
    L3Logical: [
      {
        ...unplaced,
        id: subnet_id,
        node_type: "Container",
        container_type: "Subnet",
        entity_id: subnet_id,
        header: "Ground floor (192.168.1.0/24)",
      },
      {
        ...unplaced,
        id: address_id,
        node_type: "Element",
        element_type: "IPAddress",
        container_id: subnet_id,
        host_id,
        subnet_id,
        ip_address_id: address_id,
        header: "nas",
      },
    ],
    L2Physical: [],
  },
  edges: { L3Logical: [], L2Physical: [] },
  available_views: ["L3Logical"],
};

describeOperation(readTopologyData, {
  operationId: "get_topology_data",
  tag,
  summary: "Get the map of a network by view",
  description:
    "Returns the map of a network in the format of other servers with this interface: the nodes and edges of each view, and the records that they represent. `GET /topology` has the same map with the evidence of every edge. An address in no subnet is not a node, and neither are unknown devices.",
  parameters: {
    network_id: { description: "The network.", example: network_id, component: "MappedNetwork" },
    at: {
      description: "The map as of this instant instead of the current map.",
      example: "2025-05-10T00:00:00Z",
    },
  },
  data: topologyDataSchema,
  response: "The map.",
  example: { data: dataExample },
});

describeOperation(exportMermaid, {
  operationId: "export_topology_mermaid",
  tag,
  summary: "Export the map of a network as Mermaid",
  description:
    "Returns the map of a network as a Mermaid flowchart, within Mermaid's default limits of 500 edges and 50,000 characters; beyond, the response is 409 `topology_too_large`.",
  parameters: {
    id: {
      description: "The id of the network, which is also that of its topology.",
      example: network_id,
    },
    view: {
      description:
        "`L3Logical`: subnets and hosts. `L2Physical`: hosts and their links. `Workloads`: services and their hosts.",
      example: "L3Logical",
    },
  },
  data: z.string().max(50_000).meta({ id: "MermaidFlowchart", description: "A flowchart." }),
  response: "The flowchart.",
  example: {
    data: 'flowchart LR\n  n1["nas"]\n  n2(["Ground floor 192.168.1.0/24"])\n  n1 ---|"192.168.1.10"| n2\n',
  },
});

const topologyExample: NetworkTopology = {
  id: network_id,
  created_at: "2025-03-02T03:16:01.357Z",
  updated_at: "2025-03-02T03:16:01.357Z",
  network_id,
  name: "Home",
  views: ["L3Logical", "L2Physical", "Workloads"],
};

describeOperation(listTopologies, {
  operationId: "list_topologies",
  tag,
  summary: "List topologies",
  description:
    "Lists the topology of each network that your key can access. `GET /topology` with a `limit` returns the same, for clients that were written for other servers.",
  parameters: {
    network_id: {
      description: "Only the topology of this network.",
      example: network_id,
      component: "MappedNetwork",
    },
  },
  data: z.array(networkTopologySchema),
  response: "A page of topologies.",
  example: { data: [topologyExample] },
});
