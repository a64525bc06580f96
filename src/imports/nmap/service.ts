import { cut } from "../../sentence.ts";
import { wellKnownName } from "../../well-known-ports.ts";
import type { Attributes } from "./attributes.ts";
import type { NmapService, Protocol } from "./report.ts";

/** The longest texts of a service that an import takes: a longer one would make its host fail. */
const maxName = 100;
const maxDefinition = 255;

/** What probing calls what it did not recognize: nothing, and a connection that closed at once. */
const unrecognized: ReadonlySet<string> = new Set(["", "unknown", "tcpwrapped"]);

/**
 * The service that probing found; null if there was no probe (`-sV`) or it did not recognize it. The
 * name that nmap's table has for a port is only a guess, and so are masscan's names of banners.
 */
export function probedService(element: Attributes): NmapService | null {
  const name = element.get("name")?.trim() ?? "";
  if (element.get("method") !== "probed" || unrecognized.has(name)) {
    return null;
  }
  // As nmap itself shows what it found inside of TLS: ssl/http.
  const shown = element.get("tunnel") === "ssl" ? `ssl/${name}` : name;
  const product = element.get("product")?.trim() ?? "";
  return {
    name: atMost(shown, maxName),
    definition: atMost(product === "" ? shown : product, maxDefinition),
  };
}

/** The service that a port is known for; null if it is known for none. */
export function wellKnownService(number: number, protocol: Protocol): NmapService | null {
  const name = wellKnownName(number, protocol);
  return name === null ? null : { name, definition: name };
}

/** The ellipsis of a text that is cut counts too. */
const atMost = (text: string, maximum: number) =>
  text.length > maximum ? cut(text, maximum - 1) : text;
