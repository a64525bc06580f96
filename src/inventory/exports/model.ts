import { sql } from "drizzle-orm";
import { childrenOf } from "../../database/children.ts";
import type { RowOf } from "../../database/columns-of.ts";
import { partsOf, type Versions } from "../../database/history.ts";
import { memberIdsAt } from "../../database/sets.ts";
import {
  bindings,
  hosts,
  ipAddresses,
  networks,
  ports,
  services,
  tags,
} from "../../database/tables/index.ts";
import type { Source } from "../../http/list/source.ts";
import { hostTags } from "../writes/tag-sets.ts";

/** An open service of an exported host, with the ports that it listens on, such as `443/Tcp`. */
interface ExportedService {
  name: string;
  definition: string;
  ports: string[];
}

/**
 * The row of a service, with the port of each of its bindings: null for a binding without a port.
 */
interface ServiceRow extends Omit<ExportedService, "ports"> {
  port_ids: (string | null)[];
}

const record = { table: sql`${hosts}`, key: "live_id" } as const;

/** The columns of an exported host. */
const exportedColumns = (versions: Versions) => ({
  id: sql<string>`${hosts.live_id}`,
  name: hosts.name,
  hostname: hosts.hostname,
  operating_system: hosts.operating_system,
  manufacturer: hosts.manufacturer,
  model: hosts.model,
  network_id: hosts.network_id,
  network: sql<string>`(
    select network.name from ${networks} as network
    where network.organization_id = ${hosts.organization_id} and network.id = ${hosts.network_id})`,
  // Reads each tag by its key. Otherwise, all of the organization's tags would be read for each
  // host.
  tags: sql<string[]>`to_json(array(
    select tag.name from (${memberIdsAt(hostTags, record, versions)}) as member,
      lateral (
        select tags.name from ${tags}
        where tags.organization_id = ${hosts.organization_id} and tags.id = member.tag_id
        limit 1) as tag
    order by tag.name))`,
  // A reserved address is not in use: other programs would contact nothing, or another machine.
  addresses: sql<string[]>`to_json(array(
    select host(${ipAddresses.address}) from ${ipAddresses}
    where ${partsOf(ipAddresses, "host_id", hosts.live_id, versions)}
      and ${ipAddresses.status} <> 'Reserved'
    order by ${ipAddresses.position}, ${ipAddresses.created_at}, ${ipAddresses.live_id}))`,
  // Includes the ids, since looking up the port of each binding would take as long as the rest of
  // the query.
  ports: sql<[id: string, name: string][]>`(
    select coalesce(json_agg(json_build_array(${ports.live_id}, ${ports.number} || '/' || ${ports.protocol})
      order by ${ports.number}, ${ports.protocol}), '[]')
    from ${ports} where ${partsOf(ports, "host_id", hosts.live_id, versions)})`,
  services: childrenOf<ServiceRow>(
    {
      table: services,
      columns: {
        name: services.name,
        definition: services.service_definition,
        port_ids: sql`to_json(array(
          select ${bindings.port_id} from ${bindings}
          where ${partsOf(bindings, "service_id", services.live_id, versions)}))`,
      },
    },
    partsOf(services, "host_id", hosts.live_id, versions),
    sql`${services.position}, ${services.created_at}, ${services.live_id}`,
  ),
});

type ExportedRow = RowOf<ReturnType<typeof exportedColumns>>;

/** An exported host. */
export interface ExportedHost extends Omit<ExportedRow, "ports" | "services"> {
  ports: string[];
  services: ExportedService[];
}

/**
 * Maps a row to a host with its open ports and services (API contract, section 13): the ports and
 * services with a binding. A binding belongs to the host of its port and service, so the host's
 * bindings are sufficient, and ports are not looked up.
 */
function toExported({ ports: portsOf, services: servicesOf, ...host }: ExportedRow): ExportedHost {
  const names = new Map(portsOf);
  const bound = new Set(servicesOf.flatMap(({ port_ids }) => port_ids));
  return {
    ...host,
    ports: portsOf.filter(([id]) => bound.has(id)).map(([, name]) => name),
    services: servicesOf
      .filter(({ port_ids }) => port_ids.length > 0)
      .map(({ port_ids, ...service }) => {
        const own = new Set(port_ids.flatMap((id) => names.get(id ?? "") ?? []));
        return { ...service, ports: [...own].sort() };
      }),
  };
}

/** Returns the source of the exported hosts in these versions. */
export const exportedHosts = (
  versions: Versions,
): Source<ReturnType<typeof exportedColumns>, ExportedHost> => ({
  entity: "Host",
  table: hosts,
  columns: exportedColumns(versions),
  versions,
  toItem: toExported,
});
