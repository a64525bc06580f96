import * as z from "zod";
import { subnetTypes } from "../../../database/tables/index.ts";
import { id } from "../../../http/input/id.ts";
import { integer } from "../../../http/input/integer.ts";
import { cidr, ipAddress } from "../../../http/input/network.ts";
import { name, textOf } from "../../../http/input/text.ts";
import { topologyBounds } from "../model.ts";

/** The views of a map, as the reference calls them. */
export const topologyViews = ["L3Logical", "L2Physical", "Workloads"] as const;

/** The layer of the map that a view shows. */
export const layerOfView = {
  L3Logical: "l3",
  L2Physical: "l2",
  Workloads: "services",
} as const satisfies Record<(typeof topologyViews)[number], string>;

/** The views of the data. `Workloads` is available as Mermaid only. */
const drawnViews = ["L3Logical", "L2Physical"] as const;

/** Maximum number of nodes or records in a response of at most 4 MiB. */
const most = Math.floor(topologyBounds.bytes / 64);

const point = z
  .object({ x: z.literal(0), y: z.literal(0) })
  .meta({ id: "TopologyPoint", description: "Zero: the client arranges the nodes." });

const placed = {
  id,
  position: point,
  size: point,
  // The name of a subnet and its block.
  header: textOf(1, 400),
};

const container = { ...placed, node_type: z.literal("Container"), entity_id: id };

const inContainer = { ...placed, node_type: z.literal("Element"), container_id: id, host_id: id };

const logicalNodeSchema = z
  .discriminatedUnion("node_type", [
    z
      .object({ ...container, container_type: z.literal("Subnet") })
      .meta({ id: "SubnetContainer", description: "A subnet." }),
    z
      .object({
        ...inContainer,
        element_type: z.literal("IPAddress"),
        subnet_id: id,
        ip_address_id: id,
      })
      .meta({ id: "AddressElement", description: "An address of a host in a subnet." }),
  ])
  .meta({ id: "LogicalNode", description: "A node of the view L3Logical." });
export type LogicalNode = z.output<typeof logicalNodeSchema>;

const physicalNodeSchema = z
  .discriminatedUnion("node_type", [
    z
      .object({ ...container, container_type: z.literal("Host") })
      .meta({ id: "HostContainer", description: "A host." }),
    z
      .object({ ...inContainer, element_type: z.literal("Interface"), interface_id: id })
      .meta({ id: "InterfaceElement", description: "An interface with a link." }),
  ])
  .meta({ id: "PhysicalNode", description: "A node of the view L2Physical." });
export type PhysicalNode = z.output<typeof physicalNodeSchema>;

const between = {
  id,
  source: id,
  target: id,
  label: z.string().max(255).nullable(),
  source_handle: z.literal("Bottom"),
  target_handle: z.literal("Top"),
  is_multi_hop: z.literal(false),
  relation_key: z.string().max(80).nullable().meta({
    description: "Equal for edges that show the same connection.",
  }),
};

const protocol = z.enum(["LLDP", "CDP"]);

const logicalEdgeSchema = z
  .discriminatedUnion("edge_type", [
    z
      .object({ ...between, edge_type: z.literal("SameHost"), host_id: id })
      .meta({ id: "SameHostEdge", description: "Two addresses of a host." }),
    z.object({ ...between, edge_type: z.literal("Hypervisor"), hypervisor_service_id: id }).meta({
      id: "HypervisorEdge",
      description: "A virtual machine, and the host that it runs on.",
    }),
  ])
  .meta({ id: "LogicalEdge", description: "A connection in the view L3Logical." });
export type LogicalEdge = z.output<typeof logicalEdgeSchema>;

const physicalEdgeSchema = z
  .discriminatedUnion("edge_type", [
    z
      .object({
        ...between,
        edge_type: z.literal("PhysicalLink"),
        source_entity_id: id,
        target_entity_id: id,
        protocol,
      })
      .meta({ id: "PhysicalLinkEdge", description: "Two interfaces." }),
    z
      .object({
        ...between,
        edge_type: z.literal("NeighborLink"),
        source_host_id: id,
        target_host_id: id,
        protocol,
      })
      .meta({
        id: "NeighborLinkEdge",
        description: "Two hosts, of which one does not know the interface of the other.",
      }),
  ])
  .meta({ id: "PhysicalEdge", description: "A connection in the view L2Physical." });
export type PhysicalEdge = z.output<typeof physicalEdgeSchema>;

const byView = <Logical extends z.ZodType, Physical extends z.ZodType>(
  logical: Logical,
  physical: Physical,
) =>
  z.object({
    L3Logical: z.array(logical).max(most),
    L2Physical: z.array(physical).max(most),
  });

/**
 * The schema of the map of a network in the format of the reference, as far as it concerns drawing
 * (API contract, section 13).
 */
export const topologyDataSchema = z
  .object({
    hosts: z
      .array(
        z
          .object({ id, network_id: id, name })
          .meta({ id: "TopologyHost", description: "A host of the map." }),
      )
      .max(topologyBounds.hosts),
    subnets: z
      .array(
        z
          .object({ id, network_id: id, name, cidr, subnet_type: z.enum(subnetTypes) })
          .meta({ id: "TopologySubnet", description: "A subnet of the map." }),
      )
      .max(most),
    ip_addresses: z
      .array(
        z
          .object({ id, host_id: id, subnet_id: id.nullable(), ip_address: ipAddress })
          .meta({ id: "TopologyIPAddress", description: "An address of a host of the map." }),
      )
      .max(most),
    interfaces: z
      .array(
        z
          .object({ id, host_id: id, if_index: integer(1), if_name: textOf(1, 255).nullable() })
          .meta({ id: "TopologyInterface", description: "An interface with a link." }),
      )
      .max(most),
    dependencies: z
      .array(z.object({}).meta({ id: "TopologyDependency", description: "Always absent." }))
      .max(0),
    nodes: byView(logicalNodeSchema, physicalNodeSchema).meta({
      id: "NodesByView",
      description: "The nodes of each view.",
    }),
    edges: byView(logicalEdgeSchema, physicalEdgeSchema).meta({
      id: "EdgesByView",
      description: "The connections of each view.",
    }),
    available_views: z
      .array(z.enum(drawnViews))
      .max(drawnViews.length)
      .meta({ description: "The views that have data: `L2Physical` only if there are links." }),
  })
  .meta({ id: "TopologyData", description: "The map of a network, by view." });
export type TopologyData = z.output<typeof topologyDataSchema>;
