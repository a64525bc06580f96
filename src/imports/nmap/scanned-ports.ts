import type { Attributes } from "./attributes.ts";
import type { JudgedPorts } from "./judged-ports.ts";
import type { PortRange, Protocol } from "./nmap-report.ts";
import { Problem } from "./problem.ts";

/** How many ranges the `scaninfo` elements may list: every second port of TCP and of UDP. */
export const maxRanges = 65_536;

/**
 * How many ranges the lists of all hosts may take to make. Hosts whose ports have the same states share one
 * list. A host beyond the bound has none, so that its report ends nothing.
 */
export const maxJudgedRanges = 262_144;

/** How many ranges one host may have. With more it has none. */
const maxRangesOfHost = 4_096;

/**
 * The scans that find ports open. An ACK scan calls every port unfiltered, and FIN, NULL and Xmas
 * scans cannot tell open from filtered: what they do not call open may be.
 */
const conclusive: ReadonlySet<string | null> = new Set(["syn", "connect", "udp"]);

const protocolsOfInventory = ["Tcp", "Udp"] as const satisfies readonly Protocol[];

/** The protocols that the inventory has. nmap also scans SCTP, and IP for its protocols. */
const protocols: ReadonlyMap<string | null, Protocol> = new Map([
  ["tcp", "Tcp"],
  ["udp", "Udp"],
]);

/** The protocol of a port or of a scan; null if the inventory does not have it. */
export const protocolOf = (name: string | null): Protocol | null => protocols.get(name) ?? null;

/** The ports that a scan looked at: the `scaninfo` elements of a report. */
export class ScannedPorts {
  readonly #ranges: PortRange[] = [];
  #counted: CountedRanges | null = null;
  #room = maxJudgedRanges;
  /** Lists of ports as ranges, by their texts: a firewall gives many hosts the same one. */
  readonly #lists = new Map<string, readonly PortRange[] | null>();
  /** Ranges of hosts whose ports have the same states. */
  readonly #judged = new Map<string, readonly PortRange[]>();

  /**
   * @param element `scaninfo`. Its `services` are such as `1-100,443`; masscan leaves them out, and
   *   then nothing is known of the ports that it did not find
   * @throws {Problem} if they are no list of ports, or there are too many
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
        throw new Problem("services of <scaninfo> is no list of ports such as 1-100,443.");
      }
      if (this.#ranges.length === maxRanges) {
        throw new Problem(`<scaninfo> lists more than ${maxRanges} ranges of ports.`);
      }
      // nmap can scan port 0. The inventory begins at 1.
      this.#ranges.push({ protocol, from: Math.max(range.from, 1), to: range.to });
    }
  }

  /** The ports in order, with ranges that touch united. Called once the whole report is read. */
  ranges(): readonly PortRange[] {
    return this.#scanned.ranges;
  }

  get #scanned(): CountedRanges {
    this.#counted ??= new CountedRanges(united(this.#ranges));
    return this.#counted;
  }

  /**
   * The ports of a host of which the scan learned whether they are open. Of ports that the report does not
   * name one by one that is so only where it counts as many closed ones as are left, or has no groups at all.
   */
  judged(host: JudgedPorts): readonly PortRange[] {
    const scanned = this.ranges();
    const undecided = this.#undecidedOf(host);
    const decided = [...host.decided].map(portOf);
    const left = this.#scanned.without(united([...decided, ...undecided.ranges]));
    const isTold = (protocol: Protocol) =>
      !undecided.unknown.has(protocol) &&
      (!host.hasGroups ||
        host.closed[protocol] >= left[protocol] ||
        (undecided.unknown.size === 0 &&
          host.closed.Tcp + host.closed.Udp + host.closed.any >= left.Tcp + left.Udp));
    const told = protocolsOfInventory.filter(isTold);
    if (told.length === protocolsOfInventory.length && undecided.ranges.length === 0) {
      return scanned;
    }
    // Ports that are not among those left are named by the report: they are few.
    const named = decided.filter(({ protocol }) => !told.includes(protocol));
    const key = JSON.stringify([told, named, undecided.key]);
    const known = this.#judged.get(key) ?? this.#make(told, named, undecided.ranges);
    this.#judged.set(key, known);
    return known;
  }

  #make(
    told: readonly Protocol[],
    named: readonly PortRange[],
    undecided: readonly PortRange[],
  ): readonly PortRange[] {
    const scanned = this.ranges();
    const cost = named.length + (told.length > 0 ? scanned.length + undecided.length : 0);
    if (cost > this.#room) {
      return [];
    }
    this.#room -= cost;
    const whole = scanned.filter(({ protocol }) => told.includes(protocol));
    const ranges = united([
      ...without(whole, undecided),
      // The report may name ports that its scan info does not.
      ...named.filter((port) => contains(scanned, port)),
    ]);
    return ranges.length > maxRangesOfHost ? [] : ranges;
  }

  /** Ports of a host that could not be judged, and protocols of which nobody knows which ones. */
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

  /** A list of ports as ranges; null if it is none, or too long. */
  #list(protocol: Protocol, list: string): readonly PortRange[] | null {
    const key = `${protocol}/${list}`;
    const known = this.#lists.get(key);
    if (known !== undefined) {
      return known;
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

/** A port such as `Tcp/80`. */
function portOf(key: string): PortRange {
  const [protocol, number] = key.split("/");
  const port = Number(number);
  return { protocol: protocol === "Udp" ? "Udp" : "Tcp", from: port, to: port };
}

/** Ports such as `80` or `1-100`, from 0 to 65,535; null if they are none. */
function rangeOf(part: string): { from: number; to: number } | null {
  const [first = "", last = first, rest] = part.split("-");
  const [from, to] = [numberOf(first), numberOf(last)];
  return from === null || to === null || from > to || rest !== undefined ? null : { from, to };
}

/** The number of a port, 0 to 65,535; null if it is none. */
function numberOf(text: string): number | null {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  return number <= 65_535 ? number : null;
}

const byProtocolAndNumber = (a: PortRange, b: PortRange) =>
  a.protocol === b.protocol ? a.from - b.from : a.protocol < b.protocol ? -1 : 1;

/** Ranges in order, with those that touch united. */
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

/** The place of the first range that ends at a port or behind it. */
function placeOf(ranges: readonly PortRange[], { protocol, from }: PortRange): number {
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
  const range = ranges[placeOf(ranges, port)];
  return range?.protocol === port.protocol && range.from <= port.from && port.to <= range.to;
};

/** Ranges in order, and how many ports lie before each of them. */
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

  /** How many of the ports lie in none of other ranges in order, by protocol. */
  without(others: readonly PortRange[]): Record<Protocol, number> {
    const left = { ...this.#count };
    for (const { protocol, from, to } of others) {
      left[protocol] -= this.#until(protocol, to) - this.#until(protocol, from - 1);
    }
    return left;
  }

  /** How many ports there are up to one, with those of the protocols before its own. */
  #until(protocol: Protocol, number: number): number {
    const at = placeOf(this.ranges, { protocol, from: number, to: number });
    const range = this.ranges[at];
    const isWithin = range?.protocol === protocol && range.from <= number;
    return (this.#before[at] ?? 0) + (isWithin ? number - range.from + 1 : 0);
  }
}

/** Ranges in order, without the ports of others in order. */
function without(ranges: readonly PortRange[], others: readonly PortRange[]): PortRange[] {
  const result: PortRange[] = [];
  for (const range of ranges) {
    let { from } = range;
    for (let at = placeOf(others, range); at < others.length; at++) {
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
