import type { ContactError } from "../database/tables/index.ts";
import { isAddress } from "./forbidden-url.ts";

/**
 * Cloudflare's own responses in place of an origin that it could not reach, all of which have the text
 * `error code: NUMBER` (https://developers.cloudflare.com/support/troubleshooting/http-status-codes/).
 */
export const edgeErrors: Readonly<Record<number, ContactError>> = {
  521: "connection_refused",
  522: "timed_out",
  523: "connection_refused",
  524: "timed_out",
  525: "tls_failed",
  526: "tls_failed",
  530: "dns_failed",
};

/** The statuses that lead elsewhere (RFC 9110, section 15.4). */
export const redirects = new Set([301, 302, 303, 307, 308]);

/**
 * What the runtime throws says little: a connection that is refused or breaks off is a "Network
 * connection lost", all else an "internal error". In production it is Cloudflare's edge that meets
 * most of these, and says which (see above).
 */
export function networkError(
  error: unknown,
  { protocol, hostname }: URL,
  signal: AbortSignal,
): ContactError {
  if (signal.aborted) {
    return "timed_out";
  }
  if (!(error instanceof Error && error.message.startsWith("internal error"))) {
    return "connection_refused";
  }
  if (protocol === "https:") {
    return "tls_failed";
  }
  // An address needs no resolver: then what responded does not speak HTTP.
  return isAddress(hostname) ? "not_json" : "dns_failed";
}
