import {
  type FailedHost,
  type Report,
  type ReportedHost,
  type ReportedService,
  unclaimedDefinitions,
} from "../discovery/report.ts";
import { IssueList } from "../http/issues.ts";
import { addIssues } from "../http/zod-issues.ts";
import { wellKnownSpelling } from "../well-known-services.ts";
import type { ImportBody, ImportHost } from "./input.ts";

/** The service of ports that an import names no service of, as daemons call it. */
const [unclaimed] = unclaimedDefinitions;

/**
 * The report that an import is. What it says of ports holds for all addresses of their host, and
 * well-known services are spelled as everybody spells them.
 */
export function reportOf({ source, observed_at, hosts }: ImportBody): Report {
  const reported: ReportedHost[] = [];
  const failed: FailedHost[] = [];
  // Programs send one list of scanned ports with every host.
  const scans = new Map<string, ImportHost["scanned_ports"]>();
  for (const [index, { host, issues }] of hosts.entries()) {
    if (host) {
      const key = JSON.stringify(host.scanned_ports);
      const scanned_ports = scans.get(key) ?? host.scanned_ports;
      scans.set(key, scanned_ports);
      reported.push({ ...hostOf(host, index), scanned_ports });
    } else {
      const found = new IssueList();
      addIssues(found, `hosts[${index}]`, issues);
      failed.push({ index, issues: found.first });
    }
  }
  return { source, observed_at, subnets: [], hosts: reported, failed };
}

function hostOf(host: ImportHost, index: number) {
  const { id, name, hostname, operating_system, addresses, ports, interfaces } = host;
  return {
    index,
    id,
    name,
    hostname,
    operating_system,
    is_operating_system_guessed: host.is_operating_system_guessed ?? false,
    addresses: addresses.map((address, position) => ({
      ...address,
      name: null,
      path: `hosts[${index}].addresses[${position}].ip_address`,
    })),
    ports: ports.map(({ number, protocol }) => ({ number, protocol })),
    interfaces,
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
            path: `hosts[${index}].ports[${position}].service`,
          },
        ],
      }),
    ),
  };
}
