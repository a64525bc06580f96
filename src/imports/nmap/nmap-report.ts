import type { Protocol } from "../../discovery/well-known-ports.ts";

export type { Protocol };

/** What a file of nmap says, in the form of the JSON body of an import before it is validated. */
export interface NmapReport {
  source: { name: string; version: string | null };
  /** When the scan ended, RFC 3339 in UTC; null if the file does not say. */
  observed_at: string | null;
  /** The hosts that answered, each once. */
  hosts: NmapHost[];
}

export interface NmapHost {
  /** Its hostname, else its address. */
  name: string | null;
  hostname: string | null;
  /** The system that nmap takes it for; null if it did not look or found nothing like it. */
  operating_system: string | null;
  is_operating_system_guessed: true;
  addresses: { ip_address: string; mac_address: string | null }[];
  /** Its open ports, each once. */
  ports: { number: number | string; protocol: Protocol; service: NmapService | null }[];
  /**
   * The ports of which the scan learned whether they are open. Hosts whose ports have the same states share
   * one array, since a plain scan has some 600 ranges: a copy for each of 2,000 hosts takes 76 MiB.
   */
  scanned_ports: readonly PortRange[];
}

export interface NmapService {
  name: string;
  definition: string;
  /** The product and its version; null where nmap does not know a version. */
  version: string | null;
  /** Whether only the port's number says so. */
  is_guess: boolean;
  /** nmap never says that two ports are of one service. */
  is_of_port: true;
}

/** Ports from one number to another, both included. */
export interface PortRange {
  protocol: Protocol;
  from: number;
  to: number;
}
