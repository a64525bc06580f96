import type { Issue } from "../errors/errors.ts";
import { canonicalAddress, ipAddress } from "../http/input/network.ts";
import {
  type ReportedAddress,
  type ReportedBinding,
  type ReportedHost,
  type ReportedPort,
  type ReportedService,
  unclaimedDefinitions,
} from "./report.ts";
import type { Pace, Steps } from "./steps.ts";

/** The cost of an address, a name, a service and a binding, in units of {@link Pace}. */
const costs = { address: 10, name: 20, service: 10, binding: 10 } as const;

/** The limits for one host; parts beyond them are left out. */
export interface HostBounds {
  addressesPerHost: number;
  portsPerHost: number;
  servicesPerHost: number;
  bindingsPerHost: number;
}

const unbounded: HostBounds = {
  addressesPerHost: Number.POSITIVE_INFINITY,
  portsPerHost: Number.POSITIVE_INFINITY,
  servicesPerHost: Number.POSITIVE_INFINITY,
  bindingsPerHost: Number.POSITIVE_INFINITY,
};

const portKey = ({ number, protocol }: ReportedPort) => `${number}/${protocol}`;

/**
 * The container of a service, which distinguishes the service from others with the same definition;
 * null if the service does not run in a container.
 */
export const containerOf = ({
  virtualization,
}: Pick<ReportedService, "virtualization">): string | null =>
  virtualization?.details.container_name ?? virtualization?.details.container_id ?? null;

/** Services of one host with equal keys are the same service (API contract, section 10). */
const serviceKey = (service: ReportedService) =>
  JSON.stringify([
    service.definition.toLowerCase(),
    containerOf(service),
    service.is_of_port
      ? service.bindings.map((binding) => (binding.type === "Port" ? portKey(binding.port) : ""))
      : null,
  ]);

/**
 * The ports, services and bindings of one host, without duplicates; the first occurrence is kept.
 */
class UnitedParts {
  readonly #bounds: HostBounds;
  readonly #ports = new Map<string, ReportedPort>();
  readonly #services = new Map<string, ReportedService & { bindings: ReportedBinding[] }>();
  /**
   * The key of the service that runs the container, by the key of the service inside the container.
   */
  readonly #runners = new Map<string, string>();
  readonly #bindings = new Set<string>();
  /** Keys beyond the bounds. */
  readonly leftOut = new Set<string>();

  constructor(bounds: HostBounds) {
    this.#bounds = bounds;
  }

  get ports(): ReportedPort[] {
    return [...this.#ports.values()];
  }

  get services(): ReportedService[] {
    const positions = new Map(
      Array.from(this.#services.keys(), (key, position) => [key, position]),
    );
    return Array.from(this.#services, ([key, service], position) => {
      const runner = positions.get(this.#runners.get(key) ?? "") ?? null;
      return { ...service, runner: runner === position ? null : runner };
    });
  }

  *add({ ports, services }: Pick<ReportedHost, "ports" | "services">, pace: Pace): Steps<void> {
    for (const port of ports) {
      if (pace.isOver(1)) {
        yield;
      }
      const key = portKey(port);
      if (this.#hasRoom(this.#ports, key, this.#bounds.portsPerHost)) {
        this.#ports.set(key, port);
      }
    }
    const keys = services.map(serviceKey);
    for (const [position, service] of services.entries()) {
      if (pace.isOver(costs.service)) {
        yield;
      }
      const key = keys[position] ?? "";
      if (!this.#hasRoom(this.#services, key, this.#bounds.servicesPerHost)) {
        continue;
      }
      const united = this.#services.get(key) ?? { ...service, bindings: [] };
      this.#services.set(key, united);
      united.version ??= service.version;
      if (service.runner !== null && !this.#runners.has(key)) {
        this.#runners.set(key, keys[service.runner] ?? "");
      }
      for (const binding of service.bindings) {
        if (pace.isOver(costs.binding)) {
          yield;
        }
        this.#bind(key, united, binding);
      }
    }
  }

  #hasRoom(known: ReadonlyMap<string, unknown>, key: string, maximum: number): boolean {
    const hasRoom = known.has(key) || known.size < maximum;
    if (!hasRoom) {
      this.leftOut.add(key);
    }
    return hasRoom;
  }

  #bind(service: string, united: { bindings: ReportedBinding[] }, binding: ReportedBinding): void {
    const port = binding.type === "Port" ? portKey(binding.port) : null;
    const key = `${service} ${port} ${binding.ip_address}`;
    if (this.#bindings.has(key)) {
      return;
    }
    if (this.#bindings.size >= this.#bounds.bindingsPerHost || this.leftOut.has(port ?? "")) {
      this.leftOut.add(key);
      return;
    }
    this.#bindings.add(key);
    united.bindings.push(binding);
  }
}

/**
 * Removes duplicate addresses: the first occurrence is kept, and later ones fill its empty fields.
 */
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

/**
 * Combines several reports of one host, and reads each of them once. A later report takes
 * precedence, field by field. For addresses, later ones take precedence; for ports, services and
 * bindings, earlier ones do.
 * @param later in the order in which they arrived
 * @returns the host, with the index of the first report, and the number of parts beyond the bounds
 */
export function* uniteReports(
  first: ReportedHost,
  later: readonly ReportedHost[],
  bounds: HostBounds,
  pace: Pace,
): Steps<{ host: ReportedHost; leftOut: number }> {
  if (later.length === 0) {
    return { host: first, leftOut: 0 };
  }
  const reports = [first, ...later];
  const united = { ...first };
  const parts = new UnitedParts(bounds);
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
      if (addresses.has(key) || addresses.size < bounds.addressesPerHost) {
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

/**
 * Returns the last name that is not one of the host's own addresses, or the last name if there is
 * none. A daemon uses an address of the host as its name until it learns a better one.
 */
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

/** The ports and services of a host, ready to be ingested, and the issues for dropped bindings. */
export interface UnitedHost {
  ports: readonly ReportedPort[];
  services: readonly ReportedService[];
  issues: readonly Issue[];
}

/**
 * Combines a host's services that have the same definition and container, and drops bindings that
 * conflict with earlier ones (API contract, section 9). The order of the report has no effect:
 * services are sorted by their lowest port, and the placeholders of ports that no service claims
 * come last.
 */
export function* uniteHost(host: ReportedHost, pace: Pace): Steps<UnitedHost> {
  const parts = new UnitedParts(unbounded);
  const sorted = host.services.map((service) => ({
    ...service,
    bindings: [...service.bindings].sort(byTarget),
  }));
  const services = inOrder(sorted, byBindings);
  yield* parts.add({ ports: [...host.ports].sort(byNumber), services }, pace);

  const addresses = new Set(host.addresses.map(({ ip_address }) => canonicalAddress(ip_address)));
  const ports = new Map(parts.ports.map((port) => [portKey(port), port]));
  const issues: Issue[] = [];
  const kept = new KeptBindings();
  const united = inOrder(parts.services, (one, other) => rank(one) - rank(other)).map((service) => {
    const bindings: ReportedBinding[] = [];
    for (const binding of [...service.bindings].sort((one, other) => width(one) - width(other))) {
      const verdict =
        binding.ip_address !== null && !addresses.has(canonicalAddress(binding.ip_address))
          ? "is bound to an address that the host does not have: send that address too"
          : kept.add(service, binding);
      if (verdict === "kept") {
        bindings.push(binding);
      } else if (verdict !== "covered" && !service.is_guess && !isUnclaimed(service)) {
        issues.push({ path: binding.path, message: verdict, code: "binding_conflict" });
      }
      if (binding.type === "Port") {
        ports.set(portKey(binding.port), binding.port);
      }
    }
    return { ...service, bindings };
  });
  return { ports: [...ports.values()], services: united, issues };
}

/** Sorts services. Each `runner` still refers to the same service afterwards. */
function inOrder(
  services: readonly ReportedService[],
  compare: (one: ReportedService, other: ReportedService) => number,
): ReportedService[] {
  const order = services
    .map((service, position) => ({ service, position }))
    .sort((one, other) => compare(one.service, other.service));
  const positions = new Map(order.map(({ position }, sorted) => [position, sorted]));
  return order.map(({ service }) => ({
    ...service,
    runner: service.runner === null ? null : (positions.get(service.runner) ?? null),
  }));
}

/** True for the placeholder of ports that no service claims. */
const isUnclaimed = ({ definition }: ReportedService) =>
  unclaimedDefinitions.some((unclaimed) => unclaimed === definition);

/** Ports by number, Tcp first. */
const byNumber = (one: ReportedPort, other: ReportedPort) =>
  one.number - other.number ||
  (one.protocol === other.protocol ? 0 : one.protocol === "Tcp" ? -1 : 1);

const byText = (one: string, other: string) => (one === other ? 0 : one < other ? -1 : 1);

/** Bindings by port, then by address; those without a port come last. */
const byTarget = (one: ReportedBinding, other: ReportedBinding) => {
  if (one.type === "Port" && other.type === "Port") {
    return byNumber(one.port, other.port) || byText(one.ip_address ?? "", other.ip_address ?? "");
  }
  return one.type === other.type
    ? byText(one.ip_address ?? "", other.ip_address ?? "")
    : one.type === "Port"
      ? -1
      : 1;
};

const textOf = ({ definition, name, version, is_guess, virtualization }: ReportedService) =>
  JSON.stringify([definition, name, version, is_guess, virtualization]);

/** Services by their first bindings, then by their fields. */
const byBindings = (one: ReportedService, other: ReportedService) => {
  const [first, second] = [one.bindings[0], other.bindings[0]];
  const order = first && second ? byTarget(first, second) : Number(!first) - Number(!second);
  return order || byText(textOf(one), textOf(other));
};

/** Known services come before guessed ones; ports that no service claims come last. */
const rank = (service: ReportedService) => (isUnclaimed(service) ? 2 : service.is_guess ? 1 : 0);

/**
 * Bindings to a port on all addresses replace those on individual addresses, so they come first;
 * bindings to an address come last.
 */
const width = (binding: ReportedBinding) =>
  binding.type === "IPAddress" ? 2 : binding.ip_address === null ? 0 : 1;

/** The bindings of one host that have been kept so far. */
class KeptBindings {
  /** The services on each port, by address; "" is all addresses. */
  readonly #ports = new Map<string, Map<string, ReportedService>>();
  /** The addresses of the bindings of each service. */
  readonly #services = new Map<ReportedService, Record<ReportedBinding["type"], Set<string>>>();

  /** @returns `kept`, `covered` by an earlier binding, or the message of a conflict */
  add(service: ReportedService, binding: ReportedBinding): string {
    const address = binding.ip_address === null ? "" : canonicalAddress(binding.ip_address);
    const own = this.#services.get(service) ?? { Port: new Set(), IPAddress: new Set() };
    this.#services.set(service, own);
    if (binding.type === "IPAddress") {
      if (own.Port.has(address) || own.Port.has("")) {
        return "is an address on which the service already has a port: send one of the two";
      }
      const isKnown = own.IPAddress.has(address);
      own.IPAddress.add(address);
      return isKnown ? "covered" : "kept";
    }
    const holders = this.#ports.get(portKey(binding.port)) ?? new Map<string, ReportedService>();
    this.#ports.set(portKey(binding.port), holders);
    const holder =
      address === ""
        ? [...holders.values()].find((other) => other !== service)
        : (holders.get("") ?? holders.get(address));
    if (holder) {
      return holder === service
        ? "covered"
        : "is already a port of another service of the host: send it once";
    }
    if (holders.has(address)) {
      return "covered";
    }
    holders.set(address, service);
    own.Port.add(address);
    return "kept";
  }
}
