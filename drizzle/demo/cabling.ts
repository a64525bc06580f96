import type { neighborProtocols } from "../../src/database/tables/neighbors.ts";

/** An interface of a demo host. Its number is its position in the list, from 1. */
export interface DemoInterface {
  name: string;
  /** The IANA number of its type. */
  type: number;
  /** The host's address on this interface. */
  address?: string;
  speed_bps?: number;
  alias?: string;
  native_vlan?: number;
  tagged_vlans?: number[];
}

/** IANA's interface type numbers. */
export const [ethernet, loopback, bridge] = [6, 24, 209];

const gigabit = 1_000_000_000;
const trunk = { native_vlan: 1, tagged_vlans: [20, 30] };

/**
 * The interfaces of a host without an entry in `demoInterfaces`: a loopback, and one per address.
 */
export function interfacesByAddress(addresses: string[]): DemoInterface[] {
  return [
    { name: "lo", type: loopback },
    ...addresses.map((address, position) => ({
      name: `eth${position}`,
      type: ethernet,
      speed_bps: gigabit,
      address,
      ...(position === 0 && { alias: "Uplink", ...trunk }),
    })),
  ];
}

/** The purposes of the switch's ports that are in use. */
const portsInUse: Record<number, Partial<DemoInterface>> = {
  1: { alias: "Router", ...trunk },
  3: { alias: "Kubernetes", native_vlan: 20, tagged_vlans: [] },
  24: { alias: "Upstairs", ...trunk },
};

/** The interfaces of hosts that need more than `interfacesByAddress` creates. */
export const demoInterfaces: Record<string, DemoInterface[]> = {
  switch: [
    ...Array.from({ length: 24 }, (_, position) => ({
      name: `ether${position + 1}`,
      type: ethernet,
      speed_bps: gigabit,
      ...portsInUse[position + 1],
    })),
    ...[1, 2].map((number) => ({
      name: `sfp-sfpplus${number}`,
      type: ethernet,
      speed_bps: 10 * gigabit,
      alias: `Hypervisor ${number}`,
      ...(number === 1 ? trunk : { native_vlan: 20, tagged_vlans: [] }),
    })),
    { name: "bridge", type: bridge, address: "10.20.0.254" },
  ],
  hypervisor: [
    ...interfacesByAddress(["10.20.0.2", "10.20.1.2"]),
    { name: "vmbr0", type: bridge, ...trunk },
  ],
  "access-point": interfacesByAddress(["192.168.1.2"]),
};

/**
 * A neighbor that a demo host detects on an interface, for as long as both hosts exist. Unless
 * `chassis` is given, its chassis ID is the MAC address that belongs to the first IP address of
 * `hears`.
 */
export interface DemoNeighbor {
  host: string;
  interface: string;
  hears: string;
  port?: string;
  protocol?: (typeof neighborProtocols)[number];
  /**
   * The management address to announce instead of the first address of `hears`. No host in the
   * network of `host` has it.
   */
  managedAt?: string;
  /** The chassis of a device that is not a demo host. */
  chassis?: string;
}

export const demoNeighbors: DemoNeighbor[] = [
  // Behind a small switch that forwards LLDP.
  { host: "nas", interface: "eth0", hears: "router", port: "eth0" },
  { host: "router", interface: "eth0", hears: "nas", port: "eth0" },
  { host: "printer", interface: "eth0", hears: "router", port: "eth0" },
  { host: "access-point", interface: "eth0", hears: "router", port: "eth0" },
  { host: "router", interface: "eth0", hears: "access-point", port: "eth0" },
  // Two cables between the same two hosts.
  { host: "switch", interface: "sfp-sfpplus1", hears: "hypervisor", port: "eth0" },
  { host: "switch", interface: "sfp-sfpplus2", hears: "hypervisor", port: "eth1" },
  { host: "hypervisor", interface: "eth0", hears: "switch", port: "sfp-sfpplus1" },
  { host: "hypervisor", interface: "eth1", hears: "switch", port: "sfp-sfpplus2" },
  // A cable between two networks: each end is an unknown device in the other network.
  { host: "switch", interface: "ether1", hears: "router", port: "eth1", managedAt: "10.20.0.1" },
  { host: "router", interface: "eth1", hears: "switch", port: "ether1" },
  // An access point that nobody has scanned.
  { host: "switch", interface: "ether24", hears: "upstairs", chassis: "upstairs", port: "eth0" },
  // Ambiguous: two virtual machines have this name, since both are copies of one image.
  { host: "hypervisor", interface: "vmbr0", hears: "debian", chassis: "debian" },
  { host: "switch", interface: "ether3", hears: "kubernetes", protocol: "Fdb" },
];
