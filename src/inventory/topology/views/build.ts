import { type Layer2Graph, l2Of } from "../l2.ts";
import type { HeardRow, ListedLayer2 } from "../l2-sql.ts";
import type { Edge } from "../model.ts";
import type { Listed } from "../sql.ts";
import type {
  LogicalEdge,
  LogicalNode,
  PhysicalEdge,
  PhysicalNode,
  TopologyData,
} from "./model.ts";

const origin = { x: 0, y: 0 } as const;
const unplaced = { position: origin, size: origin };
const plain = { source_handle: "Bottom", target_handle: "Top", is_multi_hop: false } as const;

/**
 * The view of subnets with the addresses in them. Addresses of the same host are connected to its
 * first address, as are virtual machines to the host that they run on.
 */
export function l3View({ host_rows, subnet_rows, address_rows, runs_on_rows }: Listed): {
  nodes: LogicalNode[];
  edges: LogicalEdge[];
} {
  const names = new Map(host_rows.map(({ id, name }) => [id, name]));
  const blocks = new Map(subnet_rows.map(({ id, name, cidr }) => [id, { name, cidr }]));
  const addresses = address_rows.flatMap(({ id, host_id, subnet_id }) =>
    subnet_id !== null && blocks.has(subnet_id) ? [{ id, host_id, subnet_id }] : [],
  );
  const firstOf = new Map<string, string>();
  for (const { id, host_id } of addresses) {
    firstOf.set(host_id, firstOf.get(host_id) ?? id);
  }
  const sameHost = addresses.flatMap(({ id, host_id }): LogicalEdge[] => {
    const source = firstOf.get(host_id);
    return source === undefined || source === id
      ? []
      : [
          {
            ...plain,
            id,
            edge_type: "SameHost",
            source,
            target: id,
            label: names.get(host_id) ?? null,
            relation_key: host_id,
            host_id,
          },
        ];
  });
  const hypervisors = runs_on_rows.flatMap(({ id, host_id, runner_id, service_id, label }) => {
    const source = firstOf.get(runner_id);
    const target = firstOf.get(host_id);
    const edge_type = "Hypervisor" as const;
    const own = { id, label, relation_key: null, hypervisor_service_id: service_id };
    return source === undefined || target === undefined
      ? []
      : [{ ...plain, ...own, edge_type, source, target }];
  });
  return {
    nodes: [
      ...[...blocks].map(
        ([id, { name, cidr }]): LogicalNode => ({
          ...unplaced,
          id,
          node_type: "Container",
          container_type: "Subnet",
          entity_id: id,
          header: name === cidr ? cidr : `${name} (${cidr})`,
        }),
      ),
      ...addresses.map(
        ({ id, host_id, subnet_id }): LogicalNode => ({
          ...unplaced,
          id,
          node_type: "Element",
          element_type: "IPAddress",
          container_id: subnet_id,
          host_id,
          subnet_id,
          ip_address_id: id,
          header: names.get(host_id) ?? id,
        }),
      ),
    ],
    edges: [...sameHost, ...hypervisors],
  };
}

/** The protocols that a view names. A link that follows from a forwarding table has none. */
const protocolNames = { Lldp: "LLDP", Cdp: "CDP", Fdb: null } as const satisfies Record<
  HeardRow["protocol"],
  string | null
>;

const hostIdOf = (node: string) => node.slice(node.indexOf(":") + 1);

/** Returns a function that converts an edge of the map; null if the view does not show it. */
function viewEdges(heard_rows: readonly HeardRow[]) {
  const protocols = new Map(heard_rows.map(({ id, protocol }) => [id, protocolNames[protocol]]));
  return ({
    type,
    source,
    target,
    label,
    evidence,
    source_interface_id = null,
    target_interface_id = null,
  }: Edge): PhysicalEdge | null => {
    const announced = evidence.find(({ id }) => protocols.get(id));
    const protocol = announced && protocols.get(announced.id);
    if (!announced || !protocol || target.startsWith("unknown:")) {
      return null;
    }
    const own = { ...plain, id: announced.id, label, protocol };
    const relation_key = (...ends: string[]) => ends.toSorted().join(":");
    if (type === "Link" && source_interface_id !== null && target_interface_id !== null) {
      return {
        ...own,
        edge_type: "PhysicalLink",
        source: source_interface_id,
        target: target_interface_id,
        relation_key: relation_key(source_interface_id, target_interface_id),
        source_entity_id: source_interface_id,
        target_entity_id: target_interface_id,
      };
    }
    const [source_host_id, target_host_id] = [hostIdOf(source), hostIdOf(target)];
    return {
      ...own,
      edge_type: "NeighborLink",
      source: source_host_id,
      target: target_host_id,
      relation_key: relation_key(source_host_id, target_host_id),
      source_host_id,
      target_host_id,
    };
  };
}

/** The view of hosts with the interfaces by which they detect each other. */
export function l2View(
  { host_rows, heard_rows, interface_rows }: ListedLayer2,
  { edges: mapEdges }: Layer2Graph,
): { nodes: PhysicalNode[]; edges: PhysicalEdge[]; interfaces: TopologyData["interfaces"] } {
  const toViewEdge = viewEdges(heard_rows);
  const edges = mapEdges.flatMap((edge) => toViewEdge(edge) ?? []);
  const ends = new Set(edges.flatMap(({ source, target }) => [source, target]));
  const linked = interface_rows.filter(({ id }) => ends.has(id));
  const onLink = new Set(linked.map(({ host_id }) => host_id));
  return {
    nodes: [
      ...host_rows
        .filter(({ id }) => ends.has(id) || onLink.has(id))
        .map(
          ({ id, name }): PhysicalNode => ({
            ...unplaced,
            id,
            node_type: "Container",
            container_type: "Host",
            entity_id: id,
            header: name,
          }),
        ),
      ...linked.map(
        ({ id, host_id, name, if_index }): PhysicalNode => ({
          ...unplaced,
          id,
          node_type: "Element",
          element_type: "Interface",
          container_id: host_id,
          host_id,
          interface_id: id,
          header: name ?? String(if_index),
        }),
      ),
    ],
    edges,
    interfaces: linked.map(({ id, host_id, if_index, name }) => ({
      id,
      host_id,
      if_index,
      if_name: name,
    })),
  };
}

const sorted = <Item extends { id: string }>(items: readonly Item[]): Item[] =>
  items.toSorted((one, other) => (one.id < other.id ? -1 : 1));

/**
 * Combines the layers of a map into the format of the reference. Everything is sorted by id, so that
 * the same records always have the same entity tag.
 */
export function topologyDataOf(layer3: Listed, layer2: ListedLayer2): TopologyData {
  const logical = l3View(layer3);
  const { interfaces, ...physical } = l2View(layer2, l2Of(layer2));
  return {
    hosts: sorted(layer3.host_rows.map(({ id, network_id, name }) => ({ id, network_id, name }))),
    subnets: sorted(layer3.subnet_rows),
    ip_addresses: sorted(
      layer3.address_rows.map(({ address, ...row }) => ({ ...row, ip_address: address })),
    ),
    interfaces: sorted(interfaces),
    dependencies: [],
    nodes: { L3Logical: sorted(logical.nodes), L2Physical: sorted(physical.nodes) },
    edges: { L3Logical: sorted(logical.edges), L2Physical: sorted(physical.edges) },
    available_views: physical.edges.length > 0 ? ["L3Logical", "L2Physical"] : ["L3Logical"],
  };
}
