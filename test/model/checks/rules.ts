import type { Fault } from "../fault.ts";
import type { Binding, Inventory } from "../state.ts";

/** True if an IPv4 block contains an address. */
export function holds(cidr: string, address: string): boolean {
  const [block = "", bits = "32"] = cidr.split("/");
  const size = 2 ** (32 - Number(bits));
  return Math.floor(numberOf(block) / size) === Math.floor(numberOf(address) / size);
}

const lengthOf = (cidr: string) => Number(cidr.split("/")[1]);

/** True if a block is inside another one and not equal to it. */
export const isInside = (block: string, outer: string): boolean =>
  lengthOf(block) > lengthOf(outer) && holds(outer, block.split("/")[0] ?? "");

const numberOf = (address: string) =>
  address.split(".").reduce((number, part) => number * 256 + Number(part), 0);

/** The id that a record has in all its versions. */
const liveId = ({ id, lineage_id }: { id: string; lineage_id: string | null }) => lineage_id ?? id;

/** Finds records that share a key that must be unique. */
function twice<Item>(
  check: string,
  items: readonly Item[],
  keyOf: (item: Item) => string,
): Fault[] {
  return [...Map.groupBy(items, keyOf)].flatMap(([where, same]) =>
    same.length > 1 ? [{ check, where, difference: same }] : [],
  );
}

/** Checks the parent and the number of addresses of each subnet. */
const judgeSubnets = ({ subnets, "ip-addresses": addresses }: Inventory): Fault[] =>
  subnets.flatMap((subnet) => {
    const around = subnets
      .filter((one) => one.network_id === subnet.network_id && isInside(subnet.cidr, one.cidr))
      .sort((one, other) => lengthOf(other.cidr) - lengthOf(one.cidr));
    const parent_id = around[0] === undefined ? null : liveId(around[0]);
    const recorded = addresses.filter((one) => one.subnet_id === liveId(subnet)).length;
    return subnet.parent_id === parent_id && subnet.utilization.recorded === recorded
      ? []
      : [{ check: "subnet", where: liveId(subnet), difference: { subnet, parent_id, recorded } }];
  });

/**
 * Checks the rules that relate records to each other. They hold now and at every past instant (API
 * contract, section 9).
 * @param inventory the lists at one instant
 */
export function judgeRules(inventory: Inventory): Fault[] {
  const { hosts, subnets, ports, interfaces, services, bindings } = inventory;
  const addresses = inventory["ip-addresses"];
  return [
    ...judgeTree(inventory),
    ...judgeParents(inventory),
    ...judgeOpen(inventory),
    ...judgeSubnets(inventory),
    ...twice("subnet twice", subnets, ({ network_id, cidr }) => `${network_id} ${cidr}`),
    ...twice("port twice", ports, (port) => `${port.host_id} ${port.number} ${port.protocol}`),
    ...twice("interface twice", interfaces, (one) => `${one.host_id} ${one.if_index}`),
    ...interfaces.flatMap((one) => {
      const own = addresses.filter(({ host_id }) => host_id === one.host_id).map(liveId);
      return one.ip_address_ids.every((id) => own.includes(id))
        ? []
        : [
            {
              check: "addresses of an interface",
              where: liveId(one),
              difference: { one, own },
            },
          ];
    }),
    ...twice(
      "address twice",
      addresses,
      ({ host_id, subnet_id, ip_address }) => `${subnet_id ?? `none ${host_id}`} ${ip_address}`,
    ),
    ...addresses.flatMap((address) => {
      const subnet = subnets.find((one) => liveId(one) === address.subnet_id);
      return address.subnet_id === null ||
        (subnet?.network_id === address.network_id && holds(subnet.cidr, address.ip_address))
        ? []
        : [
            {
              check: "subnet of an address",
              where: liveId(address),
              difference: { address, subnet },
            },
          ];
    }),
    ...hosts.flatMap((host) => {
      const own = new Set(services.filter((one) => one.host_id === liveId(host)).map(liveId));
      return judgeBindings(bindings.filter(({ service_id }) => own.has(service_id)));
    }),
  ];
}

/** @param bindings the bindings of one host */
function judgeBindings(bindings: readonly Binding[]): Fault[] {
  return bindings.flatMap((one, index) =>
    bindings
      .slice(index + 1)
      .flatMap((other) =>
        isConflict(one, other)
          ? [{ check: "binding conflict", where: liveId(one), difference: { one, other } }]
          : [],
      ),
  );
}

function isConflict(one: Binding, other: Binding): boolean {
  const overlaps =
    one.ip_address_id === null ||
    other.ip_address_id === null ||
    one.ip_address_id === other.ip_address_id;
  const isSameService = one.service_id === other.service_id;
  if (one.type === "Port" && other.type === "Port") {
    return one.port_id === other.port_id && overlaps;
  }
  // An address can have bindings of several services, and several bindings of one service.
  return one.type !== other.type && isSameService && overlaps;
}

/** Checks that the children nested in hosts are exactly the records in the lists of children. */
function judgeTree(inventory: Inventory): Fault[] {
  const textsOf = (records: readonly object[]) => records.map((one) => JSON.stringify(one)).sort();
  const { hosts, services } = inventory;
  const ports = new Map(inventory.ports.map((port) => [liveId(port), port]));
  const addresses = new Map(inventory["ip-addresses"].map((one) => [liveId(one), one]));
  /** A service's bindings as the list of bindings returns them. */
  const bindingsOf = ({ host_id, name, bindings }: Inventory["services"][number]) =>
    bindings.map((binding) => {
      const port = ports.get(binding.port_id ?? "");
      const address = addresses.get(binding.ip_address_id ?? "");
      const places = [port && `${port.number}/${port.protocol}`, address?.ip_address];
      return { ...binding, host_id, label: [name, ...places.filter(Boolean)].join(" ") };
    });
  const lists = [
    ["ip-addresses", hosts.flatMap((host) => host.ip_addresses)],
    ["ports", hosts.flatMap((host) => host.ports)],
    ["interfaces", hosts.flatMap((host) => host.interfaces)],
    ["neighbors", hosts.flatMap((host) => host.interfaces).flatMap((one) => one.neighbors)],
    ["services", hosts.flatMap((host) => host.services)],
    ["bindings", services.flatMap(bindingsOf)],
  ] as const;
  return lists.flatMap(([name, nested]) => {
    const [one, other] = [textsOf(inventory[name]), textsOf(nested)];
    const [listed, within] = [new Set(one), new Set(other)];
    const difference = {
      only_listed: one.filter((text) => !within.has(text)),
      only_within: other.filter((text) => !listed.has(text)),
    };
    return one.length === other.length && difference.only_listed.length === 0
      ? []
      : [{ check: "tree and list", where: name, difference }];
  });
}

/** A port or a service is open if, and only if, a binding refers to it. */
function judgeOpen({ ports, services, bindings }: Inventory): Fault[] {
  const bound = new Set(bindings.flatMap(({ port_id, service_id }) => [port_id, service_id]));
  return [...ports, ...services].flatMap((one) =>
    one.is_open === bound.has(liveId(one))
      ? []
      : [{ check: "is_open", where: liveId(one), difference: one }],
  );
}

const parents = {
  host_id: "hosts",
  subnet_id: "subnets",
  service_id: "services",
  port_id: "ports",
  ip_address_id: "ip-addresses",
  interface_id: "interfaces",
} as const;

/** Every parent exists, and every record is on the same network and host as its parents. */
function judgeParents(inventory: Inventory): Fault[] {
  const byId = new Map<string, { network_id: string; host_id?: string }>();
  const { hosts, subnets, ports, interfaces, services, bindings } = inventory;
  const addresses = inventory["ip-addresses"];
  for (const record of [...hosts, ...subnets, ...ports, ...interfaces, ...services, ...addresses]) {
    byId.set(liveId(record), record);
  }
  // The port of a neighbor is not a record.
  const neighbors = inventory.neighbors.map(({ port_id: _, ...neighbor }) => neighbor);
  const parts = [...addresses, ...ports, ...interfaces, ...neighbors, ...services, ...bindings];
  return parts.flatMap((record) => {
    const references = Object.entries(record).filter(
      ([name, id]) => name in parents && id !== null,
    );
    const owners = references.map(([name, id]) => ({ name, owner: byId.get(String(id)) }));
    const hostIds = new Set(owners.flatMap(({ owner }) => owner?.host_id ?? []));
    const isSound =
      hostIds.size < 2 && owners.every(({ owner }) => owner?.network_id === record.network_id);
    return isSound
      ? []
      : [{ check: "parents", where: liveId(record), difference: { record, owners } }];
  });
}
