import { type Graph, hostNodes } from "./graph.ts";
import type { HeardRow, InterfaceRow, ListedLayer2 } from "./l2-sql.ts";
import { type Match, matchNeighbors } from "./match-neighbors.ts";
import type { Edge, UnknownNode } from "./model.ts";

/** An `l2` map, with the neighbors that do not match exactly one host. */
export interface Layer2Graph extends Graph {
  /** `host_id` is the host that reported the neighbor. */
  unmatched: readonly { host_id: string; isAmbiguous: boolean }[];
}

/** Builds the map of hosts and their neighbors. */
export function l2Of(listed: ListedLayer2): Layer2Graph {
  const { host_rows, heard_rows, found_rows, interface_rows } = listed;
  const drawn = new Set(host_rows.map(({ id }) => id));
  const interfaces = new Map(interface_rows.map((row) => [row.id, row]));
  const edges = new Map<string, Edge>();
  const unknown = new Map<string, UnknownNode>();
  const unmatched: { host_id: string; isAmbiguous: boolean }[] = [];
  for (const match of matchNeighbors(heard_rows, found_rows, interface_rows)) {
    const { heard, host_id } = match;
    if (host_id !== null && !drawn.has(host_id)) {
      continue;
    }
    if (host_id === null) {
      unmatched.push({ host_id: heard.host_id, isAmbiguous: match.isAmbiguous });
      const node = unknownNode(heard);
      unknown.set(node.id, unknown.get(node.id) ?? node);
    }
    const edge = edgeOf(match, interfaces);
    const known = edges.get(edge.id);
    if (known) {
      known.evidence.push(...edge.evidence);
    } else {
      edges.set(edge.id, edge);
    }
  }
  const toHostNode = hostNodes(listed);
  return {
    nodes: [...host_rows.map((host) => toHostNode(host, null)), ...unknown.values()],
    edges: [...edges.values()],
    unmatched,
  };
}

const unknownId = ({ digest }: HeardRow) => `unknown:${digest}`;

const unknownNode = (heard: HeardRow): UnknownNode => ({
  id: unknownId(heard),
  type: "Unknown",
  record: null,
  label: heard.system_name ?? heard.chassis_value,
  network_id: heard.network_id,
  parent: null,
  details: {
    chassis_id: { subtype: heard.chassis_subtype, value: heard.chassis_value },
    system_name: heard.system_name,
    system_description: heard.system_description,
    management_addresses: heard.management_addresses,
  },
});

const nameOf = ({ name, if_index }: Pick<InterfaceRow, "name" | "if_index">) =>
  name ?? String(if_index);

/** Maximum length of one interface's name in the label of an edge, in UTF-16 units. */
const labelOfEnd = 100;

/** The separator of the two ends of an edge in its label, at which clients may divide it. */
const betweenEnds = " - ";

const labelOf = (ends: readonly (string | null)[]): string =>
  ends
    .filter((end) => end !== null)
    // Without spaces around hyphens, a name cannot contain or complete the separator.
    .map((end) =>
      end
        .slice(0, labelOfEnd)
        .toWellFormed()
        .replaceAll(/(?<! ) *- */g, "-"),
    )
    .join(betweenEnds);

/** Returns the edge for a neighbor, with the neighbor as its evidence. */
function edgeOf(
  { heard, host_id, interface_id, says }: Match,
  interfaces: ReadonlyMap<string, InterfaceRow>,
): Edge {
  const local = interfaces.get(heard.interface_id);
  const remote = interface_id === null ? undefined : interfaces.get(interface_id);
  const evidence: Edge["evidence"] = [{ entity: "Neighbor", id: heard.id, says }];
  const here = {
    node: `host:${heard.host_id}`,
    interface_id: heard.interface_id,
    name: local ? nameOf(local) : null,
  };
  if (remote && host_id !== null) {
    const there = { node: `host:${host_id}`, interface_id: remote.id, name: nameOf(remote) };
    // Sorted, so that the neighbors reported by both ends result in the same edge.
    const [source, target] = here.interface_id < there.interface_id ? [here, there] : [there, here];
    return {
      id: `link:${source.interface_id}:${target.interface_id}`,
      type: "Link",
      source: source.node,
      target: target.node,
      basis: "reported",
      label: labelOf([source.name, target.name]),
      source_interface_id: source.interface_id,
      target_interface_id: target.interface_id,
      evidence,
    };
  }
  const target = host_id === null ? unknownId(heard) : `host:${host_id}`;
  const isLearned = heard.protocol === "Fdb";
  return {
    id: `${isLearned ? "learned" : "adjacent"}:${here.interface_id}:${target.slice(target.indexOf(":") + 1)}`,
    type: isLearned ? "Learned" : "Adjacent",
    source: here.node,
    target,
    basis: isLearned ? "inferred" : "reported",
    label: labelOf([here.name, heard.port_value]),
    source_interface_id: here.interface_id,
    target_interface_id: null,
    evidence,
  };
}

/** Returns the part of a map that is at most `depth` edges from a host. */
export function aroundHost(map: Layer2Graph, host_id: string, depth: number): Layer2Graph {
  const links = new Map<string, string[]>();
  const add = (from: string, to: string) => {
    const known = links.get(from) ?? [];
    known.push(to);
    links.set(from, known);
  };
  for (const { source, target } of map.edges) {
    add(source, target);
    add(target, source);
  }
  const near = new Set([`host:${host_id}`]);
  let front = near;
  for (let distance = 0; distance < depth; distance++) {
    front = new Set(
      [...front].flatMap((node) => links.get(node) ?? []).filter((node) => !near.has(node)),
    );
    for (const node of front) {
      near.add(node);
    }
  }
  return {
    nodes: map.nodes.filter(({ id }) => near.has(id)),
    edges: map.edges.filter(({ source, target }) => near.has(source) && near.has(target)),
    unmatched: map.unmatched.filter(({ host_id }) => near.has(`host:${host_id}`)),
  };
}
