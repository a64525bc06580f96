import type { ImportResult } from "../../../src/imports/model.ts";
import { sql } from "../../helpers/database.ts";
import { shifted } from "../../helpers/inventory.ts";
import type { Client } from "../client.ts";
import * as material from "../material.ts";
import { nmapOf } from "../nmap.ts";
import type { Random } from "../random.ts";
import type { Scanner } from "../scanner.ts";
import type { Address, State } from "../state.ts";
import type { Operation } from "./operation.ts";

/** An import: the network and the report, which is sent as JSON or as nmap XML. */
export interface SentImport {
  network: string;
  report: { observed_at: string | null; hosts: readonly SentHost[] };
  isNmap: boolean;
}

/** A host in a report. */
type SentHost = ReturnType<typeof hostOf>;

/** One or two addresses for a reported host. More often than not, they are already stored. */
function addressesOf(random: Random, stored: readonly Address[]): string[] {
  const any = () =>
    (random.happens(60) ? random.pick(stored)?.ip_address : undefined) ??
    random.oneOf(material.addresses);
  return [any(), ...(random.happens(40) ? [any()] : [])];
}

const hostOf = (random: Random, { inventory }: State, addresses: readonly string[]) => {
  const id = random.happens(15) ? random.pick(inventory.hosts)?.id : undefined;
  // A host's addresses usually share one MAC address, or have none.
  const mac = random.happens(60) ? random.oneOf(material.macs) : null;
  return {
    ...(id !== undefined && { id }),
    ...(random.happens(40) && { name: random.oneOf(material.hostNames) }),
    ...(random.happens(40) && { hostname: random.oneOf(material.hostnames) }),
    ...(random.happens(30) && { operating_system: random.oneOf(material.systems) }),
    addresses: [...new Set(addresses)].map((ip_address) => ({
      ip_address,
      mac_address: random.happens(70) ? mac : random.oneOf(material.macs),
    })),
    ports: random.some(material.portNumbers, 3).map((number) => ({
      number,
      protocol: random.happens(80) ? "Tcp" : "Udp",
      service: random.happens(60)
        ? {
            name: random.oneOf(material.serviceNames),
            definition: random.happens(30) ? random.oneOf(material.serviceNames) : null,
            version: random.happens(40) ? random.oneOf(material.versions) : null,
          }
        : null,
    })),
    scanned_ports: random.happens(50)
      ? [{ protocol: "Tcp", from: 1, to: random.happens(50) ? 100 : 65_535 }]
      : [],
    interfaces: (random.happens(40) ? random.some([1, 2, 3, 4, 5], 3) : []).map((if_index) => ({
      if_index,
      name: random.happens(60) ? random.oneOf(material.addressNames) : null,
      oper_status: random.happens(50) ? "Up" : null,
      native_vlan: random.happens(30) ? random.oneOf(material.vlans) : null,
      tagged_vlans: random.happens(30) ? random.some(material.vlans, 2) : null,
      ip_addresses: random.some([...new Set(addresses)], 2),
      neighbors: (random.happens(40) ? random.some(material.macs, 2) : []).map((value) => ({
        protocol: random.happens(70) ? "Lldp" : "Cdp",
        chassis_id: { subtype: "MacAddress", value },
        system_name: random.happens(30) ? random.oneOf(material.addressNames) : null,
      })),
      learned_macs: random.happens(40) ? random.some(material.macs, 2) : [],
      complete: random.some(["lldp", "cdp", "fdb", "vlans"], 4),
    })),
    interfaces_complete: random.happens(50),
  };
};

/** A random report whose hosts may overlap with, and contradict, each other and stored hosts. */
export function importOf({ random, state }: Client): SentImport {
  const minutes = random.oneOf([0, 0, 0, 1, 60]);
  const network = random.oneOf(state.others.networks).id;
  const stored = state.inventory["ip-addresses"].filter((one) => one.network_id === network);
  const whole = random.pick(
    state.inventory.hosts.filter(
      (host) => host.network_id === network && host.ip_addresses.length > 1,
    ),
  );
  // A stored host may be reported as several hosts.
  const parts =
    whole && random.happens(40)
      ? whole.ip_addresses.map(({ ip_address }) => [ip_address])
      : Array.from({ length: 1 + random.below(4) }, () => addressesOf(random, stored));
  return {
    network,
    isNmap: random.happens(40),
    report: {
      observed_at: random.happens(50) ? null : shifted(state.at, -60_000 * minutes),
      hosts: parts.slice(0, 6).map((addresses) => hostOf(random, state, addresses)),
    },
  };
}

/** Sends an import. Returns its result, or null if it was rejected. */
export async function sendImport(
  client: Client,
  { network, report, isNmap }: SentImport,
  query = "",
): Promise<ImportResult | null> {
  const { status, data } = await client.send({
    method: "POST",
    path: `networks/${network}/imports${query}`,
    ...(isNmap ? { xml: nmapOf(report) } : { json: report }),
  });
  // The response was validated against the OpenAPI document.
  return status === 200 ? (data as ImportResult) : null;
}

/** A neighbor on an interface, as lldpcli prints it. */
const printedOf = (random: Random, interface_: string | null) => ({
  [interface_ ?? "unnamed"]: {
    via: random.happens(70) ? "LLDP" : "CDPv2",
    chassis: {
      [random.oneOf(material.addressNames)]: {
        id: { type: "mac", value: random.oneOf(material.macs) },
      },
    },
    port: { id: { type: "ifname", value: random.oneOf(material.addressNames) } },
  },
});

/** Each client's last import, so that it can be repeated. */
const lastImports = new WeakMap<object, SentImport>();

/** Imports, and the poller's visits to daemons. */
export const discoveryOperations: readonly Operation[] = [
  {
    name: "import",
    weight: 14,
    adds: true,
    async run(client) {
      const chosen = importOf(client);
      lastImports.set(client.world, chosen);
      await sendImport(client, chosen, client.random.happens(15) ? "?dry_run=true" : "");
      return true;
    },
  },
  {
    name: "import again",
    weight: 4,
    async run(client) {
      const last = lastImports.get(client.world);
      if (last) {
        await sendImport(client, last);
      }
      return last !== undefined;
    },
  },
  {
    name: "import what lldpcli prints",
    weight: 4,
    adds: true,
    async run(client) {
      const { random, state } = client;
      const host = random.pick(
        state.inventory.hosts.filter(({ interfaces }) => interfaces.length > 0),
      );
      if (!host) {
        return false;
      }
      const names = [...host.interfaces.map(({ name }) => name), ...material.addressNames];
      await client.send({
        method: "POST",
        path: `hosts/${host.id}/imports${random.happens(50) ? "?complete=true" : ""}`,
        json: { lldp: { interface: random.some(names, 3).map((name) => printedOf(random, name)) } },
      });
      return true;
    },
  },
  {
    name: "visit a daemon",
    weight: 16,
    adds: true,
    run: (client) =>
      withScanner(client, async (scanner) => {
        client.note(`daemon ${scanner.id}: ${await scanner.step(client.random)}`);
      }),
  },
  {
    name: "stop a scan",
    weight: 1,
    run: (client) =>
      withScanner(client, async (scanner) => {
        client.note(`daemon ${scanner.id} stops`);
        await scanner.stop();
      }),
  },
];

/**
 * Runs an action on a daemon that no other client is using. Returns false if there is no such
 * daemon.
 */
async function withScanner(
  { world, random }: Client,
  use: (scanner: Scanner) => Promise<void>,
): Promise<boolean> {
  const scanner = random.pick(world.scanners.filter(({ isBusy }) => !isBusy));
  if (!scanner) {
    return false;
  }
  scanner.isBusy = true;
  try {
    await use(scanner);
  } catch (error) {
    // The daemon may have been deleted with its network, possibly before the response to that
    // deletion has arrived.
    if (await isThere(scanner)) {
      throw error;
    }
  } finally {
    scanner.isBusy = false;
  }
  return true;
}

const isThere = async ({ id }: Scanner): Promise<boolean> =>
  (await sql`select from daemons where id = ${id}`).length > 0;
