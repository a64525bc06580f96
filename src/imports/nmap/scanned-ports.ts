import type { Attributes } from "./attributes.ts";
import type { JudgedPorts } from "./judged-ports.ts";
import type { PortRange, Protocol } from "./nmap-report.ts";
import { Problem } from "./problem.ts";
import { protocolOf } from "./protocol.ts";

/**
 * Maximum number of ranges in the `scaninfo` elements: enough for every second TCP port and every
 * second UDP port.
 */
export const maxRanges = 65_536;

/**
 * Maximum number of ranges to build for all hosts. Hosts with equal states share one list. A host
 * beyond the limit gets no ranges, so that its report does not end anything.
 */
export const maxJudgedRanges = 262_144;

/** Maximum number of ranges per host. A host with more ranges gets none. */
const maxRangesOfHost = 4_096;

/**
 * The scan types that distinguish open from closed ports. An ACK scan reports every port as
 * unfiltered, and FIN, NULL and Xmas scans cannot distinguish open from filtered.
 */
const conclusive: ReadonlySet<string | null> = new Set(["syn", "connect", "udp"]);

const protocolsOfInventory = ["Tcp", "Udp"] as const satisfies readonly Protocol[];

/** The ports of a scan, from the `scaninfo` elements of a report. */
export class ScannedPorts {
  readonly #ranges: PortRange[] = [];
  #counted: CountedRanges | null = null;
  #room = maxJudgedRanges;
  /** Parsed lists of ports, by text: behind a firewall, many hosts have the same list. */
  readonly #lists = new Map<string, readonly PortRange[] | null>();
  /** Ranges by the states of a host's ports. */
  readonly #judged = new Map<string, readonly PortRange[]>();

  /**
   * @param element `scaninfo`. Its `services` are a list such as `1-100,443`. masscan omits them;
   *   in that case, ports that it did not report are unknown
   * @throws {Problem} if they are not a list of ports, or if there are too many
   */
  add(element: Attributes): void {
    const protocol = protocolOf(element.get("protocol"));
    const services = element.get("services") ?? "";
    if (protocol === null || !conclusive.has(element.get("type")) || services === "") {
      return;
    }
    for (const part of services.split(",", maxRanges + 1)) {
      const range = rangeOf(part);
      if (range === null) {
        throw new Problem("services of <scaninfo> is not a list of ports such as 1-100,443.");
      }
      if (this.#ranges.length === maxRanges) {
        throw new Problem(`<scaninfo> lists more than ${maxRanges} ranges of ports.`);
      }
      // nmap can scan port 0; the inventory starts at 1.
      this.#ranges.push({ protocol, from: Math.max(range.from, 1), to: range.to });
    }
  }

  /**
   * Returns the sorted ports, with adjacent ranges merged. Must be called after the whole report
   * has been read.
   */
  ranges(): readonly PortRange[] {
    return this.#scanned.ranges;
  }

  get #scanned(): CountedRanges {
    this.#counted ??= new CountedRanges(united(this.#ranges));
    return this.#counted;
  }

  /**
   * Returns the ports of a host that are known to be open or closed. Ports that the report does not
   * list individually are included only if the report has no groups, or counts at least as many
   * closed ports.
   */
  judged(host: JudgedPorts): readonly PortRange[] {
    const scanned = this.ranges();
    const undecided = this.#undecidedOf(host);
    const decided = [...host.decided].map(portOf);
    const left = this.#scanned.without(united([...decided, ...undecided.ranges]));
    const isFullyDecided = (protocol: Protocol) =>
      !undecided.unknown.has(protocol) &&
      (!host.hasGroups ||
        host.closed[protocol] >= left[protocol] ||
        (undecided.unknown.size === 0 &&
          host.closed.Tcp + host.closed.Udp + host.closed.any >= left.Tcp + left.Udp));
    const fullyDecided = protocolsOfInventory.filter(isFullyDecided);
    if (fullyDecided.length === protocolsOfInventory.length && undecided.ranges.length === 0) {
      return scanned;
    }
    // For the other protocols, only individually listed ports are included.
    const named = decided.filter(({ protocol }) => !fullyDecided.includes(protocol));
    const key = JSON.stringify([fullyDecided, named, undecided.key]);
    const ranges = this.#judged.get(key) ?? this.#make(fullyDecided, named, undecided.ranges);
    this.#judged.set(key, ranges);
    return ranges;
  }

  #make(
    fullyDecided: readonly Protocol[],
    named: readonly PortRange[],
    undecided: readonly PortRange[],
  ): readonly PortRange[] {
    const scanned = this.ranges();
    const cost = named.length + (fullyDecided.length > 0 ? scanned.length + undecided.length : 0);
    if (cost > this.#room) {
      return [];
    }
    this.#room -= cost;
    const whole = scanned.filter(({ protocol }) => fullyDecided.includes(protocol));
    const ranges = united([
      ...without(whole, undecided),
      // The report may list ports that its scan info does not.
      ...named.filter((port) => contains(scanned, port)),
    ]);
    return ranges.length > maxRangesOfHost ? [] : ranges;
  }

  /** Returns the undecided ports of a host, and the protocols whose undecided ports are unknown. */
  #undecidedOf(host: JudgedPorts) {
    const ranges = [...host.undecided].filter((key) => !host.decided.has(key)).map(portOf);
    const unknown = new Set(host.unknown);
    const key: unknown[] = [...ranges.map(({ protocol, from }) => `${protocol}/${from}`).sort()];
    for (const protocol of protocolsOfInventory) {
      for (const list of host.undecidedLists[protocol]) {
        const listed = this.#list(protocol, list);
        if (listed === null) {
          unknown.add(protocol);
        } else {
          ranges.push(...listed);
          key.push([protocol, list]);
        }
      }
    }
    return { ranges: united(ranges), unknown, key };
  }

  /** Parses a list of ports into ranges; null if it is invalid or too long. */
  #list(protocol: Protocol, list: string): readonly PortRange[] | null {
    const key = `${protocol}/${list}`;
    const cached = this.#lists.get(key);
    if (cached !== undefined) {
      return cached;
    }
    const parts = list.split(",", maxRangesOfHost + 1);
    const ranges: PortRange[] = [];
    this.#room -= parts.length;
    if (parts.length <= maxRangesOfHost && this.#room >= 0) {
      for (const part of parts) {
        const range = rangeOf(part);
        if (range !== null) {
          ranges.push({ protocol, ...range });
        }
      }
    }
    const read = ranges.length === parts.length ? united(ranges) : null;
    this.#lists.set(key, read);
    return read;
  }
}

/** Parses a port such as `Tcp/80`. */
function portOf(key: string): PortRange {
  const [protocol, number] = key.split("/");
  const port = Number(number);
  return { protocol: protocol === "Udp" ? "Udp" : "Tcp", from: port, to: port };
}

/** Parses ports such as `80` or `1-100`, from 0 to 65,535; null if invalid. */
function rangeOf(part: string): { from: number; to: number } | null {
  const [first = "", last = first, rest] = part.split("-");
  const [from, to] = [numberOf(first), numberOf(last)];
  return from === null || to === null || from > to || rest !== undefined ? null : { from, to };
}

/** Parses a port number, 0 to 65,535; null if invalid. */
function numberOf(text: string): number | null {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  return number <= 65_535 ? number : null;
}

const byProtocolAndNumber = (a: PortRange, b: PortRange) =>
  a.protocol === b.protocol ? a.from - b.from : a.protocol < b.protocol ? -1 : 1;

/** Sorts ranges and merges adjacent ones. */
function united(ranges: readonly PortRange[]): PortRange[] {
  const result: PortRange[] = [];
  for (const range of ranges.toSorted(byProtocolAndNumber)) {
    const last = result.at(-1);
    if (last?.protocol === range.protocol && range.from <= last.to + 1) {
      last.to = Math.max(last.to, range.to);
    } else if (range.to > 0) {
      result.push({ ...range });
    }
  }
  return result;
}

/** Returns the index of the first range that ends at or after a port. */
function firstEndingFrom(ranges: readonly PortRange[], { protocol, from }: PortRange): number {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const range = ranges[middle];
    const isBefore =
      range !== undefined &&
      (range.protocol === protocol ? range.to < from : range.protocol < protocol);
    [low, high] = isBefore ? [middle + 1, high] : [low, middle];
  }
  return low;
}

const contains = (ranges: readonly PortRange[], port: PortRange): boolean => {
  const range = ranges[firstEndingFrom(ranges, port)];
  return range?.protocol === port.protocol && range.from <= port.from && port.to <= range.to;
};

/** Sorted ranges, each with the number of ports before it. */
class CountedRanges {
  readonly ranges: readonly PortRange[];
  readonly #before: number[] = [0];
  readonly #count: Record<Protocol, number> = { Tcp: 0, Udp: 0 };

  constructor(ranges: readonly PortRange[]) {
    this.ranges = ranges;
    let before = 0;
    for (const { protocol, from, to } of ranges) {
      before += to - from + 1;
      this.#before.push(before);
      this.#count[protocol] += to - from + 1;
    }
  }

  /** Counts the ports that are not in other sorted ranges, by protocol. */
  without(others: readonly PortRange[]): Record<Protocol, number> {
    const left = { ...this.#count };
    for (const { protocol, from, to } of others) {
      left[protocol] -= this.#until(protocol, to) - this.#until(protocol, from - 1);
    }
    return left;
  }

  /**
   * Counts the ports up to a given port, including all ports of protocols that sort before the
   * port's protocol.
   */
  #until(protocol: Protocol, number: number): number {
    const at = firstEndingFrom(this.ranges, { protocol, from: number, to: number });
    const range = this.ranges[at];
    const isWithin = range?.protocol === protocol && range.from <= number;
    return (this.#before[at] ?? 0) + (isWithin ? number - range.from + 1 : 0);
  }
}

/** Subtracts sorted ranges from sorted ranges. */
function without(ranges: readonly PortRange[], others: readonly PortRange[]): PortRange[] {
  const result: PortRange[] = [];
  for (const range of ranges) {
    let { from } = range;
    for (let at = firstEndingFrom(others, range); at < others.length; at++) {
      const other = others[at];
      if (other?.protocol !== range.protocol || other.from > range.to) {
        break;
      }
      if (other.from > from) {
        result.push({ ...range, from, to: other.from - 1 });
      }
      from = Math.max(from, other.to + 1);
    }
    if (from <= range.to) {
      result.push({ ...range, from });
    }
  }
  return result;
}
