import { wellKnownService, wellKnownSpelling } from "../../discovery/well-known-services.ts";
import { cut } from "../../errors/sentence.ts";
import type { Attributes } from "./attributes.ts";
import type { NmapService, Protocol } from "./nmap-report.ts";

/** The longest texts of a service that an import takes: a longer one would make its host fail. */
const maxName = 100;
const maxText = 255;

/** What probing calls what it did not recognize: nothing, and a connection that closed at once. */
const unrecognized: ReadonlySet<string> = new Set(["", "unknown", "tcpwrapped"]);

/** What nmap calls protocols whose services are well known by another name. */
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
 * The service that probing found; null if there was no probe (`-sV`) or it did not recognize it. The
 * name that nmap's table has for a port is only a guess, and so are masscan's names of banners.
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

/** The service that a port is known for; null if it is known for none. */
export function guessedService(number: number, protocol: Protocol): NmapService | null {
  const name = wellKnownService(number, protocol);
  return name === null
    ? null
    : { name, definition: name, version: null, is_guess: true, is_of_port: true };
}

/** A protocol inside of TLS is that of the same service, except HTTP, which has a name of its own. */
function nameOf(protocol: string, isInTls: boolean): string {
  const name = protocolNames.get(protocol) ?? wellKnownSpelling(protocol);
  if (!isInTls) {
    return name;
  }
  // What is not well known is shown as nmap itself shows it: ssl/imap.
  return name === "HTTP" ? "HTTPS" : name === protocol ? `ssl/${protocol}` : name;
}

/** The ellipsis of a text that is cut counts too. */
const atMost = (text: string, maximum: number) =>
  text.length > maximum ? cut(text, maximum - 1) : text;
