import * as z from "zod";
import {
  maximumManagementAddresses,
  maximumNeighbors,
  subnetTypes,
} from "../../database/tables/index.ts";
import { id } from "../../http/input/id.ts";
import { integer } from "../../http/input/integer.ts";
import { cidr, ipAddress } from "../../http/input/network.ts";
import { name, textOf } from "../../http/input/text.ts";
import { timestamp } from "../../http/input/timestamp.ts";
import { chassisId } from "../neighbors/model.ts";
import { reasons } from "./match-neighbors.ts";

export const layers = ["l2", "l3", "services"] as const;
export const detailLevels = ["hosts", "subnets"] as const;

/** The limits of a map (API contract, section 13). `bytes` is the size of the response. */
export const topologyBounds = {
  hosts: 5000,
  edges: 20_000,
  bytes: 4 * 1024 * 1024,
  /** Maximum number of nodes with `detail=subnets`. */
  nodes: 5000,
  /** Maximum number of neighbors in an `l2` map, and their maximum total size in the database. */
  neighbors: 20_000,
  neighborBytes: 8 * 1024 * 1024,
  /**
   * Maximum number of neighbors that are evidence for one edge: all neighbors of both interfaces.
   */
  evidence: 2 * maximumNeighbors,
};

/** Maximum distance from a host, in edges. */
export const maximumDepth = 6;

const text255 = textOf(1, 255);
const text = text255.nullable();

/** Kinds of records that are nodes or evidence for an edge. */
const entities = ["Host", "Subnet", "Service", "IPAddress", "Binding", "Neighbor"] as const;

const referenceSchema = z
  .object({ entity: z.enum(entities), id })
  .meta({ id: "TopologyRecord", description: "A record, by its live id." });

const evidenceSchema = z
  .object({
    ...referenceSchema.shape,
    says: z.array(z.enum(reasons)).max(2).optional().meta({
      description:
        "In the layer `l2`, how the neighbor's host was found, and its port. Empty for an unknown device.",
    }),
  })
  .meta({ id: "TopologyEvidence", description: "A record that states a connection." });

/** Long enough for the type of an edge and two ids. */
const nodeId = z.string().max(96);

const node = <Type extends "Host" | "Subnet" | "Service", Details extends z.ZodType>(
  type: Type,
  details: Details,
  description: string,
) =>
  z
    .object({
      id: nodeId,
      type: z.literal(type),
      record: referenceSchema,
      label: name,
      network_id: id,
      parent: nodeId.nullable().meta({ description: "The node that it is drawn in." }),
      details,
    })
    .meta({ id: `${type}Node`, description });

const hostNodeSchema = node(
  "Host",
  z
    .object({
      addresses: z.array(z.string().max(39)).max(5000).meta({ description: "Sorted." }),
      services: integer().meta({ description: "The number of open services." }),
      operating_system: text,
    })
    .meta({ id: "HostNodeDetails" }),
  "A host. Its parent is its subnet, if it is in exactly one.",
);
export type HostNode = z.output<typeof hostNodeSchema>;

const subnetNodeSchema = node(
  "Subnet",
  z
    .object({
      cidr,
      subnet_type: z.enum(subnetTypes),
      hosts: integer().meta({ description: "The number of hosts with an address in it." }),
      addresses: integer().meta({ description: "The number of addresses in it." }),
    })
    .meta({ id: "SubnetNodeDetails" }),
  "A subnet.",
);
export type SubnetNode = z.output<typeof subnetNodeSchema>;

const serviceNodeSchema = node(
  "Service",
  z
    .object({ service_definition: textOf(1, 255), version: text, is_open: z.boolean() })
    .meta({ id: "ServiceNodeDetails" }),
  "A service. Its parent is its host.",
);
export type ServiceNode = z.output<typeof serviceNodeSchema>;

const unknownNodeSchema = z
  .object({
    id: nodeId,
    type: z.literal("Unknown"),
    record: referenceSchema.nullable().meta({ description: "Null." }),
    label: text255,
    network_id: id,
    parent: nodeId.nullable().meta({ description: "Null." }),
    details: z
      .object({
        chassis_id: chassisId,
        system_name: text,
        system_description: text,
        management_addresses: z.array(ipAddress).max(maximumManagementAddresses),
      })
      .meta({ id: "UnknownNodeDetails", description: "In its own words." }),
  })
  .meta({
    id: "UnknownNode",
    description: "A device that is only heard of, or that may be one of several hosts.",
  });
export type UnknownNode = z.output<typeof unknownNodeSchema>;

const edgeTypes = ["Address", "Gateway", "RunsOn", "Link", "Adjacent", "Learned"] as const;

const edgeSchema = z
  .object({
    id: nodeId.meta({
      description: "Derived from its evidence, so it stays the same while the evidence exists.",
    }),
    type: z.enum(edgeTypes),
    source: nodeId,
    target: nodeId,
    basis: z.enum(["recorded", "reported", "inferred"]).meta({
      description:
        "`recorded`: a record itself states the connection. `reported`: a device does. `inferred`: it follows from a forwarding table.",
    }),
    label: text,
    source_interface_id: id.nullable().optional().meta({
      description: "Only in the layer `l2`, like `target_interface_id`.",
    }),
    target_interface_id: id.nullable().optional(),
    evidence: z.array(evidenceSchema).min(1).max(topologyBounds.evidence),
  })
  .meta({ id: "TopologyEdge", description: "A connection between two nodes, with its evidence." });
export type Edge = z.output<typeof edgeSchema>;

/** The schema of a map of networks as a graph (API contract, section 13). */
export const topologySchema = z
  .object({
    at: timestamp.nullable().meta({ description: "The instant of the map; null for now." }),
    network_ids: z
      .array(id)
      .max(topologyBounds.hosts * 2)
      .meta({ uniqueItems: true, description: "The networks of the nodes. Sorted." }),
    layer: z.enum(layers),
    detail: z.enum(detailLevels),
    nodes: z
      .array(
        z
          .discriminatedUnion("type", [
            hostNodeSchema,
            subnetNodeSchema,
            serviceNodeSchema,
            unknownNodeSchema,
          ])
          .meta({ id: "TopologyNode", description: "A host, a subnet, a service or a device." }),
      )
      .max(25_000)
      .meta({ description: "Sorted by `id`." }),
    edges: z.array(edgeSchema).max(topologyBounds.edges).meta({ description: "Sorted by `id`." }),
    counts: z
      .object({
        nodes: integer(),
        edges: integer(),
        hosts: integer().meta({
          description: "The number of hosts, including those that are only counted.",
        }),
        hosts_in_no_subnet: integer().meta({
          description: "The number of these hosts without an address in a subnet.",
        }),
        neighbors_ambiguous: integer().optional().meta({
          description:
            "Only in the layer `l2`: the number of neighbors of its hosts that may be one of several hosts.",
        }),
        neighbors_unknown: integer().optional().meta({
          description: "Only in the layer `l2`: the number of neighbors that are no known host.",
        }),
      })
      .meta({ id: "TopologyCounts", description: "The size of the map." }),
  })
  .meta({ id: "Topology", description: "A map of networks as a graph." });
export type Topology = z.output<typeof topologySchema>;
export type Node = Topology["nodes"][number];
