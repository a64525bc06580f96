import type { Topology } from "../../client/app.d.ts";

type Node = Topology["nodes"][number];
export type HostNode = Extract<Node, { type: "Host" }>;
export type SubnetNode = Extract<Node, { type: "Subnet" }>;
type ServiceNode = Extract<Node, { type: "Service" }>;

/** A host's place on the map: it stays the same as long as the host's address and subnets do. */
export interface Place {
  key: string;
  node: HostNode;
  /** The subnets that the host is in. */
  subnets: string[];
  /** The address by which the host is sorted, or an empty string. */
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

/** Everything that a map shows, at one instant or several. */
export interface Scene {
  layer: Topology["layer"];
  detail: Topology["detail"];
  subnets: { node: SubnetNode; isPresent: boolean }[];
  places: Place[];
  runsOn: Connection[];
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

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);

/** Sorts subnets by CIDR. */
export const byCidr = (one: SubnetNode, other: SubnetNode) =>
  compare(cidrKey(one.details.cidr), cidrKey(other.details.cidr)) || compare(one.id, other.id);

/** Sorts places by address; hosts without an address come last, by name. */
export function sortedPlaces(places: readonly Place[]): Place[] {
  return places
    .map((place) => {
      const { address, node, isLate } = place;
      const key = address === "" ? "9" : addressKey(address);
      return { place, key: `${isLate ? 1 : 0}${key} ${node.label} ${node.id}` };
    })
    .sort((one, other) => compare(one.key, other.key))
    .map(({ place }) => place);
}

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
        key: `${home.join("+")} ${address} ${node.id}`,
        node,
        subnets: home,
        address,
        further,
        services: own,
        rows: Math.min(own.length, listedServices),
        isPresent: true,
        isLate: false,
      };
    });
  return {
    layer,
    detail,
    subnets: subnets.map((node) => ({ node, isPresent: true })),
    places,
    runsOn: edges.filter(({ type }) => type === "RunsOn"),
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
      rows: Math.max(place.rows, before?.rows ?? 0),
      isLate: before?.isLate ?? isLate,
    });
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
  };
}
