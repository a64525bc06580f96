import type { Protocol } from "../../discovery/well-known-ports.ts";

export type { Protocol };

/** The content of an nmap file, in the format of the JSON body of an import before validation. */
export interface NmapReport {
  source: { name: string; version: string | null };
  /** The end of the scan, RFC 3339 in UTC; null if the file does not state it. */
  observed_at: string | null;
  /** The hosts that responded, without duplicates. */
  hosts: NmapHost[];
}

export interface NmapHost {
  /** The hostname, or else the address. */
  name: string | null;
  hostname: string | null;
  /** The operating system detected by nmap; null if it did not try or found no match. */
  operating_system: string | null;
  is_operating_system_guessed: true;
  addresses: { ip_address: string; mac_address: string | null }[];
  /** The open ports, without duplicates. */
  ports: { number: number | string; protocol: Protocol; service: NmapService | null }[];
  /**
   * The ports known to be open or closed. Hosts with equal states share one array, since a plain
   * scan has about 600 ranges, and a copy for each of 2,000 hosts would take 76 MiB.
   */
  scanned_ports: readonly PortRange[];
}

export interface NmapService {
  name: string;
  definition: string;
  /** The product and its version; null if the version is unknown. */
  version: string | null;
  /** True if the service is inferred from the port number only. */
  is_guess: boolean;
  /** Always true: nmap never assigns two ports to one service. */
  is_of_port: true;
}

/** A range of ports, including both its first and its last port. */
export interface PortRange {
  protocol: Protocol;
  from: number;
  to: number;
}
