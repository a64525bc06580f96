import type * as z from "zod";
import type { Topology } from "../../../src/inventory/topology/model.ts";
import type { inventorySchemas } from "../../helpers/inventory.ts";

export type Host = z.output<typeof inventorySchemas.hosts>;
export type Subnet = z.output<typeof inventorySchemas.subnets>;
type Node = Topology["nodes"][number];
type Edge = Topology["edges"][number];

/** The lists of hosts and subnets at one instant. */
export interface Lists {
  hosts: readonly Host[];
  subnets: readonly Subnet[];
}

/** The parameters of a map. */
export interface Query {
  layer?: "l3" | "services";
  detail?: "hosts" | "subnets";
  at?: string;
  host_id?: string;
  depth?: number;
  subnet_id?: string;
  tag_ids?: readonly string[];
  /** The networks that the key can access; undefined for all. */
  networks?: readonly string[];
}

/** The live id of a record, which a closed version has as `lineage_id`. */
const liveId = ({ id, lineage_id }: { id: string; lineage_id: string | null }) => lineage_id ?? id;

const number = (address: string) =>
  address.split(".").reduce((sum, octet) => sum * 256 + Number(octet), 0);

const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1);

/** The nodes at most `depth` edges away, by a breadth-first search. */
function ballOf(start: string, links: readonly (readonly [string, string])[], depth: number) {
  const reached = new Set([start]);
  let front = [start];
  for (let distance = 0; distance < depth; distance++) {
    front = links
      .flatMap(([one, other]) => [
        ...(front.includes(one) ? [other] : []),
        ...(front.includes(other) ? [one] : []),
      ])
      .filter((node) => !reached.has(node));
    for (const node of front) {
      reached.add(node);
    }
  }
  return reached;
}

/** The map derived from the lists, computed without the service's code. Addresses are IPv4. */
export function graphOf(lists: Lists, query: Query): Topology {
  const { layer = "l3", detail = "hosts", at, host_id, depth = 1, networks } = query;
  const isReached = ({ network_id }: { network_id: string }) =>
    networks === undefined || networks.includes(network_id);
  const isNarrowed = query.subnet_id !== undefined || query.tag_ids !== undefined;
  const hosts = lists.hosts
    .filter(isReached)
    .filter(({ tags }) => !query.tag_ids || tags.some((tag) => query.tag_ids?.includes(tag)))
    .filter(
      ({ ip_addresses }) =>
        query.subnet_id === undefined ||
        ip_addresses.some(({ subnet_id }) => subnet_id === query.subnet_id),
    );
  const hostIds = new Set(hosts.map(liveId));
  const services = hosts.flatMap((host) =>
    host.services.map((service) => ({ ...service, owner: liveId(host) })),
  );
  const serviceOwners = new Map(services.map((service) => [liveId(service), service.owner]));
  const addresses = hosts.flatMap((host) =>
    host.ip_addresses
      .map((address) => ({
        id: liveId(address),
        owner: liveId(host),
        subnet_id: address.subnet_id,
        text: address.ip_address,
      }))
      .sort((one, other) => number(one.text) - number(other.text) || byId(one, other)),
  );
  const subnetsOf = (host: string) =>
    new Set(
      addresses.flatMap(({ owner, subnet_id }) => (owner === host && subnet_id ? [subnet_id] : [])),
    );
  const subnets = lists.subnets
    .filter(isReached)
    .filter((subnet) => !isNarrowed || addresses.some((one) => one.subnet_id === liveId(subnet)));

  const guests = [
    ...hosts.map((host) => ({
      id: `host:${liveId(host)}`,
      owner: liveId(host),
      entity: "Host" as const,
      label: host.virtualization?.details.vm_name ?? null,
      runner: host.virtualization?.details.service_id ?? null,
    })),
    ...(layer === "l3"
      ? []
      : services.map((service) => ({
          id: `service:${liveId(service)}`,
          owner: service.owner,
          entity: "Service" as const,
          label: service.virtualization?.details.container_name ?? null,
          runner: service.virtualization?.details.service_id ?? null,
        }))),
  ].flatMap(({ runner, ...guest }) => {
    const runnerHost = runner === null ? undefined : serviceOwners.get(runner);
    return runner === null || runnerHost === undefined ? [] : [{ ...guest, runner, runnerHost }];
  });
  const runsOn = guests.map(
    ({ id, entity, label, runner, runnerHost }): Edge => ({
      id: `runs-on:${id}`,
      type: "RunsOn",
      source: id,
      target: layer === "l3" ? `host:${runnerHost}` : `service:${runner}`,
      basis: "recorded",
      label,
      evidence: [{ entity, id: id.slice(id.indexOf(":") + 1) }],
    }),
  );
  const inSubnet = (owner: string, subnet_id: string, text: string) =>
    ({
      source: `host:${owner}`,
      target: `subnet:${subnet_id}`,
      basis: "recorded",
      label: text,
    }) as const;
  const addressEdges = addresses.flatMap(({ id, owner, subnet_id, text }): Edge[] =>
    subnet_id === null
      ? []
      : [
          {
            id: `address:${id}`,
            type: "Address",
            ...inSubnet(owner, subnet_id, text),
            evidence: [{ entity: "IPAddress", id }],
          },
        ],
  );
  const gateways = services
    .filter(({ service_definition }) => service_definition === "Gateway")
    .flatMap(({ bindings }) => bindings)
    .flatMap((binding): Edge[] => {
      const address = addresses.find(({ id }) => id === binding.ip_address_id);
      const id = liveId(binding);
      return address?.subnet_id
        ? [
            {
              id: `gateway:${id}`,
              type: "Gateway",
              ...inSubnet(address.owner, address.subnet_id, address.text),
              evidence: [{ entity: "Binding", id }],
            },
          ]
        : [];
    });
  const edges = layer === "l3" ? [...addressEdges, ...gateways, ...runsOn] : runsOn;
  const connected = new Set(edges.flatMap(({ source, target }) => [source, target]));
  const nodes: Node[] = [
    ...hosts.map((host): Node => {
      const id = liveId(host);
      const [only, ...others] = subnetsOf(id);
      return {
        id: `host:${id}`,
        type: "Host",
        record: { entity: "Host", id },
        label: host.name,
        network_id: host.network_id,
        parent: layer === "l3" && only && others.length === 0 ? `subnet:${only}` : null,
        details: {
          addresses: addresses.filter(({ owner }) => owner === id).map(({ text }) => text),
          services: host.services.filter(({ is_open }) => is_open).length,
          operating_system: host.operating_system,
        },
      };
    }),
    ...(layer === "services" ? [] : subnets).map((subnet): Node => {
      const id = liveId(subnet);
      const own = addresses.filter(({ subnet_id }) => subnet_id === id);
      const { name, network_id, cidr, subnet_type } = subnet;
      return {
        id: `subnet:${id}`,
        type: "Subnet",
        record: { entity: "Subnet", id },
        label: name,
        network_id,
        parent: null,
        details: {
          cidr,
          subnet_type,
          hosts: new Set(own.map(({ owner }) => owner)).size,
          addresses: own.length,
        },
      };
    }),
    ...(layer === "l3" ? [] : services)
      .map((service): Node => {
        const id = liveId(service);
        const { name, network_id, service_definition, version, is_open } = service;
        return {
          id: `service:${id}`,
          type: "Service",
          record: { entity: "Service", id },
          label: name,
          network_id,
          parent: `host:${service.owner}`,
          details: { service_definition, version, is_open },
        };
      })
      .filter(({ id, details }) => connected.has(id) || ("is_open" in details && details.is_open)),
  ];

  const links = [
    ...(layer === "l3" ? addressEdges.map(({ source, target }) => [source, target] as const) : []),
    ...guests.map(({ owner, runnerHost }) => [`host:${owner}`, `host:${runnerHost}`] as const),
  ];
  const ball =
    host_id === undefined
      ? null
      : hostIds.has(host_id)
        ? ballOf(`host:${host_id}`, links, depth)
        : new Set<string>();
  const isNear = (node: Node) =>
    ball === null || ball.has(node.type === "Service" ? (node.parent ?? "") : node.id);
  const isWhole = ({ type, record }: Node) =>
    detail === "hosts" || type !== "Host" || subnetsOf(record.id).size > 1;
  const near = nodes.filter((node) => isNear(node) && isWhole(node));
  const nearIds = new Set(near.map(({ id }) => id));
  const drawnEdges = edges.filter(
    ({ source, target }) => nearIds.has(source) && nearIds.has(target),
  );
  const ends = new Set(drawnEdges.flatMap(({ source, target }) => [source, target]));
  const drawn = near
    .filter(({ id, details }) => !("is_open" in details) || details.is_open || ends.has(id))
    .map(
      (node): Node =>
        node.type === "Host" && !nearIds.has(node.parent ?? "") ? { ...node, parent: null } : node,
    )
    .sort(byId);
  const counted = nodes.filter((node) => node.type === "Host" && isNear(node));
  return {
    at: at ?? null,
    network_ids: [...new Set(drawn.map(({ network_id }) => network_id))].sort(),
    layer,
    detail,
    nodes: drawn,
    edges: drawnEdges.sort(byId),
    counts: {
      nodes: drawn.length,
      edges: drawnEdges.length,
      hosts: counted.length,
      hosts_in_no_subnet: counted.filter(({ id }) => subnetsOf(id.slice("host:".length)).size === 0)
        .length,
    },
  };
}
