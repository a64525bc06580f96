import type { NodePgDatabase } from "drizzle-orm/node-postgres";
import * as schema from "../../src/database/tables/index.ts";
import { demoInterfaces } from "./cabling.ts";
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
import { type Context, interval, macOf, networkOf } from "./records.ts";
import { seedInterfaces } from "./seed-interfaces.ts";

/** From this time on, every machine has the records that its bindings reference. */
const bindingsBegin = "2025-03-01T08:00:00.000Z";

/** A machine gets another service every 45 days (in milliseconds). */
const pace = 45 * 86_400_000;

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
    if (demoInterfaces[name]) {
      const addresses = [{ address, since }];
      await seedInterfaces(database, { name, network, addresses, since, until }, context);
    }
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
    sys_name: host.sys_name ?? null,
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
  if (demoInterfaces[name] ?? host.services.some((service) => service.name === "SNMP")) {
    await seedInterfaces(database, { ...host, addresses }, context);
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
