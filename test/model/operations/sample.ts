import * as material from "../material.ts";
import type { Random } from "../random.ts";
import type { Address, Host, Interface, Neighbor, Port, Service, State } from "../state.ts";

/** The ETag to send as `If-Match`; undefined in at least half of all cases. */
export const ifMatchOf = (state: State, path: string, random: Random): string | undefined =>
  random.happens(50) ? state.seen.get(path)?.etag : undefined;

/** Up to two tags. */
export const tagsOf = ({ others }: State, random: Random): string[] =>
  random.happens(30) ? random.some(others.tags, 2).map(({ id }) => id) : [];

/** An external id, or none, and metadata. Another record may already have the external id. */
export const ownData = (random: Random) => ({
  external_id: random.happens(70) ? random.oneOf(material.externalIds) : null,
  metadata: random.oneOf(material.metadata),
});

/** An address for a new or an existing host. */
export const newAddress = (random: Random) => ({
  id: random.id(),
  ip_address: random.oneOf(material.addresses),
  ...(random.happens(50) && { mac_address: random.oneOf(material.macs) }),
  ...(random.happens(20) && { name: random.oneOf(material.addressNames) }),
  ...(random.happens(20) && { status: random.oneOf(material.addressStatuses) }),
});

/** A port that the host does not have yet; undefined if it has them all. */
export function newPort(random: Random, others: readonly { number: number; protocol: string }[]) {
  const free = material.portNumbers
    .flatMap((number) => material.protocols.map((protocol) => ({ number, protocol })))
    .filter(
      (port) => !others.some((o) => o.number === port.number && o.protocol === port.protocol),
    );
  const chosen = random.pick(free);
  return chosen && { id: random.id(), ...chosen };
}

/** An interface that the host does not have yet; null if it has them all. */
export function newInterface(
  random: Random,
  host: {
    ip_addresses: readonly { id: string }[];
    interfaces: readonly { if_index: number }[];
  },
) {
  const if_index = random.pick(
    [1, 2, 3, 4, 5].filter((one) => !host.interfaces.some((other) => other.if_index === one)),
  );
  return if_index === undefined
    ? null
    : {
        id: random.id(),
        if_index,
        ...(random.happens(60) && { name: random.oneOf(material.addressNames) }),
        ...(random.happens(40) && { mac_address: random.oneOf(material.macs) }),
        ...(random.happens(40) && { native_vlan: random.oneOf(material.vlans) }),
        ...(random.happens(30) && { tagged_vlans: random.some(material.vlans, 3) }),
        ip_address_ids: random.some(host.ip_addresses, 2).map(({ id }) => id),
      };
}

export const editedInterface = (own: Interface, random: Random, host?: Host) => {
  switch (random.below(6)) {
    case 5:
      return { ...own, native_vlan: null, tagged_vlans: random.some(material.vlans, 3) };
    case 0:
      return { ...own, name: random.oneOf(material.addressNames) };
    case 1:
      return { ...own, oper_status: random.happens(50) ? "Up" : null };
    case 2:
      return { ...own, ip_address_ids: own.ip_address_ids.slice(1) };
    case 3: {
      const other = host && newInterface(random, host);
      return { ...own, ...other, id: own.id };
    }
    default:
      return own;
  }
};

export const newNeighbor = (random: Random) => ({
  id: random.id(),
  protocol: random.happens(70) ? "Lldp" : "Cdp",
  chassis_id: random.happens(50)
    ? { subtype: "MacAddress", value: random.oneOf(material.macs) }
    : { subtype: "LocallyAssigned", value: random.oneOf(material.addressNames) },
  ...(random.happens(50) && {
    port_id: { subtype: "InterfaceName", value: random.oneOf(material.addressNames) },
  }),
  ...(random.happens(30) && { system_name: random.oneOf(material.addressNames) }),
});

export const editedNeighbor = (own: Neighbor, random: Random) =>
  [
    own,
    { ...own, system_name: random.oneOf(material.addressNames) },
    { ...own, management_addresses: random.happens(50) ? ["192.0.2.1"] : [] },
    { ...newNeighbor(random), id: own.id, interface_id: own.interface_id },
  ][random.below(4)];

/** A binding of a service to a port or an address of its host; null if the host has neither. */
export function newBinding(
  random: Random,
  host: { ip_addresses: readonly { id: string }[]; ports: readonly { id: string }[] },
) {
  const address = random.pick(host.ip_addresses)?.id ?? null;
  const port = random.pick(host.ports)?.id ?? null;
  if (port !== null && random.happens(80)) {
    return { type: "Port", port_id: port, ip_address_id: random.happens(50) ? address : null };
  }
  return address === null ? null : { type: "IPAddress", port_id: null, ip_address_id: address };
}

/** A new service without bindings. */
export const newService = (random: Random) => ({
  id: random.id(),
  name: random.oneOf(material.serviceNames),
  ...(random.happens(40) && { service_definition: random.oneOf(material.serviceNames) }),
});

/** A new host with children. Other hosts may already have its addresses. */
export function newHost(random: Random, state: State, network_id: string) {
  const ip_addresses = [...new Array(random.below(3))].map(() => newAddress(random));
  const addresses = ip_addresses.filter(
    ({ ip_address }, at) => ip_addresses.findIndex((one) => one.ip_address === ip_address) === at,
  );
  const port = newPort(random, []);
  const ports = port && random.happens(60) ? [port] : [];
  const parts = { ip_addresses: addresses, ports };
  const binding = newBinding(random, parts);
  const one = newInterface(random, { ip_addresses: addresses, interfaces: [] });
  const interfaces = one && random.happens(40) ? [one] : [];
  const services = random.happens(60)
    ? [{ ...newService(random), bindings: binding ? [{ id: random.id(), ...binding }] : [] }]
    : [];
  const credential = random.happens(15) ? random.pick(state.others.credentials) : undefined;
  return {
    id: random.id(),
    network_id,
    name: random.oneOf(material.hostNames),
    ...(random.happens(30) && { hostname: random.oneOf(material.hostnames) }),
    tags: tagsOf(state, random),
    ...(credential && { credential_assignments: [{ credential_id: credential.id }] }),
    ...parts,
    interfaces,
    services,
  };
}

/** A host, either as it was read or with a change. */
export function editedHost(host: Host, random: Random, state: State) {
  const { ip_addresses, ports, interfaces, services, ...own } = host;
  const [port, address] = [random.pick(ports), random.pick(ip_addresses)];
  const without = (isGone: (binding: Service["bindings"][number]) => boolean): Service[] =>
    services.map((service) => ({
      ...service,
      bindings: service.bindings.filter((binding) => !isGone(binding)),
    }));
  const addedPort = newPort(random, ports);
  switch (random.below(12)) {
    case 10:
      return { ...own, ...ownData(random) };
    case 0:
      return { ...own, name: random.oneOf(material.hostNames) };
    case 1:
      return { ...own, hostname: random.happens(50) ? random.oneOf(material.hostnames) : null };
    case 2:
      return { ...own, hidden: !own.hidden };
    case 3:
      return { ...host, tags: random.some(state.others.tags, 2).map(({ id }) => id) };
    case 4:
      return { ...host, services: services.slice(1) };
    case 5:
      return {
        ...host,
        ports: ports.filter((one) => one !== port),
        services: without(({ port_id }) => port_id === port?.id),
      };
    case 6:
      return {
        ...own,
        credential_assignments: [],
        ip_addresses: ip_addresses.filter((one) => one !== address),
        services: without(({ ip_address_id }) => ip_address_id === address?.id),
      };
    case 7:
      return { ...own, ip_addresses: [...ip_addresses, newAddress(random)] };
    case 9: {
      const added = newInterface(random, host);
      return { ...own, interfaces: [...interfaces.slice(1), ...(added ? [added] : [])] };
    }
    case 8:
      return addedPort ? { ...own, ports: [...ports, addedPort] } : host;
    default:
      return host;
  }
}

/** A child, either as it was read or with a change. */
export const editedAddress = (address: Address, random: Random, state: State) => {
  const subnet = random.pick(state.inventory.subnets);
  switch (random.below(7)) {
    case 5:
      return {
        ...address,
        status: random.oneOf(material.addressStatuses),
        role: random.oneOf(material.addressRoles),
      };
    case 0:
      return { ...address, position: address.position + 1 };
    case 1:
      return { ...address, name: random.oneOf(material.addressNames) };
    case 2:
      return { ...address, mac_address: random.happens(70) ? random.oneOf(material.macs) : null };
    case 3: {
      const { subnet_id: _, ...rest } = address;
      return { ...rest, ip_address: random.oneOf(material.addresses) };
    }
    case 4:
      return { ...address, subnet_id: random.happens(50) ? (subnet?.id ?? null) : null };
    default:
      return address;
  }
};

export const editedPort = (port: Port, random: Random, others: readonly Port[]) => {
  const changed = newPort(random, others);
  return random.happens(50) && changed ? { ...port, ...changed, id: port.id } : port;
};

export const editedService = (service: Service, random: Random, state: State, host?: Host) => {
  const binding = host && newBinding(random, host);
  switch (random.below(7)) {
    case 5:
      return { ...service, ...ownData(random) };
    case 0:
      return { ...service, name: random.oneOf(material.serviceNames) };
    case 1:
      return { ...service, position: service.position + 1 };
    case 2:
      return { ...service, bindings: service.bindings.slice(1) };
    case 3:
      return { ...service, bindings: [...service.bindings, ...(binding ? [binding] : [])] };
    case 4:
      return { ...service, tags: random.some(state.others.tags, 2).map(({ id }) => id) };
    default:
      return service;
  }
};
