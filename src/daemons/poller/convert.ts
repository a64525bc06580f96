import type {
  ReportedAddress,
  ReportedBinding,
  ReportedHost,
  ReportedPort,
  ReportedSubnet,
} from "../../discovery/report.ts";
import { canonicalAddress } from "../../http/input/network.ts";
import { nilId, type WireHost, type WireSubnet } from "./protocol.ts";

/** How many rows a host is in the database. */
export const rowsOf = ({ addresses, ports, services }: ReportedHost): number =>
  services.reduce(
    (sum, { bindings }) => sum + 1 + bindings.length,
    1 + addresses.length + ports.length,
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
  { host, ip_addresses, ports, services }: WireHost,
  index: number,
): ReportedHost {
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
    index,
    id: id === nilId ? null : id,
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
    // A daemon does not say which ports it has looked at: see app.settle_scan (migration `scan_absence`).
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
export function unite(earlier: ReportedHost, later: ReportedHost): ReportedHost {
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
