import { wireHost } from "../helpers/protocol.ts";
import * as material from "./material.ts";
import type { Random } from "./random.ts";

/** An open port and its service; null if no service is recognized. */
interface RealPort {
  number: number;
  service: string | null;
}

/** A host as it really is, independently of its records. */
export interface RealHost {
  ip: string;
  mac: string | null;
  name: string | null;
  hostname: string | null;
  sysName: string | null;
  system: string | null;
  ports: readonly RealPort[];
  /** Empty if the host does not support SNMP. */
  interfaces: readonly RealInterface[];
}

interface RealInterface {
  if_index: number;
  /** The devices that announce themselves to it. */
  announced: readonly string[];
  /** The MAC addresses that it has learned. */
  learned: readonly string[];
}

/** The hosts of a network as they really are, each with a different address. */
export type Reality = readonly RealHost[];

const portsOf = (random: Random): RealPort[] =>
  random.some(material.portNumbers, 3).map((number) => ({
    number,
    service: random.happens(60) ? random.oneOf(material.serviceNames) : null,
  }));

const interfacesOf = (random: Random): RealInterface[] =>
  (random.happens(40) ? random.some([1, 2, 3, 4, 5], 3) : []).map((if_index) => ({
    if_index,
    announced: random.happens(40) ? random.some(material.macs, 2) : [],
    learned: random.happens(50) ? random.some(material.macs, 2) : [],
  }));

const hostAt = (ip: string, random: Random): RealHost => ({
  ip,
  mac: random.happens(50) ? random.oneOf(material.macs) : null,
  name: random.happens(30) ? random.oneOf(material.hostNames) : null,
  hostname: random.happens(50) ? random.oneOf(material.hostnames) : null,
  sysName: random.happens(20) ? random.oneOf(material.hostnames) : null,
  system: random.happens(30) ? random.oneOf(material.systems) : null,
  ports: portsOf(random),
  interfaces: interfacesOf(random),
});

/** Up to five hosts. */
export const realityOf = (random: Random): Reality =>
  random.some(material.addresses, 5).map((ip) => hostAt(ip, random));

/**
 * The same hosts, sometimes with one change: a port, a host or an address appears or disappears.
 */
export function change(reality: Reality, random: Random): Reality {
  if (random.happens(40)) {
    return reality;
  }
  const index = random.below(reality.length + 1);
  const current = reality[index];
  if (!current) {
    const ip = random.oneOf(material.addresses);
    return reality.length > 8 || reality.some((host) => host.ip === ip)
      ? reality.slice(1)
      : [...reality, hostAt(ip, random)];
  }
  const free = material.addresses.filter((ip) => reality.every((host) => host.ip !== ip));
  const changed = random.happens(60)
    ? { ...current, ports: portsOf(random), interfaces: interfacesOf(random) }
    : random.happens(50)
      ? { ...current, ip: random.oneOf(free) }
      : hostAt(current.ip, random);
  return reality.map((host, at) => (at === index ? changed : host));
}

/** A host as a daemon first reports it, with nothing but its address. */
export const wireFound = (networkId: string, { ip, mac }: RealHost) => {
  const host = wireHost(networkId, ip);
  return {
    ...host,
    ip_addresses: host.ip_addresses.map((address) => ({ ...address, mac_address: mac })),
  };
};

/** A host as a daemon reports it when its scan is complete. */
export function wireComplete(networkId: string, real: RealHost) {
  const open = real.ports.map(({ number }) => number);
  const host = wireHost(networkId, real.ip, open, {
    name: real.name ?? real.hostname ?? real.ip,
    hostname: real.hostname,
    sys_name: real.sysName,
    sys_descr: real.system,
  });
  const [address] = host.ip_addresses;
  const claimed = new Map<string, string[]>();
  for (const { number, service } of real.ports) {
    const name = service ?? "Unclaimed Open Ports";
    const port = host.ports.find((one) => one.number === number);
    claimed.set(name, [...(claimed.get(name) ?? []), port?.id ?? ""]);
  }
  return {
    ...host,
    ip_addresses: host.ip_addresses.map((one) => ({ ...one, mac_address: real.mac })),
    interfaces: real.interfaces.map(({ if_index, announced, learned }) => ({
      if_index,
      if_descr: `Ethernet ${if_index}`,
      ...(if_index === 1 && { ip_address_id: address?.id }),
      neighbor_candidates: announced.map((value) => ({
        lldp_chassis_id: { subtype: "MacAddress", value },
      })),
      fdb_macs: learned,
    })),
    interface_data_complete: { lldp: true, cdp: true, fdb: true },
    services: [...claimed].map(([name, ports]) => ({
      id: crypto.randomUUID(),
      service_definition: name,
      name,
      bindings: ports.map((port_id) => ({
        id: crypto.randomUUID(),
        type: "Port",
        port_id,
        ip_address_id: address?.id,
      })),
    })),
  };
}
