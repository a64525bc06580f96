import type { Topology } from "../../client/app.d.ts";

type Node = Topology["nodes"][number];
export type HostNode = Extract<Node, { type: "Host" }>;
type UnknownNode = Extract<Node, { type: "Unknown" }>;
export type SubnetNode = Extract<Node, { type: "Subnet" }>;
type ServiceNode = Extract<Node, { type: "Service" }>;

/**
 * A host's place on the map, or that of an unknown device. In layer 2 it is always the same; in
 * the other layers, as long as the host's address and subnets are.
 */
export interface Place {
  key: string;
  node: HostNode | UnknownNode;
  /** A key by which places are sorted: the address, then the name. */
  rank: string;
  /** The subnets that the host is in. */
  subnets: string[];
  /** The address that is shown, or an empty string. */
  address: string;
  /** The host's other addresses that are in subnets, with those subnets. */
  further: { subnet: string; address: string }[];
  services: ServiceNode[];
  /** The number of lines for services. */
  rows: number;
  /** False if the host is not there at the instant that is shown. */
  isPresent: boolean;
  /**
   * True if the place was added while the instant was moving: it comes last, so that the others
   * stay where they are.
   */
  isLate: boolean;
}

/** A connection between two hosts, or between their services. */
export interface Connection {
  source: string;
  target: string;
}

/** A connection of layer 2. */
export interface Adjacency {
  id: string;
  type: "Link" | "Adjacent" | "Learned";
  /** The ids of the nodes at both ends. */
  ends: readonly [string, string];
  /** The names of the interfaces at both ends; an empty string if a name is not known. */
  ports: readonly [string, string];
  isPresent: boolean;
  isLate: boolean;
}

/** Everything that a map shows, at one instant or several. */
export interface Scene {
  layer: Topology["layer"];
  detail: Topology["detail"];
  subnets: { node: SubnetNode; isPresent: boolean }[];
  places: Place[];
  runsOn: Connection[];
  adjacencies: Adjacency[];
}

/** Maximum number of services that are listed on a host. */
const listedServices = 7;

/** A key by which addresses sort numerically, IPv4 before IPv6. */
export function addressKey(text: string): string {
  if (!text.includes(":")) {
    const parts = text.split(".").map((part) => Number(part).toString(16).padStart(2, "0"));
    return `4${parts.join("")}`;
  }
  const [head = "", tail] = text.split("::");
  const groupsOf = (part: string) =>
    part.split(":").flatMap((group) => {
      if (!group.includes(".")) {
        return group === "" ? [] : [group.padStart(4, "0")];
      }
      const key = addressKey(group);
      return [key.slice(1, 5), key.slice(5)];
    });
  const first = groupsOf(head);
  const last = groupsOf(tail ?? "");
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => "0000");
  return `6${[...first, ...zeros, ...last].join("")}`;
}

function cidrKey(cidr: string): string {
  const [address = "", length = ""] = cidr.split("/");
  return `${addressKey(address)}/${length.padStart(3, "0")}`;
}

export const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);

/** Compares two subnets by CIDR, for sorting. */
export const byCidr = (one: SubnetNode, other: SubnetNode) =>
  compare(cidrKey(one.details.cidr), cidrKey(other.details.cidr)) || compare(one.id, other.id);

/** A key by which names sort as people sort them: `host-2` before `host-10`. */
const nameKey = (name: string) => name.replaceAll(/\d+/g, (digits) => digits.padStart(9, "0"));

const rankOf = ({ id, label }: Place["node"], address: string) =>
  `${address === "" ? "9" : addressKey(address)} ${nameKey(label)} ${id}`;

/** Sorts places by address; hosts without an address come last, by name. */
export const sortedPlaces = (places: readonly Place[]): Place[] =>
  places.toSorted(
    (one, other) => Number(one.isLate) - Number(other.isLate) || compare(one.rank, other.rank),
  );

/** The id of the host; undefined for an unknown device. */
export const hostOf = ({ type, record }: Place["node"]) =>
  type === "Host" ? record?.id : undefined;

/** Divides the label of an edge into the names of the two interfaces. */
function portsOf(label: string): Adjacency["ports"] {
  const [own = "", other = ""] = label.split(" - ");
  return [own, other];
}

const adjacencyTypes = ["Link", "Adjacent", "Learned"] as const;

/** Returns the scene of a map at one instant. */
export function sceneOf({ nodes, edges, layer, detail }: Topology): Scene {
  const subnets = nodes.filter((node): node is SubnetNode => node.type === "Subnet").sort(byCidr);
  const rank = new Map(subnets.map(({ id }, index) => [id, index]));
  const inSubnets = Map.groupBy(
    edges.filter(({ type, target }) => type === "Address" && rank.has(target)),
    ({ source }) => source,
  );
  const services = Map.groupBy(
    nodes.filter((node): node is ServiceNode => node.type === "Service"),
    ({ parent }) => parent ?? "",
  );
  const places = nodes
    .filter((node): node is HostNode => node.type === "Host")
    .map((node): Place => {
      const addresses = (inSubnets.get(node.id) ?? [])
        .map(({ target, label }) => ({ subnet: target, address: label ?? "" }))
        .sort(
          (one, other) =>
            (rank.get(one.subnet) ?? 0) - (rank.get(other.subnet) ?? 0) ||
            compare(addressKey(one.address), addressKey(other.address)),
        );
      const home = [...new Set(addresses.map(({ subnet }) => subnet))];
      const [first, ...further] = addresses;
      const address = first?.address ?? node.details.addresses[0] ?? "";
      const own = (services.get(node.id) ?? []).sort((one, other) =>
        compare(one.label, other.label),
      );
      return {
        key: layer === "l2" ? node.id : `${home.join("+")} ${address} ${node.id}`,
        node,
        rank: rankOf(node, address),
        subnets: home,
        address,
        further,
        services: own,
        rows: Math.min(own.length, listedServices),
        isPresent: true,
        isLate: false,
      };
    });
  const unknown = nodes
    .filter((node): node is UnknownNode => node.type === "Unknown")
    .map((node): Place => {
      const address = node.details.management_addresses[0] ?? "";
      return {
        key: node.id,
        node,
        rank: rankOf(node, address),
        subnets: [],
        address,
        further: [],
        services: [],
        rows: 0,
        isPresent: true,
        isLate: false,
      };
    });
  const adjacencies = edges.flatMap(({ id, type: all, source, target, label }): Adjacency[] => {
    const type = adjacencyTypes.find((one) => one === all);
    const ports = portsOf(label ?? "");
    return type === undefined
      ? []
      : [{ id, type, ends: [source, target], ports, isPresent: true, isLate: false }];
  });
  return {
    layer,
    detail,
    subnets: subnets.map((node) => ({ node, isPresent: true })),
    places: [...places, ...unknown],
    runsOn: edges.filter(({ type }) => type === "RunsOn"),
    adjacencies,
  };
}

/**
 * Adds the places of another scene to a scene, so that a host has the same position in both.
 * @param isLate whether places that exist only in `scene` come last
 */
export function withPlacesOf(scene: Scene, other: Scene, isLate: boolean): Scene {
  const places = new Map<string, Place>(
    other.places.map((place) => [place.key, { ...place, isPresent: false }]),
  );
  for (const place of scene.places) {
    const before = places.get(place.key);
    places.set(place.key, {
      ...place,
      // A new name or address does not move a host.
      rank: before && (isLate || before.rank < place.rank) ? before.rank : place.rank,
      rows: Math.max(place.rows, before?.rows ?? 0),
      isLate: before?.isLate ?? isLate,
    });
  }
  const adjacencies = new Map(
    other.adjacencies.map((one) => [one.id, { ...one, isPresent: false }]),
  );
  for (const one of scene.adjacencies) {
    adjacencies.set(one.id, { ...one, isLate: adjacencies.get(one.id)?.isLate ?? isLate });
  }
  const subnets = new Map<string, Scene["subnets"][number]>(
    other.subnets.map(({ node }) => [node.id, { node, isPresent: false }]),
  );
  for (const subnet of scene.subnets) {
    subnets.set(subnet.node.id, subnet);
  }
  return {
    ...scene,
    subnets: [...subnets.values()].sort((one, next) => byCidr(one.node, next.node)),
    places: [...places.values()],
    adjacencies: [...adjacencies.values()],
  };
}

/** A connection of layer 2, as one of its ends sees it. */
export interface Neighbor {
  of: Adjacency;
  /** The node's own interface. */
  port: string;
  other: Place["node"];
  otherPort: string;
}

/** Sorts names as people sort them: `eth2` before `eth10`. */
export const byName = new Intl.Collator("en", { numeric: true });

/** The neighbors of each node, in the order of its interfaces, by the node's id. */
export function neighborsOf({ places, adjacencies }: Scene): Map<string, Neighbor[]> {
  const nodes = new Map(places.map(({ node }) => [node.id, node]));
  const neighbors = new Map<string, Neighbor[]>();
  const add = (of: Adjacency, own: 0 | 1, far: 0 | 1) => {
    const other = nodes.get(of.ends[far]);
    if (other && of.isPresent) {
      const known = neighbors.get(of.ends[own]) ?? [];
      known.push({ of, port: of.ports[own], other, otherPort: of.ports[far] });
      neighbors.set(of.ends[own], known);
    }
  };
  for (const of of adjacencies) {
    add(of, 0, 1);
    add(of, 1, 0);
  }
  for (const all of neighbors.values()) {
    all.sort(
      (one, next) =>
        byName.compare(one.port, next.port) || byName.compare(one.other.label, next.other.label),
    );
  }
  return neighbors;
}
