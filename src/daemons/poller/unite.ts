import type { ReportedAddress, ReportedHost } from "../../discovery/report.ts";
import { canonicalAddress, ipAddress } from "../../http/input/network.ts";

/** Addresses without doubles: the first counts, and what it does not say the others do. */
export function addressesOnce(addresses: Iterable<ReportedAddress>): ReportedAddress[] {
  const known = new Map<string, ReportedAddress>();
  for (const address of addresses) {
    const key = canonicalAddress(address.ip_address);
    const first = known.get(key);
    known.set(key, {
      ...address,
      ...first,
      mac_address: first?.mac_address ?? address.mac_address,
      name: first?.name ?? address.name,
    });
  }
  return [...known.values()];
}

/**
 * One host of several reports of it, each read once: what a later one does not say, an earlier one
 * does. Its place is that of the first.
 * @param reports in the order in which they came
 */
export function unite(first: ReportedHost, later: readonly ReportedHost[]): ReportedHost {
  if (later.length === 0) {
    return first;
  }
  const reports = [first, ...later];
  const united = { ...first };
  for (const report of later) {
    Object.assign(
      united,
      Object.fromEntries(Object.entries(report).filter(([, value]) => value !== null)),
    );
  }
  const addresses = addressesOnce(reports.toReversed().flatMap((report) => report.addresses));
  let services = 0;
  return {
    ...united,
    name: nameOf(reports, addresses),
    index: first.index,
    addresses,
    ports: reports.flatMap(({ ports }) => ports),
    services: reports.flatMap((report) => {
      const before = services;
      services += report.services.length;
      return report.services.map((service) => ({
        ...service,
        runner: service.runner === null ? null : service.runner + before,
      }));
    }),
    scanned_ports: [],
  };
}

/** The last name. A daemon names what it has only found by its address: that is no name beside another. */
function nameOf(
  reports: readonly ReportedHost[],
  addresses: readonly ReportedAddress[],
): string | null {
  const own = new Set(addresses.map(({ ip_address }) => canonicalAddress(ip_address)));
  const isOwn = (name: string) =>
    ipAddress.safeParse(name).success && own.has(canonicalAddress(name));
  const names = reports.flatMap(({ name }) => name ?? []);
  return names.findLast((name) => !isOwn(name)) ?? names.at(-1) ?? null;
}
