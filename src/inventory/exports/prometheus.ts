import { reachable } from "./addresses.ts";
import type { ExportedHost } from "./model.ts";

/** The ports that a request selects: one port, or the ports of a service. */
export interface PortChoice {
  port?: { number: number; protocol: string | null } | undefined;
  service?: string | undefined;
}

/** A target group of Prometheus' HTTP service discovery. */
export interface TargetGroup {
  targets: string[];
  labels: Record<string, string>;
}

/**
 * Joins several values into one, in the format that relabeling rules expect: between commas, so
 * that `.*,web,.*` matches one of them. Line breaks are replaced, since `.*` does not match them in
 * Prometheus before 3.0.
 */
const listed = (values: readonly string[]): string =>
  values.length === 0 ? "" : `,${values.map((value) => value.replace(/[,\n]/g, "_")).join(",")},`;

/**
 * Returns the TCP ports of the targets: none if the request selects neither a port nor a service.
 */
function targetPorts({ services }: ExportedHost, { port, service }: PortChoice): number[] {
  if (port !== undefined) {
    return [port.number];
  }
  const folded = service?.toLowerCase();
  const servicePorts = services
    .filter(({ name, definition }) =>
      [name, definition].some((text) => text.toLowerCase() === folded),
    )
    .flatMap(({ ports }) => ports.filter((one) => one.endsWith("/Tcp")));
  return [...new Set(servicePorts)]
    .map((one) => Number.parseInt(one, 10))
    .sort((one, other) => one - other);
}

/**
 * Maps a host to a target group: its first reachable address, at each selected port.
 * @see https://prometheus.io/docs/prometheus/latest/http_sd/
 */
export function toTargetGroup(host: ExportedHost, choice: PortChoice): TargetGroup {
  const [first] = reachable(host.addresses);
  const address = first?.includes(":") ? `[${first}]` : first;
  const ports = targetPorts(host, choice);
  const targets = address === undefined ? [] : [address];
  return {
    targets:
      ports.length === 0
        ? targets
        : targets.flatMap((one) => ports.map((port) => `${one}:${port}`)),
    labels: {
      __meta_inventory_id: host.id,
      __meta_inventory_name: host.name,
      __meta_inventory_hostname: host.hostname ?? "",
      __meta_inventory_network: host.network,
      __meta_inventory_network_id: host.network_id,
      __meta_inventory_operating_system: host.operating_system ?? "",
      __meta_inventory_manufacturer: host.manufacturer ?? "",
      __meta_inventory_model: host.model ?? "",
      __meta_inventory_addresses: listed(host.addresses),
      __meta_inventory_ports: listed(host.ports),
      __meta_inventory_services: listed([
        ...new Set(host.services.map(({ definition }) => definition)),
      ]),
      __meta_inventory_tags: listed(host.tags),
    },
  };
}
