import type { Edge, HostNode, ServiceNode, SubnetNode, Topology } from "./model.ts";
import type { Asked, Listed } from "./sql.ts";

/** The nodes and edges of a map, in any order. */
export type Graph = Pick<Topology, "nodes" | "edges">;

/** Returns a function that fills in a host's addresses and number of services. */
export function hostNodes({ address_rows, open_rows }: Pick<Listed, "address_rows" | "open_rows">) {
  const addresses = Map.groupBy(address_rows, ({ host_id }) => host_id);
  const open = new Map(open_rows.map(({ host_id, services }) => [host_id, services]));
  return (
    { id, network_id, name, operating_system }: Listed["host_rows"][number],
    parent: string | null,
  ): HostNode => ({
    id: `host:${id}`,
    type: "Host",
    record: { entity: "Host", id },
    label: name,
    network_id,
    parent,
    details: {
      addresses: addresses.get(id)?.map(({ address }) => address) ?? [],
      services: open.get(id) ?? 0,
      operating_system,
    },
  });
}

/** Returns a function that fills in a subnet's numbers of hosts and addresses. */
export function subnetNodes({ held_rows }: Listed) {
  const held = new Map(held_rows.map((row) => [row.subnet_id, row]));
  return ({
    id,
    network_id,
    name,
    cidr,
    subnet_type,
  }: Listed["subnet_rows"][number]): SubnetNode => {
    const { hosts = 0, addresses = 0 } = held.get(id) ?? {};
    return {
      id: `subnet:${id}`,
      type: "Subnet",
      record: { entity: "Subnet", id },
      label: name,
      network_id,
      parent: null,
      details: { cidr, subnet_type, hosts, addresses },
    };
  };
}

export const serviceNode = ({
  id,
  network_id,
  host_id,
  name,
  ...details
}: Listed["service_rows"][number]): ServiceNode => ({
  id: `service:${id}`,
  type: "Service",
  record: { entity: "Service", id },
  label: name,
  network_id,
  parent: `host:${host_id}`,
  details,
});

interface InSubnet {
  id: string;
  host_id: string;
  subnet_id: string;
  address: string;
}

const inSubnet = ({ host_id, subnet_id, address }: InSubnet) =>
  ({
    source: `host:${host_id}`,
    target: `subnet:${subnet_id}`,
    basis: "recorded",
    label: address,
  }) as const;

export const addressEdge = (address: InSubnet): Edge => ({
  id: `address:${address.id}`,
  type: "Address",
  ...inSubnet(address),
  evidence: [{ entity: "IPAddress", id: address.id }],
});

export const gatewayEdge = (binding: InSubnet): Edge => ({
  id: `gateway:${binding.id}`,
  type: "Gateway",
  ...inSubnet(binding),
  evidence: [{ entity: "Binding", id: binding.id }],
});

/** @param target the node of the service that runs the guest, or of that service's host */
export const runsOnEdge = (
  { entity, id, label }: Listed["runs_on_rows"][number],
  target: string,
): Edge => {
  const source = `${entity.toLowerCase()}:${id}`;
  return {
    id: `runs-on:${source}`,
    type: "RunsOn",
    source,
    target,
    basis: "recorded",
    label,
    evidence: [{ entity, id }],
  };
};

const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1);

/** Adds the counts to a map, and sorts it. */
export function toTopology(
  { nodes, edges }: Graph,
  counts: Omit<Topology["counts"], "nodes" | "edges">,
  {
    at = null,
    layer,
    detail,
  }: Pick<Asked, "layer" | "detail"> & { at?: string | null | undefined },
): Topology {
  return {
    at,
    network_ids: [...new Set(nodes.map(({ network_id }) => network_id))].sort(),
    layer,
    detail,
    // Ids are ASCII, so this is the order of code points.
    nodes: nodes.sort(byId),
    edges: edges.sort(byId),
    counts: { nodes: nodes.length, edges: edges.length, ...counts },
  };
}
