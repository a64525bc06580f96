import type {
  ReportedAddress,
  ReportedBinding,
  ReportedHost,
  ReportedPort,
  ReportedSubnet,
} from "../../discovery/report.ts";
import { canonicalAddress } from "../../http/input/network.ts";
import { hostSchema, subnetSchema, type WireHost, type WireSubnet } from "./protocol.ts";

/**
 * The most entities that one poll takes over. A daemon sends what is not confirmed again, so the rest
 * comes with the next poll.
 */
export const maximumEntities = {
  hosts: 1000,
  subnets: 1000,
  /** Rows of hosts after which no further host is taken. One has fewer than all that a report may have. */
  rows: 50_000,
} as const;

const nil = "00000000-0000-0000-0000-000000000000";

/** An entity as the daemon sent it, and the id by which it is confirmed. */
export interface PendingEntity {
  id: string;
  /** As it came: what the daemon has written it can read. */
  sent: unknown;
}

/** What a poll reports, in the form that is ingested, and what is then confirmed. */
export interface ConvertedReport {
  subnets: (ReportedSubnet & { pending: PendingEntity })[];
  hosts: (ReportedHost & { pending: PendingEntity })[];
  /** Entities that were not believed: of a wrong shape, or of another network. */
  refused: number;
}

/**
 * Turns what a daemon reports into a report of its own network (API contract, section 10). Ids of its
 * making mean something only within this report, and are gone afterwards. Pure.
 * @param networkId the daemon's network; an entity that names another one is not believed
 */
export function convertReport(
  networkId: string,
  { hosts, subnets }: { hosts: readonly unknown[]; subnets: readonly unknown[] },
): ConvertedReport {
  const report: ConvertedReport = { subnets: [], hosts: [], refused: 0 };
  const isOwn = (claimed: string | null | undefined) =>
    claimed === null || claimed === undefined || claimed === nil || claimed === networkId;

  for (const sent of subnets) {
    const subnet = subnetSchema.safeParse(sent);
    if (!subnet.success || !isOwn(subnet.data.network_id)) {
      report.refused++;
    } else if (report.subnets.length < maximumEntities.subnets) {
      report.subnets.push({
        ...toSubnet(subnet.data),
        pending: { id: subnet.data.id, sent },
      });
    }
  }

  const byId = new Map<string, (typeof report.hosts)[number]>();
  let rows = 0;
  for (const [index, sent] of hosts.entries()) {
    if (report.hosts.length >= maximumEntities.hosts || rows >= maximumEntities.rows) {
      break;
    }
    const host = hostSchema.safeParse(sent);
    if (!host.success || !isOwn(host.data.host.network_id)) {
      report.refused++;
      continue;
    }
    const converted = toHost(host.data, index);
    rows += rowsOf(converted);
    const { id } = host.data.host;
    const known = id === nil ? undefined : byId.get(id);
    if (known) {
      // Found, then looked at more closely: one host, of which the later report knows more.
      Object.assign(known, unite(known, converted), { pending: { id, sent } });
    } else {
      const added = { ...converted, pending: { id, sent } };
      byId.set(id, added);
      report.hosts.push(added);
    }
  }
  return report;
}

/** How many rows a host is in the database. */
const rowsOf = ({ addresses, ports, services }: ReportedHost): number =>
  services.reduce(
    (sum, { bindings }) => sum + 1 + bindings.length,
    1 + addresses.length + ports.length,
  );

const toSubnet = ({ cidr, name, description, subnet_type }: WireSubnet): ReportedSubnet => ({
  cidr,
  name: name ?? cidr,
  description,
  subnet_type,
});

function toHost({ host, ip_addresses, ports, services }: WireHost, index: number): ReportedHost {
  const { id, network_id: _, ...details } = host;
  const path = `hosts[${index}]`;
  const addressOf = new Map(ip_addresses.map((address) => [address.id, address.ip_address]));
  const portOf = new Map(
    ports.map((port): [string, ReportedPort] => [
      port.id,
      { number: port.number, protocol: port.protocol },
    ]),
  );
  const bindingsOf = (
    bindings: WireHost["services"][number]["bindings"],
    service: number,
  ): ReportedBinding[] =>
    bindings.flatMap((binding, position): ReportedBinding[] => {
      const at = `${path}.services[${service}].bindings[${position}]`;
      const ip_address = addressOf.get(binding.ip_address_id ?? "") ?? null;
      // What is bound to nothing of this report says nothing.
      if (ip_address === null && (binding.ip_address_id ?? nil) !== nil) {
        return [];
      }
      if (binding.type === "IPAddress") {
        return ip_address === null ? [] : [{ type: binding.type, ip_address, path: at }];
      }
      const port = portOf.get(binding.port_id);
      return port ? [{ type: binding.type, port, ip_address, path: at }] : [];
    });
  return {
    ...details,
    index,
    id: id === nil ? null : id,
    addresses: eachOnce(
      ip_addresses.map(({ ip_address, mac_address }, position) => ({
        ip_address,
        mac_address: mac_address ?? null,
        path: `${path}.ip_addresses[${position}].ip_address`,
      })),
    ),
    ports: [...portOf.values()],
    services: services.flatMap((service, position) => {
      const definition = service.service_definition ?? service.name;
      return definition === null
        ? []
        : [
            {
              name: service.name ?? [...definition].slice(0, 100).join(""),
              definition,
              virtualization: service.virtualization,
              bindings: bindingsOf(service.bindings, position),
            },
          ];
    }),
    // A daemon does not say which ports it has looked at: see app.settle_scan (migration `daemon_visits`).
    scanned_ports: [],
  };
}

/** Addresses without doubles, of which the first counts. */
function eachOnce(addresses: readonly ReportedAddress[]): ReportedAddress[] {
  const known = new Map<string, ReportedAddress>();
  for (const address of addresses) {
    const key = canonicalAddress(address.ip_address);
    known.set(key, known.get(key) ?? address);
  }
  return [...known.values()];
}

/** One host of two reports of it: what the later one does not say, the earlier one does. */
function unite(earlier: ReportedHost, later: ReportedHost): ReportedHost {
  const said = Object.fromEntries(Object.entries(later).filter(([, value]) => value !== null));
  return {
    ...earlier,
    ...said,
    index: earlier.index,
    addresses: eachOnce([...later.addresses, ...earlier.addresses]),
    ports: [...earlier.ports, ...later.ports],
    services: [...earlier.services, ...later.services],
    scanned_ports: [],
  };
}

/**
 * What `discovery/entities-created` tells a daemon: for each entity its id in the report, and the
 * record under the id that it is stored by.
 */
export function confirmationOf(
  networkId: string,
  stored: {
    hosts: readonly { pending: PendingEntity; id: string }[];
    subnets: readonly { pending: PendingEntity; id: string }[];
  },
) {
  return {
    hosts: stored.hosts.map(({ pending, id }) => {
      const { host, ip_addresses, ports, services } = Object(pending.sent);
      return [
        pending.id,
        {
          ...host,
          id,
          network_id: networkId,
          ip_addresses: ip_addresses ?? [],
          ports: ports ?? [],
          services: services ?? [],
          interfaces: [],
        },
      ] as const;
    }),
    subnets: stored.subnets.map(
      ({ pending, id }) =>
        [pending.id, { ...Object(pending.sent), id, network_id: networkId }] as const,
    ),
  };
}
