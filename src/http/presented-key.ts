import { isWellFormedApiKey } from "../api-key.ts";
import type { ErrorParams } from "../errors/errors.ts";

/** The reason that a request does not contain a well-formed key. */
type Reason = NonNullable<ErrorParams<"auth_not_authenticated">["reason"]>;

/** Headers and parameters in which other services accept keys. */
const otherHeaders = ["X-API-Key", "X-Api-Token", "X-Auth-Token", "Api-Key"];
const parameters = ["api_key", "apikey", "api-key", "key", "token", "access_token"];

/**
 * The bearer token of an Authorization header (RFC 6750, section 2.1). The case of the scheme is
 * ignored.
 */
const bearer = /^bearer +(\S+) *$/i;

/**
 * Reads the API key of a request, without looking it up in the database.
 * @returns the well-formed key, or the reason that there is none
 */
export function presentedKey({ url, headers }: Request): { key: string } | { reason: Reason } {
  const header = headers.get("Authorization");
  if (header === null || header.trim() === "") {
    return { reason: elsewhere(url, headers) };
  }
  const token = bearer.exec(header)?.[1];
  if (token === undefined) {
    return { reason: "other_scheme" };
  }
  if (isWellFormedApiKey(token)) {
    return { key: token };
  }
  return { reason: token.startsWith("inv_d_") ? "daemon_key" : "malformed" };
}

function elsewhere(url: string, headers: Headers): Reason {
  if (otherHeaders.some((name) => headers.has(name))) {
    return "other_header";
  }
  const { searchParams } = new URL(url);
  return parameters.some((name) => searchParams.has(name)) ? "in_url" : "missing";
}
