import type { NodePgDatabase } from "drizzle-orm/node-postgres";
import * as schema from "../../src/database/tables/index.ts";
import demo from "../demo.json" with { type: "json" };
import { demoId } from "./id.ts";
import {
  type DemoHost,
  type DemoService,
  demoHosts,
  demoSubnets,
  goneHosts,
  ping,
  telnetHosts,
  telnetRemoved,
  unclaimedPorts,
} from "./inventory.ts";

/** From this time on, every machine has the records that its bindings reference. */
const bindingsBegin = "2025-03-01T08:00:00.000Z";

/** The interval at which a machine gets another service: half a season, in milliseconds. */
const pace = 45 * 86_400_000;

/** IANA's interface type numbers. */
const [ethernet, loopback] = [6, 24];
const isUp = { admin_status: "Up", oper_status: "Up" } as const;

interface Context {
  organization_id: string;
  lastSeen: string;
}

/** The interval of a record that has only one version, either live or closed. */
function interval(id: string, since: string, until: string | undefined, lastSeen: string) {
  const times = { created_at: since, updated_at: since, valid_from: since };
  return until === undefined
    ? { ...times, id, last_seen_at: lastSeen, valid_to: null, lineage_id: null }
    : {
        ...times,
        id: demoId(`version ${id}`),
        last_seen_at: until,
        valid_to: until,
        lineage_id: id,
      };
}

/** Returns the id of a demo network by its name. */
export const networkOf = (networkName: string) =>
  demo.networks.find(({ name }) => name === networkName)?.id ?? "";

/**
 * The subnet of an address, found by the address's first three octets: all demo subnets are /24.
 */
function subnetOf(network: string, address: string): string | null {
  const prefix = address.slice(0, address.lastIndexOf("."));
  const subnet = demoSubnets.find(
    (one) => one.network === network && one.cidr.startsWith(`${prefix}.`),
  );
  return subnet ? demoId(`subnet ${network} ${subnet.cidr}`) : null;
}

/** The address at which the hosts of the network Home hear the router. */
const routerAddress = "192.168.1.1";

/** A made-up, locally administered MAC address. */
const macOf = (address: string) =>
  `02:${(demoId(`mac ${address}`).slice(0, 8) + address.length.toString(16).padStart(2, "0")).match(/../g)?.join(":")}`;

/**
 * Inserts the subnets, and the hosts with their children, with three years of history. Every record
 * exists at least as long as the records that reference it.
 */
export async function seedInventory(database: NodePgDatabase, context: Context): Promise<void> {
  const { organization_id, lastSeen } = context;
  await database.insert(schema.subnets).values(
    demoSubnets.map(({ network, since, ...subnet }) => {
      const { cidr, name, subnet_type } = subnet;
      const id = demoId(`subnet ${network} ${cidr}`);
      const until = "until" in subnet ? subnet.until : undefined;
      const network_id = networkOf(network);
      return {
        ...interval(id, since, until, lastSeen),
        organization_id,
        network_id,
        cidr,
        name,
        subnet_type,
      };
    }),
  );
  for (const host of demoHosts) {
    await seedHost(database, host, context);
  }
  for (const { name, network, address, port, since, until } of goneHosts) {
    const host_id = demoId(`host ${name}`);
    const own = { organization_id, network_id: networkOf(network) };
    const at = (id: string) => ({ ...interval(demoId(id), since, until, lastSeen), ...own });
    await database.insert(schema.hosts).values({ ...at(`host ${name}`), name });
    await database.insert(schema.ipAddresses).values({
      ...at(`address ${address}`),
      host_id,
      address,
      subnet_id: subnetOf(network, address),
      mac_address: macOf(address),
    });
    await database
      .insert(schema.ports)
      .values({ ...at(`port ${name} ${port}`), host_id, number: port, protocol: "Tcp" });
  }
}

/** The virtualization of a virtual machine. */
const virtualizationOf = ({ name, virtualMachine }: DemoHost) =>
  virtualMachine === undefined
    ? null
    : {
        type: "Proxmox",
        details: {
          vm_name: name,
          vm_id: virtualMachine,
          service_id: demoId("service hypervisor Proxmox VE"),
        },
      };

/** The virtualization of a service in a container. */
const containerOf = (host: string, container_name: string) => ({
  type: "Docker",
  details: {
    container_name,
    container_id: null,
    compose_project: null,
    service_id: demoId(`service ${host} Docker`),
  },
});

async function seedHost(database: NodePgDatabase, host: DemoHost, context: Context): Promise<void> {
  const { organization_id, lastSeen } = context;
  const { name, network, since, earlier = [] } = host;
  const host_id = demoId(`host ${name}`);
  const own = { organization_id, network_id: networkOf(network) };
  const onHost = { ...own, host_id };
  const fromThen = (id: string, from = since, until?: string) => ({
    ...interval(demoId(id), from, until, lastSeen),
    ...onHost,
  });
  const details = {
    ...own,
    name,
    hostname: `${name}.${network.toLowerCase()}.example.com`,
    sys_descr: host.sys_descr ?? null,
    operating_system: host.operating_system ?? host.sys_descr ?? null,
    ...host.hardware,
    virtualization: virtualizationOf(host),
  };
  const begins = [since, ...earlier.map(({ until }) => until)];
  await database.insert(schema.hosts).values([
    {
      ...details,
      ...interval(host_id, since, undefined, lastSeen),
      valid_from: begins.at(-1) ?? since,
      updated_at: begins.at(-1) ?? since,
    },
    ...earlier.map(({ until, ...then }, position) => ({
      ...details,
      ...then,
      operating_system: host.operating_system ?? then.sys_descr ?? details.operating_system,
      ...interval(host_id, begins[position] ?? since, until, lastSeen),
      id: demoId(`version ${name} ${until}`),
      created_at: since,
    })),
  ]);
  const addresses = [
    ...host.addresses.map((address) => ({ address, since })),
    ...(host.laterAddresses ?? []),
  ];
  await database.insert(schema.ipAddresses).values(
    addresses.map(({ address, since: from }, position) => ({
      ...fromThen(`address ${address}`, from),
      address,
      subnet_id: subnetOf(network, address),
      mac_address: macOf(address),
      position,
    })),
  );
  if (host.services.some((service) => service.name === "SNMP")) {
    await database.insert(schema.interfaces).values([
      { ...fromThen(`interface ${name} 1`), if_index: 1, name: "lo", type: loopback, ...isUp },
      ...addresses.map(({ address, since: from }, position) => ({
        ...fromThen(`interface ${name} ${position + 2}`, from),
        ...isUp,
        if_index: position + 2,
        name: `eth${position}`,
        description: "Gigabit Ethernet",
        type: ethernet,
        speed_bps: 1_000_000_000,
        mac_address: macOf(address),
        ip_address_ids: [demoId(`address ${address}`)],
        ...(position === 0 && { alias: "Uplink", native_vlan: 1, tagged_vlans: [20, 30] }),
      })),
    ]);
    if (network === "Home" && name !== "router") {
      await database.insert(schema.neighbors).values({
        ...fromThen(`neighbor ${name} 2`),
        interface_id: demoId(`interface ${name} 2`),
        protocol: "Lldp",
        chassis_subtype: "MacAddress",
        chassis_value: macOf(routerAddress).toUpperCase(),
        port_subtype: "InterfaceName",
        port_value: "eth0",
        system_name: "router",
        management_addresses: [routerAddress],
      });
    }
  }
  const services: (Partial<DemoService> & { name: string; from: string })[] = [
    { name: ping, from: since },
  ];
  const ports = [];
  for (const [position, known] of host.services.entries()) {
    const { port, protocol, before } = known;
    const later = new Date(Date.parse(since) + position * pace).toISOString();
    const from = later < bindingsBegin ? later : bindingsBegin;
    services.push({ ...known, from });
    const portOf = (number: number, begin: string, until?: string) => ({
      ...fromThen(`port ${name} ${protocol} ${number}`, begin, until),
      number,
      protocol,
    });
    ports.push(portOf(port, before?.until ?? from));
    if (before) {
      ports.push(portOf(before.port, from, before.until));
    }
  }
  for (const { number, protocol, since: from } of unclaimedPorts.filter(
    (unclaimed) => unclaimed.host === name,
  )) {
    ports.push({ ...fromThen(`port ${name} ${protocol} ${number}`, from), number, protocol });
  }
  if (telnetHosts.has(name)) {
    const telnet = fromThen(`port gone ${name}`, since, telnetRemoved);
    ports.push({ ...telnet, number: 23, protocol: "Tcp" as const });
    await database.insert(schema.services).values({
      ...fromThen(`service gone ${name}`, since, telnetRemoved),
      name: "Telnet",
      service_definition: "Telnet",
    });
  }
  await database.insert(schema.services).values(
    services.map(({ name: service, version, container, from }, position) => ({
      ...fromThen(`service ${name} ${service}`, from),
      name: service,
      service_definition: service,
      version: version ?? null,
      virtualization: container === undefined ? null : containerOf(name, container),
      position,
    })),
  );
  await database.insert(schema.ports).values(ports);
}
