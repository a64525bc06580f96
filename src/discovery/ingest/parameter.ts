import { hostDetails } from "../../database/tables/index.ts";
import type { HostDetails, Report, ReportedHost, ScannedPorts } from "../report.ts";
import type { UnitedHost } from "./unite.ts";

/** Columns of a host that a report fills. A host has many other fields for other folders. */
const detailNames = ["name", ...hostDetails] as const satisfies readonly (keyof HostDetails)[];

/** What a report says of a host, without what it does not say. */
const detailsOf = (host: ReportedHost) =>
  Object.fromEntries(
    detailNames.flatMap((name) => {
      const value = host[name] ?? null;
      return value === null ? [] : [[name, value]];
    }),
  );

/** The longest name of a host, in characters. */
const maximumName = 100;

/** What a new host is called that the report has no name for. */
const fallbackName = ({ hostname, addresses, id }: ReportedHost) =>
  [...(hostname ?? addresses[0]?.ip_address ?? id ?? "Unnamed")].slice(0, maximumName).join("");

const multirange = (ranges: readonly ScannedPorts[], protocol: ScannedPorts["protocol"]) =>
  `{${ranges
    .filter((range) => range.protocol === protocol)
    .map(({ from, to }) => `[${from},${to}]`)
    .join(",")}}`;

/**
 * The parameter `report` of `app.ingest` (migration `ingest`): what a report says, in flat rows that
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
      fallback_name: fallbackName(host),
      scan: scanOf(host),
    })),
    addresses: hosts.flatMap(({ host: { index, addresses } }) =>
      addresses.map(({ ip_address: ip, mac_address: mac }, position) => ({
        index,
        position,
        ip,
        mac,
      })),
    ),
    ports: hosts.flatMap(({ host: { index }, united }) =>
      united.ports.map(({ number, protocol }) => ({ index, number, protocol })),
    ),
    services: hosts.flatMap(({ host: { index }, united }) =>
      united.services.map(({ name, definition, container, virtualization }, service) => ({
        index,
        service,
        name,
        definition,
        container,
        virtualization,
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
