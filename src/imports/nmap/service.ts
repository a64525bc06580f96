import { wellKnownService, wellKnownSpelling } from "../../discovery/well-known-services.ts";
import { cut } from "../../errors/sentence.ts";
import type { Attributes } from "./attributes.ts";
import type { NmapService, Protocol } from "./nmap-report.ts";

/** Maximum lengths of a service's strings. A longer string would make its host fail. */
const maxName = 100;
const maxText = 255;

/**
 * Names that nmap's probes give to unrecognized services, and to connections that were closed
 * immediately.
 */
const unrecognized: ReadonlySet<string> = new Set(["", "unknown", "tcpwrapped"]);

/** Well-known services by nmap's protocol names. */
const protocolNames: ReadonlyMap<string, string> = new Map([
  ["bacnet", "BACnet"],
  ["dhcps", "DHCP Server"],
  ["domain", "DNS Server"],
  ["http-alt", "HTTP"],
  ["http-proxy", "HTTP"],
  ["https-alt", "HTTPS"],
  ["jetdirect", "JetDirect"],
  ["kerberos-sec", "Kerberos"],
  ["microsoft-ds", "Samba"],
  ["ms-sql-s", "Microsoft SQL Server"],
  ["ms-wbt-server", "Remote Desktop"],
  ["netbios-ssn", "Samba"],
  ["printer", "Print Server"],
  ["sip-tls", "SIP Server"],
]);

/**
 * The service detected by probing; null without a probe (`-sV`), or if it was not recognized. A
 * name from nmap's port table is only a guess, and so are masscan's banner names.
 */
export function probedService(element: Attributes): NmapService | null {
  const protocol = element.get("name")?.trim() ?? "";
  if (element.get("method") !== "probed" || unrecognized.has(protocol)) {
    return null;
  }
  const name = nameOf(protocol, element.get("tunnel") === "ssl");
  const product = element.get("product")?.trim() ?? "";
  const version = element.get("version")?.trim() ?? "";
  return {
    name: atMost(name, maxName),
    definition: atMost(product === "" ? name : product, maxText),
    version: version === "" ? null : atMost(`${product} ${version}`.trim(), maxText),
    is_guess: false,
    is_of_port: true,
  };
}

/** The well-known service of a port; null if there is none. */
export function guessedService(number: number, protocol: Protocol): NmapService | null {
  const name = wellKnownService(number, protocol);
  return name === null
    ? null
    : { name, definition: name, version: null, is_guess: true, is_of_port: true };
}

/** Returns the service name for a protocol. Inside TLS, the name is the same, except for HTTP. */
function nameOf(protocol: string, isInTls: boolean): string {
  const name = protocolNames.get(protocol) ?? wellKnownSpelling(protocol);
  if (!isInTls) {
    return name;
  }
  // Other names use nmap's notation, such as ssl/imap.
  return name === "HTTP" ? "HTTPS" : name === protocol ? `ssl/${protocol}` : name;
}

/** Truncates text; the ellipsis counts toward the maximum. */
const atMost = (text: string, maximum: number) =>
  text.length > maximum ? cut(text, maximum - 1) : text;
