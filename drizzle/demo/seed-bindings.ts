import type { NodePgDatabase } from "drizzle-orm/node-postgres";
import { bindings } from "../../src/database/tables/index.ts";
import demo from "../demo.json" with { type: "json" };
import { demoId } from "./id.ts";
import {
  type DemoHost,
  type DemoService,
  demoHosts,
  ping,
  telnetHosts,
  telnetRemoved,
} from "./inventory.ts";

const discovery = {
  first_discovery_id: demoId("discovery first"),
  last_discovery_id: demoId("discovery last"),
};
const firstSeen = "2025-03-02T03:15:00.000Z";

/**
 * Inserts the bindings: a live version for each service on each host, and the closed versions for
 * services that moved or were removed, with their real times.
 */
export async function seedBindings(
  database: NodePgDatabase,
  { organization_id, lastSeen }: { organization_id: string; lastSeen: string },
): Promise<void> {
  const rows = demoHosts.flatMap((host, position) => {
    const network_id = demo.networks.find(({ name }) => name === host.network)?.id ?? "";
    const created = new Date(Date.parse(firstSeen) + position * 61_357).toISOString();
    const common = { organization_id, network_id, created_at: created, ...discovery };
    const ofServices = host.services.flatMap((service) =>
      versionsOf(host, service, common, lastSeen),
    );
    const gone = {
      ...common,
      id: demoId(`binding gone ${host.name}`),
      host_id: demoId(`host ${host.name}`),
      type: "Port" as const,
      service_id: demoId(`service gone ${host.name}`),
      port_id: demoId(`port gone ${host.name}`),
      valid_from: created,
      valid_to: telnetRemoved,
      updated_at: created,
      last_seen_at: "2025-03-20T11:30:00.000Z",
      lineage_id: demoId(`binding live gone ${host.name}`),
    };
    return telnetHosts.has(host.name) ? [...ofServices, gone] : ofServices;
  });
  await database.insert(bindings).values(rows);
}

interface Common {
  organization_id: string;
  network_id: string;
  created_at: string;
}

function versionsOf(host: DemoHost, service: DemoService, common: Common, lastSeen: string) {
  const { name, port, protocol, before, onAllAddresses } = service;
  const id = demoId(`binding ${host.name} ${name}`);
  const portId = (number: number) => demoId(`port ${host.name} ${protocol} ${number}`);
  const shared = {
    ...common,
    type: "Port" as const,
    service_id: demoId(`service ${host.name} ${name}`),
    ip_address_id: onAllAddresses ? null : demoId(`address ${host.addresses[0]}`),
  };
  const live = {
    ...shared,
    id,
    port_id: portId(port),
    valid_from: before?.until ?? common.created_at,
    updated_at: before?.until ?? common.created_at,
    last_seen_at: lastSeen,
  };
  const address = {
    ...live,
    id: demoId(`binding address ${host.name}`),
    type: "IPAddress" as const,
    service_id: demoId(`service ${host.name} ${ping}`),
    port_id: null,
    ip_address_id: demoId(`address ${host.addresses.at(-1)}`),
    valid_from: common.created_at,
    updated_at: common.created_at,
  };
  const closed = before && {
    ...shared,
    id: demoId(`binding ${host.name} ${name} before`),
    port_id: portId(before.port),
    valid_from: common.created_at,
    valid_to: before.until,
    updated_at: common.created_at,
    last_seen_at: before.until,
    lineage_id: id,
  };
  const isFirst = host.services[0] === service;
  return [live, ...(isFirst ? [address] : []), ...(closed ? [closed] : [])];
}
