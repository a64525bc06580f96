import type { ContactError } from "../database/tables/index.ts";
import { isAddress } from "./forbidden-url.ts";

/**
 * The errors for the statuses with which Cloudflare itself responds when it cannot reach an origin.
 * The body of each such response is `error code: NUMBER`
 * (https://developers.cloudflare.com/support/troubleshooting/http-status-codes/).
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

/** The redirect statuses (RFC 9110, section 15.4). */
export const redirects = new Set([301, 302, 303, 307, 308]);

/**
 * Classifies an error thrown by `fetch`. The runtime's errors are vague: a refused or closed
 * connection is reported as "Network connection lost", and everything else as "internal error". In
 * production, most failures occur at Cloudflare's edge, which reports them with the statuses in
 * {@link edgeErrors}.
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
  // An address does not need DNS, so the server did respond, but not with HTTP.
  return isAddress(hostname) ? "not_json" : "dns_failed";
}
