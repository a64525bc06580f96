import {
  type ReportedAddress,
  type ReportedBinding,
  type ReportedHost,
  type ReportedPort,
  type ReportedService,
  reportLimits,
} from "../../../discovery/report.ts";
import type { Pace, Steps } from "../../../discovery/steps.ts";
import { canonicalAddress, ipAddress } from "../../../http/input/network.ts";

/** What an address, a name, a service or a binding costs, in units of work. */
const costs = { address: 10, name: 20, service: 10, binding: 10 } as const;

/** Addresses without duplicates: the first counts, and the others supply what it does not say. */
export function addressesOnce(addresses: Iterable<ReportedAddress>): ReportedAddress[] {
  const known = new Map<string, ReportedAddress>();
  for (const address of addresses) {
    addOnce(known, address);
  }
  return [...known.values()];
}

function addOnce(known: Map<string, ReportedAddress>, address: ReportedAddress): void {
  const key = canonicalAddress(address.ip_address);
  const first = known.get(key);
  known.set(key, {
    ...address,
    ...first,
    mac_address: first?.mac_address ?? address.mac_address,
    name: first?.name ?? address.name,
  });
}

/** A host, and how much of what belongs to it is left out. */
interface United {
  host: ReportedHost;
  leftOut: number;
}

/**
 * One host of several reports of it, each read once: what a later one does not say, an earlier one
 * supplies. Its place is that of the first. It has no more of anything than one report of it may
 * have ({@link reportLimits}): of its addresses the latest count, of all else the first.
 * @param later in the order in which they came
 */
export function* unite(
  first: ReportedHost,
  later: readonly ReportedHost[],
  pace: Pace,
): Steps<United> {
  if (later.length === 0) {
    return { host: first, leftOut: 0 };
  }
  const reports = [first, ...later];
  const united = { ...first };
  const parts = new UnitedParts();
  for (const report of reports) {
    if (pace.isOver(costs.name)) {
      yield;
    }
    Object.assign(
      united,
      Object.fromEntries(Object.entries(report).filter(([, value]) => value !== null)),
    );
    yield* parts.add(report, pace);
  }
  const addresses = new Map<string, ReportedAddress>();
  const seen = new Set<string>();
  for (const report of reports.toReversed()) {
    for (const address of report.addresses) {
      if (pace.isOver(costs.address)) {
        yield;
      }
      const key = canonicalAddress(address.ip_address);
      seen.add(key);
      if (addresses.has(key) || addresses.size < reportLimits.addressesPerHost) {
        addOnce(addresses, address);
      }
    }
  }
  return {
    host: {
      ...united,
      name: yield* nameOf(reports, seen, pace),
      index: first.index,
      addresses: [...addresses.values()],
      ports: parts.ports,
      services: parts.services,
      scanned_ports: [],
    },
    leftOut: parts.leftOut.size + seen.size - addresses.size,
  };
}

/** The last name. A daemon names what it has only found by its address: that is no name beside another. */
function* nameOf(
  reports: readonly ReportedHost[],
  own: ReadonlySet<string>,
  pace: Pace,
): Steps<string | null> {
  let last: string | null = null;
  for (const { name = null } of reports.toReversed()) {
    if (name === null) {
      continue;
    }
    if (pace.isOver(costs.name)) {
      yield;
    }
    if (!(ipAddress.safeParse(name).success && own.has(canonicalAddress(name)))) {
      return name;
    }
    last ??= name;
  }
  return last;
}

const portKey = ({ number, protocol }: ReportedPort) => `${number}/${protocol}`;

/** The ports, services and bindings of a host so far, each once. */
class UnitedParts {
  readonly #ports = new Map<string, ReportedPort>();
  readonly #services = new Map<string, ReportedService & { bindings: ReportedBinding[] }>();
  /** By service, the one that runs its container. */
  readonly #runners = new Map<string, string>();
  readonly #bindings = new Set<string>();
  /** What is beyond the host's bounds. */
  readonly leftOut = new Set<string>();

  get ports(): ReportedPort[] {
    return [...this.#ports.values()];
  }

  get services(): ReportedService[] {
    const places = new Map(Array.from(this.#services.keys(), (key, place) => [key, place]));
    return Array.from(this.#services, ([key, service]) => ({
      ...service,
      runner: places.get(this.#runners.get(key) ?? "") ?? null,
    }));
  }

  *add({ ports, services }: ReportedHost, pace: Pace): Steps<void> {
    for (const port of ports) {
      if (pace.isOver(1)) {
        yield;
      }
      const key = portKey(port);
      if (this.#has(this.#ports, key, reportLimits.portsPerHost)) {
        this.#ports.set(key, port);
      }
    }
    const keys = services.map(keyOf);
    for (const [place, service] of services.entries()) {
      if (pace.isOver(costs.service)) {
        yield;
      }
      const key = keys[place] ?? "";
      if (!this.#has(this.#services, key, reportLimits.servicesPerHost)) {
        continue;
      }
      const united = this.#services.get(key) ?? { ...service, bindings: [] };
      this.#services.set(key, united);
      for (const binding of service.bindings) {
        if (pace.isOver(costs.binding)) {
          yield;
        }
        this.#bind(key, united, binding);
      }
    }
    for (const [place, { runner }] of services.entries()) {
      const key = keys[place] ?? "";
      if (runner !== null && !this.#runners.has(key)) {
        this.#runners.set(key, keys[runner] ?? "");
      }
    }
  }

  /** Whether there is one of a key, or room for one. */
  #has(known: ReadonlyMap<string, unknown>, key: string, maximum: number): boolean {
    const isThere = known.has(key) || known.size < maximum;
    if (!isThere) {
      this.leftOut.add(key);
    }
    return isThere;
  }

  #bind(service: string, united: { bindings: ReportedBinding[] }, binding: ReportedBinding): void {
    const port = binding.type === "Port" ? portKey(binding.port) : null;
    const key = JSON.stringify([service, port, binding.ip_address]);
    if (this.#bindings.has(key)) {
      return;
    }
    if (this.#bindings.size >= reportLimits.bindingsPerHost || this.leftOut.has(port ?? "")) {
      this.leftOut.add(key);
      return;
    }
    this.#bindings.add(key);
    united.bindings.push(binding);
  }
}

/** What tells a service from the others of its host, as when it is ingested: what it is, and its container. */
const keyOf = ({ definition, virtualization }: ReportedService) =>
  JSON.stringify([
    definition.toLowerCase(),
    virtualization?.details.container_name ?? virtualization?.details.container_id ?? null,
  ]);
