import type { Attributes } from "./attributes.ts";
import type { Protocol } from "./nmap-report.ts";
import { protocolOf } from "./protocol.ts";

/** The number of ports by protocol; `any` counts ports in groups without a protocol. */
type Counts = Record<Protocol | "any", number>;

/**
 * The states of the ports of one host. A port is open, closed or undecided: a state such as
 * `filtered` or `open|filtered` means that there was no response, or no conclusive response
 * (https://nmap.org/book/man-port-scanning-basics.html).
 */
export class JudgedPorts {
  /** Open and closed ports that the report lists individually, such as `Tcp/80`. */
  readonly decided = new Set<string>();
  /** Undecided ports that the report lists individually. */
  readonly undecided = new Set<string>();
  /** Lists of undecided ports, such as `1-20,80`, by protocol. */
  readonly undecidedLists: Record<Protocol, Set<string>> = { Tcp: new Set(), Udp: new Set() };
  /** Protocols with undecided ports that the report does not identify. */
  readonly unknown = new Set<Protocol>();
  /** The number of closed ports that the report does not list individually. */
  closed: Counts = { Tcp: 0, Udp: 0, any: 0 };
  /** True if the report has groups. Without groups, every port that it does not list is closed. */
  hasGroups = false;
  #group: { isClosed: boolean; count: number; hasReasons: boolean } | null = null;

  /** Adds the state of a port that the report lists. */
  port(protocol: Protocol, number: number, state: string | null): void {
    const key = `${protocol}/${number}`;
    if (state === "open" || state === "closed") {
      this.decided.add(key);
    } else {
      this.undecided.add(key);
    }
  }

  /** @param element `extraports`, a group of ports with one state */
  openGroup(element: Attributes): void {
    const isClosed = element.get("state") === "closed";
    this.hasGroups = true;
    this.#group = { isClosed, count: countOf(element), hasReasons: false };
  }

  /**
   * @param element `extrareasons`, part of a group; has had a protocol and ports since nmap 7.92
   */
  reason(element: Attributes): void {
    const group = this.#group;
    if (group === null) {
      return;
    }
    group.hasReasons = true;
    const proto = element.get("proto");
    const protocol = protocolOf(proto);
    if (group.isClosed) {
      this.closed[protocol ?? "any"] += proto === null || protocol !== null ? countOf(element) : 0;
      return;
    }
    const ports = element.get("ports") ?? "";
    if (protocol !== null && ports !== "") {
      this.undecidedLists[protocol].add(ports);
    } else if (protocol !== null) {
      this.unknown.add(protocol);
    } else if (proto === null) {
      this.#leaveAllUnknown();
    }
  }

  closeGroup(): void {
    const group = this.#group;
    this.#group = null;
    if (group?.hasReasons === false) {
      if (group.isClosed) {
        this.closed.any += group.count;
      } else {
        this.#leaveAllUnknown();
      }
    }
  }

  /**
   * Merges the states of another element of the same host. The counts of both elements may include
   * the same ports.
   */
  absorb(other: JudgedPorts): void {
    for (const [own, more] of [
      [this.decided, other.decided],
      [this.undecided, other.undecided],
      [this.unknown, other.unknown],
      [this.undecidedLists.Tcp, other.undecidedLists.Tcp],
      [this.undecidedLists.Udp, other.undecidedLists.Udp],
    ] as const) {
      addAll<string>(own, more);
    }
    this.hasGroups ||= other.hasGroups;
    for (const key of ["Tcp", "Udp", "any"] as const) {
      this.closed[key] = Math.max(this.closed[key], other.closed[key]);
    }
  }

  #leaveAllUnknown(): void {
    this.unknown.add("Tcp").add("Udp");
  }
}

function addAll<Member>(own: Set<Member>, more: ReadonlySet<Member>): void {
  for (const member of more) {
    own.add(member);
  }
}

/** The number of ports in a group; 0 if the report does not state it. */
function countOf(element: Attributes): number {
  const count = element.get("count") ?? "";
  return /^\d{1,6}$/.test(count) ? Number(count) : 0;
}
