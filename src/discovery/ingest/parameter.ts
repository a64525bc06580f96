import { hostDetails } from "../../database/tables/index.ts";
import type {
  HostDetails,
  Report,
  ReportedHost,
  ReportedInterface,
  ReportedService,
  ScannedPorts,
} from "../report.ts";
import type { Pace, Steps } from "../steps.ts";
import { containerOf, type UnitedHost } from "../unite.ts";
import { isWellKnown } from "../well-known-services.ts";

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

/**
 * The evidence of what stands above the least, as `app.fillable` takes it: what a host says of itself
 * replaces what was guessed.
 */
const ranksOf = (host: ReportedHost) =>
  host.operating_system == null || host.is_operating_system_guessed
    ? {}
    : { operating_system: { rank: 1 } };

/** What a new host is called that nobody has a name for. */
const fallbackName = ({ addresses, id }: ReportedHost) =>
  addresses[0]?.ip_address ?? id ?? "Unnamed";

/** What is not said is not sent: Postgres reads all that is. */
const said = <Value>(value: Value | null | undefined): Value | undefined => value ?? undefined;

const byIndex = (one: ReportedInterface, other: ReportedInterface) => one.if_index - other.if_index;

/** A value, left out where it is the one that `app.ingest` takes for a missing field. */
const unless = <Value>(byDefault: Value, value: Value): Value | undefined =>
  value === byDefault ? undefined : value;

const multirange = (ranges: readonly ScannedPorts[], protocol: ScannedPorts["protocol"]) =>
  `{${ranges
    .filter((range) => range.protocol === protocol)
    .map(({ from, to }) => `[${from},${to}]`)
    .join(",")}}`;

/** What making the JSON of a host or a row costs, in units of work. */
const costs = { host: 20, row: 2 } as const;

/**
 * The parameter `report` of `app.ingest`: what a report says, in flat rows that
 * name their host by its index. Hosts that were scanned alike share one row of `scans`.
 */
export function* parameterOf(
  report: Report,
  hosts: readonly { host: ReportedHost; united: UnitedHost }[],
  pace: Pace,
): Steps<string> {
  const scans = new Map<readonly ScannedPorts[], number>();
  const scanOf = ({ scanned_ports: ranges }: ReportedHost) => {
    if (ranges.length === 0) {
      return null;
    }
    const scan = scans.get(ranges) ?? scans.size;
    scans.set(ranges, scan);
    return scan;
  };
  const rows = {
    hosts: new Rows(),
    addresses: new Rows(),
    ports: new Rows(),
    interfaces: new Rows(),
    services: new Rows(),
    bindings: new Rows(),
  };
  const completeInterfaces: number[] = [];
  for (const { host, united } of hosts) {
    const { index, interfaces, are_interfaces_complete: areComplete } = host;
    // An empty table is one that was not read.
    if (interfaces && interfaces.length > 0 && areComplete) {
      completeInterfaces.push(index);
    }
    const bindings = bindingsOf(host, united);
    const count =
      host.addresses.length +
      united.ports.length +
      (interfaces?.length ?? 0) +
      united.services.length +
      bindings.length;
    if (pace.isOver(costs.host + costs.row * count)) {
      yield;
    }
    rows.hosts.add([
      {
        index,
        id: said(host.id),
        details: detailsOf(host),
        ranks: ranksOf(host),
        given_name: said(host.name ?? null),
        fallback_name: fallbackName(host),
        scan: scanOf(host),
      },
    ]);
    rows.addresses.add(
      host.addresses.map(({ ip_address: ip, mac_address: mac, zone, name }, position) => ({
        index,
        position,
        ip,
        mac: said(mac),
        zone: said(zone),
        name: said(name),
      })),
    );
    rows.ports.add(
      united.ports.map(({ number, protocol }) => ({
        index,
        number,
        protocol: unless("Tcp", protocol),
      })),
    );
    rows.interfaces.add(
      // In one order, as those that a host has no room for are left out at the end.
      [...(interfaces ?? [])].sort(byIndex).map((one) => ({
        index,
        if_index: one.if_index,
        name: said(one.name),
        description: said(one.description),
        type: said(one.type),
        speed_bps: said(one.speed_bps),
        mac: said(one.mac_address),
        admin_status: said(one.admin_status),
        oper_status: said(one.oper_status),
        ips: one.ip_addresses,
      })),
    );
    rows.services.add(
      united.services.map(({ bindings: _, ...service }, position) => ({
        index,
        service: position,
        name: service.name,
        definition: unless(service.name, service.definition),
        is_guess: unless(false, service.is_guess),
        is_of_port: unless(false, service.is_of_port),
        is_protocol: unless(false, isProtocol(service)),
        version: said(service.version),
        container: said(containerOf(service)),
        virtualization: said(service.virtualization),
        runner: said(service.runner),
      })),
    );
    rows.bindings.add(bindings);
  }
  const { observed_at } = report;
  const others = JSON.stringify({
    observed_at,
    has_zones: report.hosts.some(({ addresses }) => addresses.some(({ zone }) => zone != null)),
    complete_interfaces: completeInterfaces,
    subnets: report.subnets.map((subnet, position) => ({ ...subnet, position })),
    scans: [...scans].map(([ranges, scan]) => ({
      scan,
      tcp: multirange(ranges, "Tcp"),
      udp: multirange(ranges, "Udp"),
    })),
  });
  const lists = Object.entries(rows).map(([name, list]) => `,"${name}":${list.json()}`);
  return `${others.slice(0, -1)}${lists.join("")}}`;
}

/**
 * Whether a service may be but the protocol that its port speaks, which says nothing against the product
 * that is known to speak it.
 */
const isProtocol = ({ name, definition, is_of_port }: Omit<ReportedService, "bindings">): boolean =>
  isWellKnown(definition) || (is_of_port && name === definition);

/** The bindings of a host, each with its place among all of the host. */
function bindingsOf({ index }: ReportedHost, { services }: UnitedHost): object[] {
  let position = 0;
  return services.flatMap(({ bindings }, service) =>
    bindings.map((binding) => ({
      index,
      position: position++,
      service,
      ip: said(binding.ip_address),
      ...(binding.type === "Port"
        ? { number: binding.port.number, protocol: unless("Tcp", binding.port.protocol) }
        : { type: binding.type, protocol: null }),
    })),
  );
}

/** Rows that become JSON some at a time. */
class Rows {
  readonly #json: string[] = [];

  add(rows: readonly object[]): void {
    if (rows.length > 0) {
      this.#json.push(JSON.stringify(rows).slice(1, -1));
    }
  }

  json(): string {
    return `[${this.#json.join(",")}]`;
  }
}
