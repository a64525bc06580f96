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

/** The host columns that a report fills, in addition to the name. */
const detailNames = hostDetails satisfies readonly (keyof HostDetails)[];

/** Returns the details that the report contains for a host. */
const detailsOf = (host: ReportedHost) =>
  Object.fromEntries(
    detailNames.flatMap((name) => {
      const value = host[name] ?? null;
      return value === null ? [] : [[name, value]];
    }),
  );

/**
 * Returns the evidence ranks above the lowest, in the format of `app.fillable`: a value that a host
 * reports about itself replaces a guessed one.
 */
const ranksOf = (host: ReportedHost) =>
  host.operating_system == null || host.is_operating_system_guessed
    ? {}
    : { operating_system: { rank: 1 } };

/** Returns the name for a new host if the report does not contain one. */
const fallbackName = ({ addresses, id }: ReportedHost) =>
  addresses[0]?.ip_address ?? id ?? "Unnamed";

/**
 * Converts null to undefined, so that JSON omits the field: Postgres parses everything it receives.
 */
const present = <Value>(value: Value | null | undefined): Value | undefined => value ?? undefined;

/** The number of learned MAC addresses that take as long to serialize as one row. */
const macsPerRow = 16;

const byIndex = (one: ReportedInterface, other: ReportedInterface) => one.if_index - other.if_index;

/** Omits a value that equals the one that `app.ingest` uses for a missing field. */
const unless = <Value>(byDefault: Value, value: Value): Value | undefined =>
  value === byDefault ? undefined : value;

const multirange = (ranges: readonly ScannedPorts[], protocol: ScannedPorts["protocol"]) =>
  `{${ranges
    .filter((range) => range.protocol === protocol)
    .map(({ from, to }) => `[${from},${to}]`)
    .join(",")}}`;

/** The costs of serializing a host or a row, in units of work. */
const costs = { host: 20, row: 2 } as const;

/**
 * Builds the `report` parameter of `app.ingest`: the content of a report in flat rows, which refer
 * to their host by its index. Hosts with the same scanned ports share one row of `scans`.
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
    neighbors: new Rows(),
    services: new Rows(),
    bindings: new Rows(),
    own_data: new Rows(),
  };
  const completeInterfaces: number[] = [];
  for (const { host, united } of hosts) {
    const { index, interfaces, are_interfaces_complete: areComplete } = host;
    // An empty interface table means that it was not read.
    if (interfaces && interfaces.length > 0 && areComplete) {
      completeInterfaces.push(index);
    }
    const bindings = bindingsOf(host, united);
    const count =
      host.addresses.length +
      united.ports.length +
      rowsOfInterfaces(interfaces ?? []) +
      united.services.length +
      bindings.length;
    if (pace.isOver(costs.host + costs.row * count)) {
      yield;
    }
    rows.hosts.add([
      {
        index,
        id: present(host.id),
        details: detailsOf(host),
        ranks: ranksOf(host),
        given_name: present(host.name ?? null),
        fallback_name: fallbackName(host),
        scan: scanOf(host),
      },
    ]);
    if (host.own) {
      const { external_id, metadata, tags } = host.own;
      rows.own_data.add([
        {
          index,
          external_id: present(external_id),
          metadata: present(metadata),
          tags: present(tags),
        },
      ]);
    }
    rows.addresses.add(
      host.addresses.map(({ ip_address: ip, mac_address: mac, zone, name }, position) => ({
        index,
        position,
        ip,
        mac: present(mac),
        zone: present(zone),
        name: present(name),
      })),
    );
    rows.ports.add(
      united.ports.map(({ number, protocol }) => ({
        index,
        number,
        protocol: unless("Tcp", protocol),
      })),
    );
    // Sorted, since interfaces beyond a host's maximum are dropped from the end.
    const sorted = [...(interfaces ?? [])].sort(byIndex);
    rows.interfaces.add(
      sorted.map((one) => ({
        index,
        if_index: one.if_index,
        name: present(one.name),
        description: present(one.description),
        type: present(one.type),
        speed_bps: present(one.speed_bps),
        mac: present(one.mac_address),
        admin_status: present(one.admin_status),
        oper_status: present(one.oper_status),
        alias: present(one.alias),
        native_vlan: present(one.native_vlan),
        tagged_vlans: present(one.tagged_vlans),
        ips: one.ip_addresses,
        complete: one.complete.length > 0 ? one.complete : undefined,
        // An incomplete table does not show whether a MAC address is the only one on its port.
        learned_macs: one.complete.includes("fdb") ? one.learned_macs : undefined,
      })),
    );
    rows.neighbors.add(sorted.flatMap((one) => neighborsOf(index, one)));
    rows.services.add(
      united.services.map(({ bindings: _, ...service }, position) => ({
        index,
        service: position,
        name: service.name,
        definition: unless(service.name, service.definition),
        is_guess: unless(false, service.is_guess),
        is_of_port: unless(false, service.is_of_port),
        is_protocol: unless(false, isProtocol(service)),
        version: present(service.version),
        container: present(containerOf(service)),
        virtualization: present(service.virtualization),
        runner: present(service.runner),
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

/** The cost of serializing interfaces, in rows. */
const rowsOfInterfaces = (interfaces: readonly ReportedInterface[]): number =>
  interfaces.reduce(
    (sum, { neighbors, learned_macs }) =>
      sum + 1 + neighbors.length + Math.ceil(learned_macs.length / macsPerRow),
    0,
  );

const neighborsOf = (index: number, { if_index, neighbors }: ReportedInterface): object[] =>
  neighbors.map((one) => ({
    index,
    if_index,
    protocol: one.protocol,
    chassis_subtype: one.chassis_id.subtype,
    chassis_value: one.chassis_id.value,
    port_subtype: one.port_id?.subtype,
    port_value: one.port_id?.value,
    system_name: present(one.system_name),
    system_description: present(one.system_description),
    port_description: present(one.port_description),
    management_addresses:
      one.management_addresses.length > 0 ? one.management_addresses : undefined,
  }));

/**
 * True if a service may merely have been named after the protocol of its port. In that case, it
 * does not contradict a stored product that speaks this protocol.
 */
const isProtocol = ({ name, definition, is_of_port }: Omit<ReportedService, "bindings">): boolean =>
  isWellKnown(definition) || (is_of_port && name === definition);

/** Returns the bindings of a host, each with its position among all bindings of the host. */
function bindingsOf({ index }: ReportedHost, { services }: UnitedHost): object[] {
  let position = 0;
  return services.flatMap(({ bindings }, service) =>
    bindings.map((binding) => ({
      index,
      position: position++,
      service,
      ip: present(binding.ip_address),
      ...(binding.type === "Port"
        ? { number: binding.port.number, protocol: unless("Tcp", binding.port.protocol) }
        : { type: binding.type, protocol: null }),
    })),
  );
}

/** Rows that are serialized to JSON in batches. */
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
