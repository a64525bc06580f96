import { reachable } from "./addresses.ts";
import type { ExportedHost } from "./model.ts";

/** What is asked for: a port, or the ports of a service. */
export interface Wanted {
  port?: { number: number; protocol: string | null } | undefined;
  service?: string | undefined;
}

/** A group of targets, as Prometheus' HTTP service discovery reads it. */
export interface TargetGroup {
  targets: string[];
  labels: Record<string, string>;
}

/**
 * Several values in one, as relabelling rules expect them: between commas, so that `.*,web,.*` finds one. No value has a
 * line break, behind which `.*` finds nothing in Prometheus before 3.0.
 */
const listed = (values: readonly string[]): string =>
  values.length === 0 ? "" : `,${values.map((value) => value.replace(/[,\n]/g, "_")).join(",")},`;

/** The TCP ports that a host is asked at: none where neither a port nor a service is wanted. */
function wantedPorts({ services }: ExportedHost, { port, service }: Wanted): number[] {
  if (port !== undefined) {
    return [port.number];
  }
  const folded = service?.toLowerCase();
  const found = services
    .filter(({ name, definition }) =>
      [name, definition].some((text) => text.toLowerCase() === folded),
    )
    .flatMap(({ ports }) => ports.filter((one) => one.endsWith("/Tcp")));
  return [...new Set(found)]
    .map((one) => Number.parseInt(one, 10))
    .sort((one, other) => one - other);
}

/**
 * A host as a group of targets: its first address that others reach, at each port that is asked for.
 * @see https://prometheus.io/docs/prometheus/latest/http_sd/
 */
export function toTargetGroup(host: ExportedHost, wanted: Wanted): TargetGroup {
  const [first] = reachable(host.addresses);
  const address = first?.includes(":") ? `[${first}]` : first;
  const ports = wantedPorts(host, wanted);
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
