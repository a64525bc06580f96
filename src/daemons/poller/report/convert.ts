import type {
  ReportedBinding,
  ReportedHost,
  ReportedPort,
  ReportedSubnet,
} from "../../../discovery/report.ts";
import { addressesOnce } from "../../../discovery/unite.ts";
import { unzoned, zoneOf } from "../../../http/input/network.ts";
import { nilId, type WireHost, type WireService, type WireSubnet } from "./protocol.ts";

/** How many rows a host is in the database, at most. */
export const rowsOf = ({ ip_addresses, ports, services, interfaces }: WireHost): number =>
  services.reduce(
    (sum, { bindings }) => sum + 1 + bindings.length,
    1 + ip_addresses.length + ports.length + interfaces.length,
  );

/** A subnet of a report, under its block. */
export const toSubnet = ({ cidr, name, description, subnet_type }: WireSubnet): ReportedSubnet => ({
  cidr,
  name: name ?? cidr,
  description,
  subnet_type,
});

/**
 * A host of a report, by natural keys: ids of the daemon's making mean something only within it.
 * @param index its place in the report
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
  const placeOf = new Map(named.map(({ service }, place) => [service.id ?? nilId, place]));
  const bindingsOf = ({ bindings, place: service }: WireService): ReportedBinding[] =>
    bindings.flatMap(({ binding, place }): ReportedBinding[] => {
      const at = `${path}.services[${service}].bindings[${place}]`;
      const ip_address = addressOf.get(binding.ip_address_id ?? "") ?? null;
      // What is bound to nothing of this report says nothing.
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
    // The system in the words of the host itself.
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
    // A host whose interfaces were not asked for has none in the report.
    interfaces:
      interfaces.length === 0
        ? null
        : interfaces.map(({ if_name, if_descr, if_type, ip_address_id, ...one }) => {
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
              ip_addresses: address === undefined ? [] : [address],
            };
          }),
    are_interfaces_complete: interfaces.length === 0 ? null : interfaces_complete,
    services: named.map(({ service, definition }, place) => ({
      name: service.name ?? [...definition].slice(0, 100).join(""),
      definition,
      version: null,
      // A container names itself, though the daemon knows no more of what is in it.
      is_guess: service.source === "Low" && service.virtualization === null,
      is_of_port: false,
      virtualization: withoutService(service.virtualization),
      runner: runnerOf(service, placeOf, place),
      bindings: bindingsOf(service),
    })),
    // A daemon does not say which ports it has looked at: see app.settle_scan.
    scanned_ports: [],
  };
}

/** The place of the service that runs a service's container, if it is another one of the host. */
function runnerOf(
  { virtualization }: WireService,
  placeOf: ReadonlyMap<string, number>,
  place: number,
): number | null {
  const id = virtualization?.details.service_id ?? nilId;
  const runner = id === nilId ? undefined : placeOf.get(id);
  return runner === undefined || runner === place ? null : runner;
}

/** A virtualization without the id of the service that runs it, which is of the daemon's making. */
const withoutService = <Details extends object, Type>(
  virtualization: { type: Type; details: Details } | null,
) =>
  virtualization && {
    type: virtualization.type,
    details: { ...virtualization.details, service_id: null },
  };
