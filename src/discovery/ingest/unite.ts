import type { Issue } from "../../errors/errors.ts";
import { canonicalAddress } from "../../http/input/network.ts";
import {
  type ReportedBinding,
  type ReportedHost,
  type ReportedPort,
  type ReportedService,
  unclaimedDefinitions,
} from "../report.ts";

/** A service of a host, with bindings that go together with all others of the host. */
interface UnitedService extends ReportedService {
  /** What tells it apart from others with its definition; null where it runs in no container. */
  container: string | null;
}

/** A host as it is ingested, and what of it is not. */
export interface UnitedHost {
  ports: readonly ReportedPort[];
  services: readonly UnitedService[];
  issues: readonly Issue[];
}

/** Whether a service stands for ports that none claims. */
const isUnclaimed = ({ definition }: ReportedService) =>
  unclaimedDefinitions.some((unclaimed) => unclaimed === definition);

const containerOf = ({ virtualization }: ReportedService) =>
  virtualization?.details.container_name ?? virtualization?.details.container_id ?? null;

/** Ports by number, Tcp first. */
const byNumber = (one: ReportedPort, other: ReportedPort) =>
  one.number - other.number ||
  (one.protocol === other.protocol ? 0 : one.protocol === "Tcp" ? -1 : 1);

const byText = (one: string, other: string) => (one === other ? 0 : one < other ? -1 : 1);

/** Bindings by port, then by address; those without a port come last. */
const byPlace = (one: ReportedBinding, other: ReportedBinding) => {
  if (one.type === "Port" && other.type === "Port") {
    return byNumber(one.port, other.port) || byText(one.ip_address ?? "", other.ip_address ?? "");
  }
  return one.type === other.type
    ? byText(one.ip_address ?? "", other.ip_address ?? "")
    : one.type === "Port"
      ? -1
      : 1;
};

/** What a service says of itself, as a text to order by. */
const said = ({ definition, name, version, is_guess, virtualization }: ReportedService) =>
  JSON.stringify([definition, name, version, is_guess, virtualization]);

/** Services by their first bindings, then by what they say: reports have them in any order. */
const byBindings = (one: SortedService, other: SortedService) => {
  const [first, second] = [one.bindings[0], other.bindings[0]];
  const places = first && second ? byPlace(first, second) : Number(!first) - Number(!second);
  return places || byText(said(one.service), said(other.service));
};

/** A service of a report with its bindings in their order, and what it is known by. */
interface SortedService {
  service: ReportedService;
  key: string;
  bindings: readonly ReportedBinding[];
}

const portKey = ({ number, protocol }: ReportedPort) => `${number}/${protocol}`;

/**
 * Unites what a report says of the services of one host: those with one definition and container are
 * one, and of bindings that do not go together (API contract, section 9) the first counts. Ports that
 * no service claims come last. The first is that of the lowest port, in whatever order the report has them.
 */
export function uniteHost(host: ReportedHost): UnitedHost {
  const issues: Issue[] = [];
  const addresses = new Set(host.addresses.map(({ ip_address }) => canonicalAddress(ip_address)));
  const ports = new Map([...host.ports].sort(byNumber).map((port) => [portKey(port), port]));
  const services = new Map<string, UnitedService & { bindings: ReportedBinding[] }>();
  const keys = host.services.map(keyOf);
  const sorted = host.services
    .map(
      (service, place): SortedService => ({
        service,
        key: keys[place] ?? "",
        bindings: [...service.bindings].sort(byPlace),
      }),
    )
    .sort(byBindings);
  for (const { service, key, bindings } of sorted) {
    const united = services.get(key) ?? {
      ...service,
      container: containerOf(service),
      bindings: [],
    };
    services.set(key, united);
    united.version ??= service.version;
    for (const binding of bindings) {
      united.bindings.push(binding);
    }
  }
  const standing = new Standing();
  const ordered = [...services.values()].sort((one, other) => rank(one) - rank(other));
  for (const service of ordered) {
    const runner = service.runner === null ? undefined : services.get(keys[service.runner] ?? "");
    service.runner = runner === undefined || runner === service ? null : ordered.indexOf(runner);
  }
  for (const service of ordered) {
    const sent = [...service.bindings].sort((one, other) => width(one) - width(other));
    service.bindings = [];
    for (const binding of sent) {
      const fate =
        binding.ip_address !== null && !addresses.has(canonicalAddress(binding.ip_address))
          ? "is bound to an address that is none of the host's: send that address too"
          : standing.add(service, binding);
      if (fate === "kept") {
        service.bindings.push(binding);
      } else if (fate !== "covered" && !service.is_guess && !isUnclaimed(service)) {
        issues.push({ path: binding.path, message: fate, code: "binding_conflict" });
      }
      if (binding.type === "Port") {
        ports.set(portKey(binding.port), binding.port);
      }
    }
  }
  return { ports: [...ports.values()], services: ordered, issues };
}

/** What tells a service of a report from the others of its host. */
const keyOf = (service: ReportedService) =>
  JSON.stringify([
    service.definition.toLowerCase(),
    containerOf(service),
    service.is_of_port
      ? service.bindings.map((binding) => (binding.type === "Port" ? portKey(binding.port) : ""))
      : null,
  ]);

/** What is known comes before what is guessed, and ports that no service claims come last. */
const rank = (service: ReportedService) => (isUnclaimed(service) ? 2 : service.is_guess ? 1 : 0);

/** Ports on all addresses replace those on single ones, so they come first; addresses come last. */
const width = (binding: ReportedBinding) =>
  binding.type === "IPAddress" ? 2 : binding.ip_address === null ? 0 : 1;

/** The bindings of a host so far. */
class Standing {
  /** By port, who has it on which address; "" is on all. */
  readonly #ports = new Map<string, Map<string, ReportedService>>();
  /** By service, the addresses of its bindings. */
  readonly #services = new Map<ReportedService, Record<ReportedBinding["type"], Set<string>>>();

  /** @returns whether it is kept, covered by one that is there, or why neither */
  add(service: ReportedService, binding: ReportedBinding): string {
    const address = binding.ip_address === null ? "" : canonicalAddress(binding.ip_address);
    const own = this.#services.get(service) ?? { Port: new Set(), IPAddress: new Set() };
    this.#services.set(service, own);
    if (binding.type === "IPAddress") {
      if (own.Port.has(address) || own.Port.has("")) {
        return "is an address on which the service has a port already: send one of the two";
      }
      const isThere = own.IPAddress.has(address);
      own.IPAddress.add(address);
      return isThere ? "covered" : "kept";
    }
    const holders = this.#ports.get(portKey(binding.port)) ?? new Map<string, ReportedService>();
    this.#ports.set(portKey(binding.port), holders);
    const inTheWay =
      address === ""
        ? [...holders.values()].find((holder) => holder !== service)
        : (holders.get("") ?? holders.get(address));
    if (inTheWay) {
      return inTheWay === service
        ? "covered"
        : "is a port that another service of the host has: send it once";
    }
    if (holders.has(address)) {
      return "covered";
    }
    holders.set(address, service);
    own.Port.add(address);
    return "kept";
  }
}
