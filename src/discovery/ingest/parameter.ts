import { hostDetails } from "../../database/tables/index.ts";
import { ipAddress } from "../../http/input/network.ts";
import type { HostDetails, Report, ReportedHost, ScannedPorts } from "../report.ts";
import type { UnitedHost } from "./unite.ts";

/** Columns of a host that a report fills beside its name. */
const detailNames = hostDetails satisfies readonly (keyof HostDetails)[];

/** What a report says of a host, without what it does not say. */
const detailsOf = (host: ReportedHost) =>
  Object.fromEntries(
    detailNames.flatMap((name) => {
      const value = host[name] ?? null;
      return value === null ? [] : [[name, value]];
    }),
  );

/** What the reporter calls a host; null where that is but an address. */
const givenName = ({ name = null }: ReportedHost) =>
  name === null || ipAddress.safeParse(name).success ? null : name;

/** What a new host is called that nobody has a name for. */
const fallbackName = ({ addresses, id }: ReportedHost) =>
  addresses[0]?.ip_address ?? id ?? "Unnamed";

const multirange = (ranges: readonly ScannedPorts[], protocol: ScannedPorts["protocol"]) =>
  `{${ranges
    .filter((range) => range.protocol === protocol)
    .map(({ from, to }) => `[${from},${to}]`)
    .join(",")}}`;

/**
 * The parameter `report` of `app.ingest` (migration `names`): what a report says, in flat rows that
 * name their host by its index. Hosts that were scanned alike share one row of `scans`.
 */
export function parameterOf(
  report: Report,
  hosts: readonly { host: ReportedHost; united: UnitedHost }[],
): string {
  const scans = new Map<readonly ScannedPorts[], number>();
  const scanOf = ({ scanned_ports: ranges }: ReportedHost) => {
    if (ranges.length === 0) {
      return null;
    }
    const scan = scans.get(ranges) ?? scans.size;
    scans.set(ranges, scan);
    return scan;
  };
  return JSON.stringify({
    observed_at: report.observed_at,
    subnets: report.subnets.map((subnet, position) => ({ ...subnet, position })),
    hosts: hosts.map(({ host }) => ({
      index: host.index,
      id: host.id,
      details: detailsOf(host),
      // What a host says of itself replaces what was guessed.
      ranks: host.is_operating_system_guessed ? {} : { operating_system: 1 },
      given_name: givenName(host),
      fallback_name: fallbackName(host),
      scan: scanOf(host),
    })),
    addresses: hosts.flatMap(({ host: { index, addresses } }) =>
      addresses.map(({ ip_address: ip, mac_address: mac, name }, position) => ({
        index,
        position,
        ip,
        mac,
        name,
      })),
    ),
    ports: hosts.flatMap(({ host: { index }, united }) =>
      united.ports.map(({ number, protocol }) => ({ index, number, protocol })),
    ),
    services: hosts.flatMap(({ host: { index }, united }) =>
      united.services.map(({ bindings: _, ...service }, position) => ({
        index,
        service: position,
        ...service,
      })),
    ),
    bindings: hosts.flatMap(({ host: { index }, united }) => {
      let position = 0;
      return united.services.flatMap(({ bindings }, service) =>
        bindings.map((binding) => ({
          index,
          position: position++,
          service,
          type: binding.type,
          ip: binding.ip_address,
          ...(binding.type === "Port" && binding.port),
        })),
      );
    }),
    scans: [...scans].map(([ranges, scan]) => ({
      scan,
      tcp: multirange(ranges, "Tcp"),
      udp: multirange(ranges, "Udp"),
    })),
  });
}
