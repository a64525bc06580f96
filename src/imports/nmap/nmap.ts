import { cut } from "../../errors/sentence.ts";
import { beginningOf, otherFormOf } from "../other-form.ts";
import type { Attributes } from "./attributes.ts";
import { decodeXml } from "./characters.ts";
import { SeenHost } from "./host.ts";
import type { NmapReport, NmapService } from "./nmap-report.ts";
import { malformed, Problem } from "./problem.ts";
import { ScannedPorts } from "./scanned-ports.ts";
import { probedService } from "./service.ts";
import { readXml, type XmlHandler } from "./xml.ts";

/** Maximum number of hosts in a report, as in JSON. */
export const maxHosts = 5_000;

/** Maximum length of a scanner's name and version, in characters. */
const maxSourceText = 100;

/**
 * Parses the XML of `nmap -oX` (docs/nmap.dtd in nmap's repository), or the similar XML that
 * masscan writes. naabu runs nmap, so its XML is nmap's. Includes only ports in state `open`, and
 * only hosts that are up.
 * @param bytes the body
 * @param charset the media type's `charset` parameter; null if absent
 * @returns the report in the format of the JSON body. The report has the correct types, and unique
 *   hosts, addresses and ports; other rules are not checked. If no host was up, the list of hosts
 *   is empty
 * @throws {ApiError} `request_malformed_xml` if it is not well-formed XML, exceeds a limit, is
 *   truncated, contains several reports, belongs to an unfinished scan, or is not from nmap
 */
export function readNmap(bytes: Uint8Array, charset: string | null = null): NmapReport {
  refuseOtherForm(beginningOf(bytes));
  const text = decodeXml(bytes, charset);
  refuseOtherForm(text);
  if (!/\S/.test(text)) {
    throw malformed(
      "",
      0,
      "it is empty. Send the output of nmap -oX, with curl as --data-binary @report.xml.",
    );
  }
  if (/^\s*[[{]/.test(text)) {
    throw malformed(
      "",
      0,
      "it is not XML, but may be JSON: send JSON with the header Content-Type: application/json.",
    );
  }
  const reader = new NmapReader();
  try {
    readXml(text, reader);
  } catch (error) {
    throw severalReports(text) ?? error;
  }
  return reader.report();
}

/**
 * @throws {ApiError} `request_malformed_xml` if the file is in another format; the error names the
 *   format and what to send instead
 */
function refuseOtherForm(text: string): void {
  const other = otherFormOf(text);
  if (other !== undefined) {
    throw malformed("", 0, `this is ${other.is}. ${other.send}`);
  }
}

/** The error for a file with several appended reports; null for other files. */
function severalReports(text: string): Error | null {
  let count = 0;
  let second = 0;
  for (const { index } of text.matchAll(/<nmaprun[\s>]/g)) {
    count++;
    second = count === 2 ? index : second;
  }
  return count < 2
    ? null
    : malformed(
        text,
        second,
        `the body is ${count} nmap reports in sequence (--append-output). Send each as a separate import.`,
      );
}

class NmapReader implements XmlHandler {
  readonly #hosts = new Map<unknown, SeenHost>();
  readonly #scanned = new ScannedPorts();
  #source: NmapReport["source"] = { name: "nmap", version: null };
  #started: string | null = null;
  #finished: Attributes | null = null;
  #host: SeenHost | null = null;
  #port: { element: Attributes; state: string | null; service: NmapService | null } | null = null;

  report(): NmapReport {
    return {
      source: this.#source,
      observed_at: timeOf(this.#finished?.get("time") ?? null) ?? timeOf(this.#started),
      hosts: Array.from(this.#hosts.values(), (host) => host.toHost(this.#scanned)),
    };
  }

  open(path: string, element: Attributes): void {
    switch (path) {
      case "nmaprun":
        this.#run(element);
        break;
      case "nmaprun/scaninfo":
        this.#scanned.add(element);
        break;
      case "nmaprun/host":
        this.#host = new SeenHost(element);
        break;
      case "nmaprun/host/status":
        this.#host?.status(element);
        break;
      case "nmaprun/host/address":
        this.#host?.address(element);
        break;
      case "nmaprun/host/hostnames/hostname":
        this.#host?.hostname(element);
        break;
      case "nmaprun/host/os/osmatch":
        this.#host?.systemMatch(element);
        break;
      case "nmaprun/host/ports":
        this.#host?.ports();
        break;
      case "nmaprun/host/ports/extraports":
        this.#host?.extraPorts(element);
        break;
      case "nmaprun/host/ports/extraports/extrareasons":
        this.#host?.extraReasons(element);
        break;
      case "nmaprun/host/ports/port":
        this.#port = { element, state: null, service: null };
        break;
      case "nmaprun/host/ports/port/state":
        this.#state(element);
        break;
      case "nmaprun/host/ports/port/service":
        this.#service(element);
        break;
      case "nmaprun/runstats/finished":
        this.#finish(element);
        break;
      default:
        if (!path.includes("/")) {
          throw new Problem(
            `the root element is <${path}>, not <nmaprun>. Send the output of nmap -oX.`,
          );
        }
    }
  }

  close(path: string): void {
    if (path === "nmaprun/host/ports/port" && this.#port) {
      this.#host?.port(this.#port.element, this.#port.state, this.#port.service);
    } else if (path === "nmaprun/host/ports/extraports") {
      this.#host?.endOfExtraPorts();
    } else if (path === "nmaprun/host" && this.#host?.isThere) {
      this.#addHost(this.#host);
    } else if (path === "nmaprun" && this.#finished === null) {
      throw new Problem("<finished> is missing. Send the complete file after the scan has ended.");
    }
  }

  #run(element: Attributes): void {
    const name = element.get("scanner")?.trim() || "nmap";
    const version = element.get("version")?.trim() || null;
    this.#source = {
      name: cut(name, maxSourceText - 1),
      version: version && cut(version, maxSourceText - 1),
    };
    this.#started = element.get("start");
  }

  #state(element: Attributes): void {
    const state = element.get("state");
    this.#host?.response(state);
    if (this.#port) {
      this.#port.state = state;
    }
  }

  #service(element: Attributes): void {
    if (this.#port) {
      this.#port.service = probedService(element);
    }
  }

  /**
   * nmap completes its file even after a fatal error, with the hosts that it had scanned by then.
   */
  #finish(element: Attributes): void {
    if (element.get("exit") === "error") {
      const reason = cut(element.get("errormsg") ?? "no reason given", 200);
      throw new Problem(`the scan ended with an error (${reason}). Scan again.`);
    }
    this.#finished = element;
  }

  #addHost(host: SeenHost): void {
    // A host without an address is kept, so that it fails individually.
    const key = host.key ?? host;
    const known = this.#hosts.get(key);
    if (known) {
      known.absorb(host);
    } else if (this.#hosts.size === maxHosts) {
      throw new Problem(`there are more than ${maxHosts} hosts. Send several reports.`);
    } else {
      this.#hosts.set(key, host);
    }
  }
}

/** Converts seconds since 1970 to RFC 3339 in UTC; null if invalid. */
const timeOf = (seconds: string | null) =>
  /^\d{1,10}$/.test(seconds ?? "") ? new Date(Number(seconds) * 1000).toISOString() : null;
