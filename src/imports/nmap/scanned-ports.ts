import type { Attributes } from "./attributes.ts";
import type { PortRange, Protocol } from "./nmap-report.ts";
import { Problem } from "./problem.ts";

/** How many ranges the `scaninfo` elements may list: every second port of TCP and of UDP. */
export const maxRanges = 65_536;

/**
 * The scans that find ports open. An ACK scan calls every port unfiltered, and FIN, NULL and Xmas
 * scans cannot tell open from filtered: what they do not call open may be.
 */
const conclusive: ReadonlySet<string | null> = new Set(["syn", "connect", "udp"]);

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
      const [first = "", last = first, rest] = part.split("-");
      const [from, to] = [portNumber(first), portNumber(last)];
      if (from > to || rest !== undefined) {
        throw new Problem("services of <scaninfo> is no list of ports such as 1-100,443.");
      }
      if (this.#ranges.length === maxRanges) {
        throw new Problem(`<scaninfo> lists more than ${maxRanges} ranges of ports.`);
      }
      // nmap can scan port 0. The inventory begins at 1.
      this.#ranges.push({ protocol, from: Math.max(from, 1), to });
    }
  }

  /** The ports in order, with ranges that touch united. */
  ranges(): PortRange[] {
    const united: PortRange[] = [];
    for (const range of this.#ranges.toSorted(byProtocolAndNumber)) {
      const last = united.at(-1);
      if (last?.protocol === range.protocol && range.from <= last.to + 1) {
        last.to = Math.max(last.to, range.to);
      } else if (range.to > 0) {
        united.push({ ...range });
      }
    }
    return united;
  }
}

const byProtocolAndNumber = (a: PortRange, b: PortRange) =>
  a.protocol === b.protocol ? a.from - b.from : a.protocol < b.protocol ? -1 : 1;

/**
 * The number of a port, 0 to 65,535.
 * @throws {Problem} if it is none
 */
export function portNumber(text: string | null): number {
  const number = /^\d{1,5}$/.test(text ?? "") ? Number(text) : Number.NaN;
  if (!(number <= 65_535)) {
    throw new Problem("the number of a port is not a whole number from 0 to 65535.");
  }
  return number;
}
