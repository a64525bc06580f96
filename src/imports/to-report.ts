import {
  type FailedHost,
  type Report,
  type ReportedAddress,
  type ReportedHost,
  type ReportedService,
  unclaimedDefinitions,
} from "../discovery/report.ts";
import { wellKnownSpelling } from "../discovery/well-known-services.ts";
import { canonicalAddress, unzoned, zoneOf } from "../http/input/network.ts";
import { IssueList } from "../http/validation/issues.ts";
import { addIssues } from "../http/validation/zod-issues.ts";
import type { ImportBody, ImportHost } from "./input.ts";

/** The service that daemons report for open ports without a named service. */
const [unclaimed] = unclaimedDefinitions;

/**
 * Converts an import to a report. Its ports apply to all addresses of their host, and well-known
 * services get their canonical spelling.
 */
export function reportOf({ source, observed_at, hosts }: ImportBody): Report {
  const reported: ReportedHost[] = [];
  const failed: FailedHost[] = [];
  const scans = new SharedScans();
  const externalIds = new Map<string, number>();
  for (const [index, { host, issues, sentPath }] of hosts.entries()) {
    const path = `hosts[${index}]`;
    const list = new IssueList();
    addIssues(list, path, issues);
    const sameAs = host?.external_id ? externalIds.get(host.external_id) : undefined;
    if (sameAs !== undefined) {
      const message = `is also the external id of hosts[${sameAs}]: send each host once`;
      list.add({ path: `${path}.external_id`, message, code: "same_external_id" });
      failed.push({ index, issues: list.first });
    } else if (host) {
      if (host.external_id) {
        externalIds.set(host.external_id, index);
      }
      const pathOf: PathOf = (of, position, field) => {
        const [, bodyPosition = position] = sentPath([of, position]);
        return `${path}.${of}[${String(bodyPosition)}].${field}`;
      };
      const scanned_ports = scans.shared(host.scanned_ports);
      reported.push({ ...hostOf(host, index, pathOf), scanned_ports, issues: list.first });
    } else {
      failed.push({ index, issues: list.first });
    }
  }
  return { source, observed_at, subnets: [], hosts: reported, failed };
}

/**
 * The path of a field in the body. Lists may be longer there, since invalid members have been
 * dropped.
 */
type PathOf = (list: "addresses" | "ports", position: number, field: string) => string;

/** Deduplicates lists of scanned ports, since programs repeat one list for every host. */
class SharedScans {
  readonly #byContent = new Map<string, ImportHost["scanned_ports"]>();
  readonly #known = new Set<ImportHost["scanned_ports"]>();

  shared(scan: ImportHost["scanned_ports"]): ImportHost["scanned_ports"] {
    if (this.#known.has(scan)) {
      return scan;
    }
    const key = JSON.stringify(scan);
    const known = this.#byContent.get(key) ?? scan;
    this.#byContent.set(key, known);
    this.#known.add(known);
    return known;
  }
}

/**
 * Returns the addresses of a host without duplicates: a router can have the same address on several
 * links.
 */
function addressesOf({ addresses }: ImportHost, pathOf: PathOf): ReportedAddress[] {
  const known = new Map<string, ReportedAddress>();
  for (const [position, { ip_address, mac_address }] of addresses.entries()) {
    const address = unzoned(ip_address);
    const key = canonicalAddress(address);
    const zone = zoneOf(ip_address);
    const first = known.get(key);
    if (first) {
      known.set(key, {
        ...first,
        mac_address: first.mac_address ?? mac_address,
        // If an address is on several links, its zone is ambiguous.
        zone: first.zone === zone ? zone : null,
      });
    } else {
      const path = pathOf("addresses", position, "ip_address");
      known.set(key, { ip_address: address, mac_address, zone, name: null, path });
    }
  }
  return [...known.values()];
}

function ownDataOf({ external_id = null, metadata = null, tags = null }: ImportHost) {
  const isEmpty = external_id === null && metadata === null && tags === null;
  return isEmpty ? null : { external_id, metadata, tags };
}

function hostOf(host: ImportHost, index: number, pathOf: PathOf) {
  const { id, name, hostname, operating_system, ports, interfaces } = host;
  return {
    index,
    id,
    name,
    hostname,
    operating_system,
    description: host.description ?? null,
    own: ownDataOf(host),
    is_operating_system_guessed: host.is_operating_system_guessed ?? false,
    addresses: addressesOf(host, pathOf),
    ports: ports.map(({ number, protocol }) => ({ number, protocol })),
    interfaces: interfaces.map((one) => ({
      ...one,
      // If the VLANs are complete, omitted tagged VLANs mean that there are none.
      tagged_vlans: one.tagged_vlans ?? (one.complete.includes("vlans") ? [] : null),
      ip_addresses: one.ip_addresses.map(unzoned),
    })),
    are_interfaces_complete: host.interfaces_complete,
    services: ports.map(
      ({ number, protocol, service }, position): ReportedService => ({
        name: service ? wellKnownSpelling(service.name) : unclaimed,
        definition: service ? wellKnownSpelling(service.definition ?? service.name) : unclaimed,
        version: service?.version ?? null,
        is_guess: service?.is_guess ?? false,
        is_of_port: service?.is_of_port ?? false,
        virtualization: null,
        runner: null,
        bindings: [
          {
            type: "Port",
            port: { number, protocol },
            ip_address: null,
            path: pathOf("ports", position, "service"),
          },
        ],
      }),
    ),
  };
}
