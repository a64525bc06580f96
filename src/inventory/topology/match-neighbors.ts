import type { FoundRow, HeardRow, Identity, InterfaceRow } from "./l2-sql.ts";

/** The reasons for matching a neighbor to a host, or its port to an interface. */
export const reasons = [
  "chassis_mac",
  "management_address",
  "system_name",
  "port_name",
  "port_mac",
  "reciprocal",
  "single_mac",
] as const;
export type Reason = (typeof reasons)[number];

/** A neighbor with the host and the interface that it was matched to. */
export interface Match {
  heard: HeardRow;
  /** Null if no host matches, or if several hosts match. */
  host_id: string | null;
  isAmbiguous: boolean;
  /** The interface of that host; null if unknown. */
  interface_id: string | null;
  says: Reason[];
}

const macOf = (subtype: string | null, value: string | null): string[] =>
  subtype === "MacAddress" && value !== null ? [value] : [];

/**
 * Yields the announced values in the order in which they are looked up, each with the reason for a
 * match.
 */
function* clues(heard: HeardRow): Generator<[Reason, Identity, readonly string[]]> {
  yield [
    heard.protocol === "Fdb" ? "single_mac" : "chassis_mac",
    "mac",
    macOf(heard.chassis_subtype, heard.chassis_value),
  ];
  const chassis = heard.chassis_subtype === "NetworkAddress" ? [heard.chassis_value] : [];
  yield ["management_address", "address", [...chassis, ...heard.management_addresses]];
  const { name } = heard;
  if (name !== null) {
    for (const kind of ["sys_name", "hostname"] as const) {
      yield ["system_name", kind, [name]];
      yield ["system_name", kind, [name.split(".")[0] ?? name]];
    }
  }
}

/**
 * Matches each neighbor to a host and an interface (API contract, section 13). The first announced
 * value that any host has determines the host. If several hosts have that value, the neighbor is
 * ambiguous and has no host. A host is never its own neighbor.
 */
export function matchNeighbors(
  heard: readonly HeardRow[],
  found: readonly FoundRow[],
  interfaces: readonly InterfaceRow[],
): Match[] {
  const owners = new Map(
    found.map((row) => [`${row.kind} ${row.network_id} ${row.value}`, row] as const),
  );
  const hostOf = (one: HeardRow): Pick<Match, "host_id" | "isAmbiguous" | "says"> => {
    for (const [reason, kind, values] of clues(one)) {
      const rows = values.flatMap(
        (value) => owners.get(`${kind} ${one.network_id} ${value}`) ?? [],
      );
      const [first] = rows;
      const isOne = rows.every(({ hosts, host_id }) => hosts === 1 && host_id === first?.host_id);
      if (first && !isOne) {
        return { host_id: null, isAmbiguous: true, says: [] };
      }
      if (first && first.host_id !== one.host_id) {
        return { host_id: first.host_id, isAmbiguous: false, says: [reason] };
      }
    }
    return { host_id: null, isAmbiguous: false, says: [] };
  };
  const matches = heard.map((one): Match => ({ heard: one, ...hostOf(one), interface_id: null }));
  const ports = portsOf(interfaces);
  for (const match of matches) {
    setPort(match, ports);
  }
  setReciprocalPorts(matches);
  return matches;
}

type PortKey = "name" | "mac";

const portKey = (host_id: string, key: PortKey, value: string) => `${host_id} ${key} ${value}`;

/** The ids of interfaces, by {@link portKey}. */
function portsOf(interfaces: readonly InterfaceRow[]): ReadonlyMap<string, ReadonlySet<string>> {
  const ports = new Map<string, Set<string>>();
  for (const { id, host_id, name, alias, mac_address } of interfaces) {
    const values = [
      ["name", name],
      ["name", alias],
      ["mac", mac_address],
    ] as const;
    for (const [key, value] of values) {
      if (value !== null) {
        const place = portKey(host_id, key, value);
        ports.set(place, (ports.get(place) ?? new Set()).add(id));
      }
    }
  }
  return ports;
}

/** Sets the interface whose name, alias or MAC address the neighbor announces as its port. */
function setPort(match: Match, ports: ReadonlyMap<string, ReadonlySet<string>>): void {
  const { host_id, heard } = match;
  if (host_id === null || heard.port_value === null) {
    return;
  }
  const isMac = heard.port_subtype === "MacAddress";
  const found = ports.get(portKey(host_id, isMac ? "mac" : "name", heard.port_value));
  const [port] = found ?? [];
  if (port !== undefined && found?.size === 1) {
    match.interface_id = port;
    match.says.push(isMac ? "port_mac" : "port_name");
  }
}

/**
 * Sets the interface of a neighbor whose announced port is unknown, if each of the two hosts
 * reports the other on exactly one interface.
 */
function setReciprocalPorts(matches: readonly Match[]): void {
  const pairOf = (from: string, to: string | null) => `${from} ${to}`;
  const heardOn = new Map<string, Set<string>>();
  for (const { heard, host_id } of matches) {
    if (host_id !== null && heard.protocol !== "Fdb") {
      const pair = pairOf(heard.host_id, host_id);
      heardOn.set(pair, (heardOn.get(pair) ?? new Set()).add(heard.interface_id));
    }
  }
  for (const match of matches) {
    const { heard, host_id, interface_id } = match;
    if (host_id === null || interface_id !== null || heard.protocol === "Fdb") {
      continue;
    }
    const own = heardOn.get(pairOf(heard.host_id, host_id));
    const theirs = [...(heardOn.get(pairOf(host_id, heard.host_id)) ?? [])];
    const [port] = theirs;
    if (own?.size === 1 && theirs.length === 1 && port !== undefined) {
      match.interface_id = port;
      match.says.push("reciprocal");
    }
  }
}
