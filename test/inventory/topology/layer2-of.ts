import type { Topology } from "../../../src/inventory/topology/model.ts";
import type { Host } from "./graph-of.ts";

type Neighbor = Host["interfaces"][number]["neighbors"][number];

const liveId = ({ id, lineage_id }: { id: string; lineage_id: string | null }) => lineage_id ?? id;

const isShared = (mac: string) => mac.startsWith("00:00:5E:00:01:");

/** Every interface and every neighbor, with their hosts. */
const heardOf = (hosts: readonly Host[]) =>
  hosts.flatMap((host) =>
    host.interfaces.flatMap((own) => own.neighbors.map((neighbor) => ({ host, own, neighbor }))),
  );

/**
 * The hosts that a neighbor may be: those that meet the first criterion that another host than
 * `host` meets.
 */
function ownersOf(host: Host, neighbor: Neighbor, hosts: readonly Host[]): Host[] {
  const { chassis_id, system_name, management_addresses } = neighbor;
  const inNetwork = hosts.filter(({ network_id }) => network_id === host.network_id);
  const mac = chassis_id.subtype === "MacAddress" ? chassis_id.value : "";
  const addresses = [
    ...(chassis_id.subtype === "NetworkAddress" ? [chassis_id.value] : []),
    ...management_addresses,
  ];
  const names = system_name === null ? [] : [system_name, system_name.split(".")[0] ?? ""];
  const clues: ((one: Host) => boolean)[] = [
    (one) =>
      mac !== "" &&
      !isShared(mac) &&
      [...one.interfaces, ...one.ip_addresses].some(({ mac_address }) => mac_address === mac),
    (one) => one.ip_addresses.some(({ ip_address }) => addresses.includes(ip_address)),
    ...(["sys_name", "hostname"] as const).flatMap((field) =>
      names.map((name) => (one: Host) => one[field]?.toLowerCase() === name.toLowerCase()),
    ),
  ];
  for (const clue of clues) {
    const owners = inNetwork.filter(clue);
    if (owners.length > 1 || (owners[0] && owners[0] !== host)) {
      return owners;
    }
  }
  return [];
}

/**
 * The edges of the layer `l2`, as text, derived from the lists without the service's code: the
 * type, the ends, and the ids of the neighbors that are evidence.
 */
export function linksOf(hosts: readonly Host[]): string[] {
  const heard = heardOf(hosts).map(({ host, own, neighbor }) => {
    const owners = ownersOf(host, neighbor, hosts);
    return { host, own, neighbor, owner: owners.length === 1 ? owners[0] : undefined };
  });
  const links = new Map<string, string[]>();
  for (const one of heard) {
    const { host, own, neighbor, owner } = one;
    const { protocol, port_id } = neighbor;
    const named = (owner?.interfaces ?? []).filter(({ name, alias, mac_address }) =>
      port_id === null
        ? false
        : port_id.subtype === "MacAddress"
          ? mac_address === port_id.value
          : name === port_id.value || alias === port_id.value,
    );
    const from = new Set(
      heard
        .filter((other) => other.neighbor.protocol !== "Fdb")
        .filter((other) => other.host === host && other.owner === owner)
        .map((other) => other.own),
    );
    const back = new Set(
      heard
        .filter((other) => other.neighbor.protocol !== "Fdb")
        .filter((other) => other.host === owner && other.owner === host)
        .map((other) => other.own),
    );
    const isReciprocal = protocol !== "Fdb" && from.size === 1 && back.size === 1;
    const port = named.length === 1 ? named[0] : isReciprocal ? [...back][0] : undefined;
    const ends = port
      ? `Link ${[liveId(own), liveId(port)].toSorted().join(" ")}`
      : `${protocol === "Fdb" ? "Learned" : "Adjacent"} ${liveId(own)} ${owner ? liveId(owner) : neighbor.chassis_id.value}`;
    links.set(ends, [...(links.get(ends) ?? []), liveId(neighbor)]);
  }
  return [...links].map(([ends, ids]) => `${ends}: ${ids.toSorted().join(" ")}`).toSorted();
}

/** The edges of a map in the same form. */
export function drawnLinks({ nodes, edges }: Topology): string[] {
  const unknown = new Map(
    nodes.flatMap((node) =>
      node.type === "Unknown" ? [[node.id, node.details.chassis_id.value] as const] : [],
    ),
  );
  return edges
    .map(({ type, target, source_interface_id, target_interface_id, evidence }) => {
      const end = target_interface_id ?? unknown.get(target) ?? target.slice("host:".length);
      const ids = evidence.map(({ id }) => id).toSorted();
      return `${type} ${source_interface_id} ${end}: ${ids.join(" ")}`;
    })
    .toSorted();
}

/** The ids of the hosts at most `depth` edges from a host, by a breadth-first search. */
export function hostsAround({ edges }: Topology, start: string, depth: number): string[] {
  const near = new Set([`host:${start}`]);
  for (let distance = 0; distance < depth; distance++) {
    for (const node of [...near]) {
      for (const { source, target } of edges) {
        if (source === node || target === node) {
          near.add(source).add(target);
        }
      }
    }
  }
  return [...near].filter((id) => id.startsWith("host:")).toSorted();
}
