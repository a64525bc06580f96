import { cut } from "../../sentence.ts";
import type { Attributes } from "./attributes.ts";
import type { NmapHost, NmapService, PortRange, Protocol } from "./nmap-report.ts";
import { portNumber, protocolOf } from "./scanned-ports.ts";
import { guessedService } from "./service.ts";

/** The longest name and hostname that an import takes, in characters. */
const maxName = 100;
const maxHostname = 255;
/** The longest operating system, in characters. */
const maxSystem = 255;

/** States of a port that only a response of the host can show, if only a refusal. */
const responses: ReadonlySet<string | null> = new Set(["open", "closed", "unfiltered"]);

/** Which hostname counts: what the network says of the address (PTR), before what was typed. */
const hostnameTypes = ["PTR", "user", "other"] as const;
type HostnameType = (typeof hostnameTypes)[number];

interface OpenPort {
  number: number;
  protocol: Protocol;
  /** What probing found. */
  service: NmapService | null;
}

/** A zone says by which interface the scanner reached a host, and nothing of the host (RFC 4007). */
const withoutZone = (address: string) => address.replace(/%.*/s, "");

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
  #wasScanned = false;

  /** @param element `host` */
  constructor(element: Attributes) {
    // nmap gave up on it: what it has no port of was not looked at.
    this.#timedOut = element.get("timedout") === "true";
  }

  /** What nmap and masscan name a host by: the address that was scanned, with its zone. */
  get key(): string | undefined {
    return this.#addresses.values().next().value;
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
    if (name !== "" && name.length <= maxHostname && !this.#hostnames.has(type)) {
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
    this.#wasScanned = !this.#timedOut;
  }

  /** @param state of a port, or of `extraports`, which stand for many */
  response(state: string | null): void {
    this.#responded ||= responses.has(state);
  }

  /**
   * An open port.
   * @param element `port`
   * @param service what probing found
   * @throws {Problem} if its number is none
   */
  openPort(element: Attributes, service: NmapService | null): void {
    const protocol = protocolOf(element.get("protocol"));
    const number = protocol === null ? 0 : portNumber(element.get("portid"));
    // The inventory has neither other protocols nor port 0.
    if (protocol !== null && number > 0) {
      this.#addPort({ number, protocol, service });
    }
  }

  /** Takes over what another element says of this host. */
  absorb(other: SeenHost): void {
    this.#mac ??= other.#mac;
    this.#wasScanned ||= other.#wasScanned;
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
  toHost(scanned: readonly PortRange[]): NmapHost {
    const addresses = new Set(Array.from(this.#addresses, withoutZone));
    const [first = null] = addresses;
    const hostname =
      hostnameTypes.map((type) => this.#hostnames.get(type)).find((name) => name !== undefined) ??
      null;
    return {
      name: hostname !== null && hostname.length <= maxName ? hostname : first,
      hostname,
      operating_system: this.#system && cut(this.#system.name, maxSystem - 1),
      is_operating_system_guessed: true,
      addresses: [...addresses].map((address) => ({
        ip_address: address,
        // It belongs to the address that was scanned.
        mac_address: address === first ? this.#mac : null,
      })),
      ports: Array.from(this.#ports.values(), ({ number, protocol, service }) => ({
        number,
        protocol,
        service: service ?? guessedService(number, protocol),
      })),
      scanned_ports: this.#wasScanned ? scanned : [],
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
