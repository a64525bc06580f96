import type { NodePgDatabase } from "drizzle-orm/node-postgres";
import * as schema from "../../src/database/tables/index.ts";
import {
  type DemoNeighbor,
  demoInterfaces,
  demoNeighbors,
  interfacesByAddress,
} from "./cabling.ts";
import { demoId } from "./id.ts";
import { demoHosts, goneHosts } from "./inventory.ts";
import { type Context, interval, macOf, networkOf } from "./records.ts";

/** A host whose interfaces are known. */
interface InterfaceOwner {
  name: string;
  network: string;
  addresses: { address: string; since: string }[];
  since: string;
  until?: string;
}

/** A host's first address, and the period in which the host exists. */
interface Machine {
  address?: string;
  since: string;
  until?: string;
}

const machines = new Map<string, Machine>([
  ...demoHosts.map(
    ({ name, addresses: [address = ""], since }) => [name, { address, since }] as const,
  ),
  ...goneHosts.map((host) => [host.name, host] as const),
]);

/** Inserts the interfaces of a host, and their neighbors. */
export async function seedInterfaces(
  database: NodePgDatabase,
  { name: host, network, addresses, since, until }: InterfaceOwner,
  { organization_id, lastSeen }: Context,
): Promise<void> {
  const onHost = {
    organization_id,
    network_id: networkOf(network),
    host_id: demoId(`host ${host}`),
  };
  const names = addresses.map(({ address }) => address);
  const interfaces = demoInterfaces[host] ?? interfacesByAddress(names);
  const idOf = (position: number) => `interface ${host} ${position + 1}`;
  const heard = demoNeighbors.filter((neighbor) => neighbor.host === host);
  const hasTable = heard.some(({ protocol }) => protocol === "Fdb");
  await database.insert(schema.interfaces).values(
    interfaces.map(({ address, ...details }, position) => {
      const isUsed = address !== undefined || heard.some((one) => one.interface === details.name);
      const from = addresses.find((one) => one.address === address)?.since ?? since;
      return {
        ...interval(demoId(idOf(position)), from, until, lastSeen),
        ...onHost,
        alias: null,
        native_vlan: null,
        tagged_vlans: null,
        speed_bps: null,
        ...details,
        if_index: position + 1,
        admin_status: "Up" as const,
        oper_status: isUsed || details.name === "lo" ? ("Up" as const) : ("Down" as const),
        description: details.speed_bps === undefined ? null : "Ethernet",
        mac_address: details.name === "lo" ? null : macOf(address ?? `${host} ${details.name}`),
        ip_address_ids: address === undefined ? [] : [demoId(`address ${address}`)],
        lldp_read_at: lastSeen,
        fdb_read_at: hasTable ? lastSeen : null,
      };
    }),
  );
  const neighbors = heard.map((neighbor, number) => {
    const position = interfaces.findIndex(({ name }) => name === neighbor.interface);
    const machine = machines.get(neighbor.hears) ?? { since };
    const id = `neighbor ${host} ${position + 1}${number === 0 ? "" : ` ${number}`}`;
    const [from = since] = [since, machine.since].sort().reverse();
    return {
      ...interval(demoId(id), from, until ?? machine.until, lastSeen),
      ...onHost,
      interface_id: demoId(idOf(position)),
      ...announcementOf(neighbor, machine.address),
    };
  });
  if (neighbors.length > 0) {
    await database.insert(schema.neighbors).values(neighbors);
  }
}

/** The data that a neighbor announces; only its MAC address if it is from a forwarding table. */
function announcementOf(
  { hears, port, protocol = "Lldp", managedAt, chassis }: DemoNeighbor,
  address: string | undefined,
) {
  const chassisId =
    chassis === undefined
      ? {
          chassis_subtype: "MacAddress" as const,
          chassis_value: macOf(address ?? hears).toUpperCase(),
        }
      : { chassis_subtype: "LocallyAssigned" as const, chassis_value: chassis };
  if (protocol === "Fdb") {
    return { protocol, ...chassisId };
  }
  return {
    protocol,
    ...chassisId,
    ...(port !== undefined && { port_subtype: "InterfaceName" as const, port_value: port }),
    system_name: hears,
    management_addresses: [managedAt ?? address].filter((known) => known !== undefined),
  };
}
