import { cut } from "../../errors/sentence.ts";
import { unzoned } from "../../http/input/network.ts";
import type { Attributes } from "./attributes.ts";
import { JudgedPorts } from "./judged-ports.ts";
import type { NmapHost, NmapService, Protocol } from "./nmap-report.ts";
import { protocolOf, type ScannedPorts } from "./scanned-ports.ts";
import { guessedService } from "./service.ts";

/** The longest name that an import takes, in characters. */
const maxName = 100;
/** The longest operating system, in characters. */
const maxSystem = 255;

/** States of a port that only a response of the host can show, if only a refusal. */
const responses: ReadonlySet<string | null> = new Set(["open", "closed", "unfiltered"]);

/** Which hostname counts: what the network says of the address (PTR), before what was typed. */
const hostnameTypes = ["PTR", "user", "other"] as const;
type HostnameType = (typeof hostnameTypes)[number];

interface OpenPort {
  /** As the report has it where it is no number: an import says so in the issues of the host. */
  number: number | string;
  protocol: Protocol;
  /** What probing found. */
  service: NmapService | null;
}

const numberOf = (text: string | null): number | string =>
  /^\d{1,5}$/.test(text ?? "") ? Number(text) : (text ?? "");

/** Addresses that are unique only on their link (RFC 4291, section 2.5.6; RFC 3927). */
const linkLocal = /^(fe[89ab][0-9a-f]:|169\.254\.)/i;

/** What `host` elements say of one host. nmap writes one of each, masscan one for each port. */
export class SeenHost {
  readonly #addresses = new Set<string>();
  readonly #hostnames = new Map<HostnameType, string>();
  readonly #ports = new Map<string, OpenPort>();
  readonly #timedOut: boolean;
  #mac: string | null = null;
  /** The system that it is most like, and how much so, in percent. */
  #system: { name: string; accuracy: number } | null = null;
  #isUp = true;
  #responded = true;
  /** What it says of the ports that were looked at; null where it has no list of ports. */
  #judged: JudgedPorts | null = null;

  /** @param element `host` */
  constructor(element: Attributes) {
    // nmap gave up on it: what it has no port of was not looked at.
    this.#timedOut = element.get("timedout") === "true";
  }

  /**
   * What nmap and masscan name a host by: the address that was scanned, with its zone. Hosts on two links may
   * have the same one, and have their own MAC addresses.
   */
  get key(): string | undefined {
    const [address] = this.#addresses;
    return address !== undefined && linkLocal.test(address)
      ? `${address} ${this.#mac ?? ""}`
      : address;
  }

  /** Whether the host is there. With `-Pn` nmap calls every address up; then a port must respond. */
  get isThere(): boolean {
    return this.#isUp && this.#responded;
  }

  /** @param element `status`, which masscan leaves out: it writes only what responds */
  status(element: Attributes): void {
    this.#isUp = element.get("state") === "up";
    this.#responded = element.get("reason") !== "user-set";
  }

  /** @param element `address`; masscan calls IPv6 addresses `ipv4` too */
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

  /** There is a list of ports, so this host's were looked at. */
  ports(): void {
    this.#judged ??= this.#timedOut ? null : new JudgedPorts();
  }

  /** @param element `extraports`, which stands for many ports */
  extraPorts(element: Attributes): void {
    this.response(element.get("state"));
    this.#judged?.openGroup(element);
  }

  /** @param element `extrareasons` inside of `extraports` */
  extraReasons(element: Attributes): void {
    this.#judged?.reason(element);
  }

  endOfExtraPorts(): void {
    this.#judged?.closeGroup();
  }

  /** @param state of a port, or of `extraports`, which stand for many */
  response(state: string | null): void {
    this.#responded ||= responses.has(state);
  }

  /**
   * A port in a state.
   * @param element `port`
   * @param service what probing found
   */
  port(element: Attributes, state: string | null, service: NmapService | null): void {
    const protocol = protocolOf(element.get("protocol"));
    if (protocol === null) {
      // The inventory has no others.
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

  /** Takes over what another element says of this host. */
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

  /** @param scanned the ports that the scan looked at */
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
        // It belongs to the address that was scanned.
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

  /** Of systems that it is as much like, the first counts. */
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
