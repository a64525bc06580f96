import type {
  ReportedBinding,
  ReportedHost,
  ReportedPort,
  ReportedSubnet,
} from "../../../discovery/report.ts";
import { addressesOnce } from "../../../discovery/unite.ts";
import { unzoned, zoneOf } from "../../../http/input/network.ts";
import { nilId, type WireHost, type WireService, type WireSubnet } from "./protocol.ts";

/** The maximum number of database rows for a host. */
export const rowsOf = ({ ip_addresses, ports, services, interfaces }: WireHost): number =>
  services.reduce(
    (sum, { bindings }) => sum + 1 + bindings.length,
    interfaces.reduce(
      (sum, { neighbors }) => sum + 1 + neighbors.length,
      1 + ip_addresses.length + ports.length,
    ),
  );

/** Converts a subnet. Its natural key is its block. */
export const toSubnet = ({ cidr, name, description, subnet_type }: WireSubnet): ReportedSubnet => ({
  cidr,
  name: name ?? cidr,
  description,
  subnet_type,
});

/**
 * Converts a host from the daemon's ids to natural keys. The daemon's ids are valid only within one
 * report.
 * @param index the host's position in the report
 */
export function toHost(
  { host, ip_addresses, ports, services, interfaces, interfaces_complete }: WireHost,
  index: number,
): ReportedHost {
  const { id, network_id: _, virtualization, ...details } = host;
  const path = `hosts[${index}]`;
  const addressOf = new Map(
    ip_addresses.map((address) => [address.id, unzoned(address.ip_address)]),
  );
  const portOf = new Map(
    ports.map((port): [string, ReportedPort] => [
      port.id,
      { number: port.number, protocol: port.protocol },
    ]),
  );
  const named = services.flatMap((service) => {
    const definition = service.service_definition ?? service.name;
    return definition === null ? [] : [{ service, definition }];
  });
  const positionOf = new Map(named.map(({ service }, position) => [service.id ?? nilId, position]));
  const bindingsOf = ({ bindings, position: service }: WireService): ReportedBinding[] =>
    bindings.flatMap(({ binding, position }): ReportedBinding[] => {
      const at = `${path}.services[${service}].bindings[${position}]`;
      const ip_address = addressOf.get(binding.ip_address_id ?? "") ?? null;
      // Skip bindings whose target is not in this report.
      if (ip_address === null && (binding.ip_address_id ?? nilId) !== nilId) {
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
    virtualization: withoutService(virtualization),
    // The device itself reports sysDescr over SNMP, so the operating system is not a guess.
    operating_system: host.sys_descr,
    is_operating_system_guessed: false,
    index,
    id: id === nilId ? null : id,
    addresses: addressesOnce(
      ip_addresses.map(({ ip_address, mac_address, name }, position) => ({
        ip_address: unzoned(ip_address),
        mac_address,
        zone: zoneOf(ip_address),
        name,
        path: `${path}.ip_addresses[${position}].ip_address`,
      })),
    ),
    ports: [...portOf.values()],
    // A host whose interfaces were not queried has none in the report.
    interfaces:
      interfaces.length === 0
        ? null
        : interfaces.map(({ if_name, if_descr, if_alias, if_type, ip_address_id, ...one }) => {
            const address = addressOf.get(ip_address_id ?? "");
            return {
              if_index: one.if_index,
              name: if_name,
              description: if_descr,
              type: if_type,
              speed_bps: one.speed_bps,
              mac_address: one.mac_address,
              admin_status: one.admin_status,
              oper_status: one.oper_status,
              alias: if_alias,
              // Daemons do not report VLAN numbers, only ids that their own server has assigned.
              native_vlan: null,
              tagged_vlans: null,
              ip_addresses: address === undefined ? [] : [address],
              neighbors: one.neighbors,
              learned_macs: one.learned_macs,
              complete: one.complete,
            };
          }),
    are_interfaces_complete: interfaces.length === 0 ? null : interfaces_complete,
    services: named.map(({ service, definition }, position) => ({
      name: service.name ?? [...definition].slice(0, 100).join(""),
      definition,
      version: null,
      // A container has its own name, so its service is not a guess even at low confidence.
      is_guess: service.source === "Low" && service.virtualization === null,
      is_of_port: false,
      virtualization: withoutService(service.virtualization),
      runner: runnerOf(service, positionOf, position),
      bindings: bindingsOf(service),
    })),
    // Daemons do not report which ports they scanned: absence is decided by app.settle_scan.
    scanned_ports: [],
  };
}

/**
 * Returns the position of the service that runs a service's container, if it is another service of
 * the host.
 */
function runnerOf(
  { virtualization }: WireService,
  positionOf: ReadonlyMap<string, number>,
  position: number,
): number | null {
  const id = virtualization?.details.service_id ?? nilId;
  const runner = id === nilId ? undefined : positionOf.get(id);
  return runner === undefined || runner === position ? null : runner;
}

/**
 * Returns a virtualization without the id of its service, which is valid only within the report.
 */
const withoutService = <Details extends object, Type>(
  virtualization: { type: Type; details: Details } | null,
) =>
  virtualization && {
    type: virtualization.type,
    details: { ...virtualization.details, service_id: null },
  };
