import { cut } from "../../errors/sentence.ts";
import { unzoned } from "../../http/input/network.ts";
import type { Attributes } from "./attributes.ts";
import { JudgedPorts } from "./judged-ports.ts";
import type { NmapHost, NmapService, Protocol } from "./nmap-report.ts";
import { protocolOf } from "./protocol.ts";
import type { ScannedPorts } from "./scanned-ports.ts";
import { guessedService } from "./service.ts";

/** Maximum length of a name, in characters. */
const maxName = 100;
/** Maximum length of an operating system, in characters. */
const maxSystem = 255;

/** Port states that imply a response from the host, even if it is a rejection. */
const responses: ReadonlySet<string | null> = new Set(["open", "closed", "unfiltered"]);

/**
 * Hostname types by precedence: the PTR record of the address, then the name given on the command
 * line.
 */
const hostnameTypes = ["PTR", "user", "other"] as const;
type HostnameType = (typeof hostnameTypes)[number];

interface OpenPort {
  /** The report's text if it is not a number: the import reports it in the host's issues. */
  number: number | string;
  protocol: Protocol;
  /** The service detected by probing. */
  service: NmapService | null;
}

const numberOf = (text: string | null): number | string =>
  /^\d{1,5}$/.test(text ?? "") ? Number(text) : (text ?? "");

/** Addresses that are unique only on their link (RFC 4291, section 2.5.6; RFC 3927). */
const linkLocal = /^(fe[89ab][0-9a-f]:|169\.254\.)/i;

/** The `host` elements of one host. nmap writes one per host, masscan one per port. */
export class SeenHost {
  readonly #addresses = new Set<string>();
  readonly #hostnames = new Map<HostnameType, string>();
  readonly #ports = new Map<string, OpenPort>();
  readonly #timedOut: boolean;
  #mac: string | null = null;
  /** The best operating system match, with its accuracy in percent. */
  #system: { name: string; accuracy: number } | null = null;
  #isUp = true;
  #responded = true;
  /** The states of the scanned ports; null if the element has no list of ports. */
  #judged: JudgedPorts | null = null;

  /** @param element `host` */
  constructor(element: Attributes) {
    // nmap gave up on the host, so ports that it does not list were not scanned.
    this.#timedOut = element.get("timedout") === "true";
  }

  /**
   * The key of a host in nmap and masscan: the scanned address with its zone. Two hosts on
   * different links can have the same address, but they have different MAC addresses.
   */
  get key(): string | undefined {
    const [address] = this.#addresses;
    return address !== undefined && linkLocal.test(address)
      ? `${address} ${this.#mac ?? ""}`
      : address;
  }

  /**
   * True if the host is up. With `-Pn`, nmap reports every address as up, so a port must have
   * responded.
   */
  get isThere(): boolean {
    return this.#isUp && this.#responded;
  }

  /** @param element `status`, which masscan omits, since it writes only hosts that responded */
  status(element: Attributes): void {
    this.#isUp = element.get("state") === "up";
    this.#responded = element.get("reason") !== "user-set";
  }

  /** @param element `address`, which masscan labels `ipv4` even for IPv6 */
  address(element: Attributes): void {
    const address = element.get("addr") ?? "";
    if (element.get("addrtype") === "mac") {
      this.#mac ??= address;
    } else if (address !== "") {
      this.#addresses.add(address);
    }
  }

  /** @param element `hostname` */
  hostname(element: Attributes): void {
    const name = element.get("name")?.trim() ?? "";
    const written = element.get("type");
    const type = hostnameTypes.find((known) => known === written) ?? "other";
    if (name !== "" && !this.#hostnames.has(type)) {
      this.#hostnames.set(type, name);
    }
  }

  /** @param element `osmatch`, a system that the host may run */
  systemMatch(element: Attributes): void {
    const name = element.get("name")?.trim() ?? "";
    const accuracy = Number(element.get("accuracy") ?? 0);
    if (name !== "") {
      this.#addSystem({ name, accuracy: accuracy > 0 ? accuracy : 0 });
    }
  }

  /** Called for a list of ports: the ports of this host were scanned. */
  ports(): void {
    this.#judged ??= this.#timedOut ? null : new JudgedPorts();
  }

  /** @param element `extraports`, which represents many ports */
  extraPorts(element: Attributes): void {
    this.response(element.get("state"));
    this.#judged?.openGroup(element);
  }

  /** @param element `extrareasons` inside `extraports` */
  extraReasons(element: Attributes): void {
    this.#judged?.reason(element);
  }

  endOfExtraPorts(): void {
    this.#judged?.closeGroup();
  }

  /** @param state the state of a port, or of `extraports` */
  response(state: string | null): void {
    this.#responded ||= responses.has(state);
  }

  /**
   * Adds a port.
   * @param element `port`
   * @param service the service detected by probing
   */
  port(element: Attributes, state: string | null, service: NmapService | null): void {
    const protocol = protocolOf(element.get("protocol"));
    if (protocol === null) {
      // The inventory supports only TCP and UDP.
      return;
    }
    const number = numberOf(element.get("portid"));
    if (typeof number === "number") {
      this.#judged?.port(protocol, number, state);
    }
    if (state === "open") {
      this.#addPort({ number, protocol, service });
    }
  }

  /** Merges another element of this host. */
  absorb(other: SeenHost): void {
    this.#mac ??= other.#mac;
    if (this.#judged && other.#judged) {
      this.#judged.absorb(other.#judged);
    } else {
      this.#judged ??= other.#judged;
    }
    if (other.#system) {
      this.#addSystem(other.#system);
    }
    for (const address of other.#addresses) {
      this.#addresses.add(address);
    }
    for (const [type, name] of other.#hostnames) {
      this.#hostnames.set(type, this.#hostnames.get(type) ?? name);
    }
    for (const port of other.#ports.values()) {
      this.#addPort(port);
    }
  }

  /** @param scanned the ports that the scan covered, from `scaninfo` */
  toHost(scanned: ScannedPorts): NmapHost {
    const [first = null] = this.#addresses;
    const hostname =
      hostnameTypes.map((type) => this.#hostnames.get(type)).find((name) => name !== undefined) ??
      null;
    return {
      name: hostname !== null && hostname.length <= maxName ? hostname : first && unzoned(first),
      hostname,
      operating_system: this.#system && cut(this.#system.name, maxSystem - 1),
      is_operating_system_guessed: true,
      addresses: [...this.#addresses].map((address) => ({
        ip_address: address,
        // The MAC address belongs to the scanned address.
        mac_address: address === first ? this.#mac : null,
      })),
      ports: Array.from(this.#ports.values(), ({ number, protocol, service }) => ({
        number,
        protocol,
        service: service ?? (typeof number === "number" ? guessedService(number, protocol) : null),
      })),
      scanned_ports: this.#judged === null ? [] : scanned.judged(this.#judged),
    };
  }

  /** Keeps the most accurate match, or the first of several equally accurate matches. */
  #addSystem(system: { name: string; accuracy: number }): void {
    if (this.#system === null || system.accuracy > this.#system.accuracy) {
      this.#system = system;
    }
  }

  #addPort(port: OpenPort): void {
    const key = `${port.number}/${port.protocol}`;
    const known = this.#ports.get(key);
    this.#ports.set(key, known?.service ? known : port);
  }
}
