import type { Protocol } from "./nmap-report.ts";

/** The protocols of the inventory. nmap also scans SCTP and IP protocols. */
const protocols: ReadonlyMap<string | null, Protocol> = new Map([
  ["tcp", "Tcp"],
  ["udp", "Udp"],
]);

/** The protocol of a port or of a scan; null if the inventory does not support it. */
export const protocolOf = (name: string | null): Protocol | null => protocols.get(name) ?? null;
