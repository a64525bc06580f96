import { hashApiKey, hintOf, typeOfKey } from "../api-key.ts";
import { ApiError, type ErrorParams } from "../errors/errors.ts";
import { type Counting, refuseFlood } from "./limits/rate-limit.ts";
import { claimedSecret, verifyToken } from "./token.ts";

/** The reason that a request does not contain a well-formed key. */
type Reason = NonNullable<ErrorParams<"auth_not_authenticated">["reason"]>;

/** A well-formed key or token. Only the database knows whether it is valid. */
export interface PresentedKey {
  /** The hash by which the database looks it up, in hexadecimal. */
  hash: string;
  /** The end of a key or a token, for the log. */
  hint: string;
  /** Identifies the requests that are counted together: tokens of one key and subject share it. */
  counter: string;
  /** The subject of a token; null for a key. */
  subject: string | null;
  /** True for an operator key, which gives no access to the records of an organization. */
  isOperator: boolean;
}

/** Headers and parameters in which other services accept keys. */
const otherHeaders = ["X-API-Key", "X-Api-Token", "X-Auth-Token", "Api-Key"];
const parameters = ["api_key", "apikey", "api-key", "key", "token", "access_token"];

/**
 * The bearer token of an Authorization header (RFC 6750, section 2.1). The case of the scheme is
 * ignored.
 */
const bearer = /^bearer +(\S+) *$/i;

/** Text with three parts, like a signed token (RFC 7515, section 3.1), valid or not. */
const isToken = /^[^.]*\.[^.]*\.[^.]*$/;

const refused = (reason: Reason) => new ApiError("auth_not_authenticated", { reason });

/**
 * Reads the API key or the token of a request, without looking it up in the database.
 * @returns the key or token, or the 401 if there is none that could be valid
 * @throws {ApiError} 429: see {@link refuseFlood}
 */
export async function presentedKey(c: Counting): Promise<PresentedKey | ApiError> {
  const { url, headers } = c.req.raw;
  const header = headers.get("Authorization");
  if (header === null || header.trim() === "") {
    return refused(elsewhere(url, headers));
  }
  const text = bearer.exec(header)?.[1];
  if (text === undefined) {
    return refused("other_scheme");
  }
  const type = typeOfKey(text);
  if (type !== null) {
    const hash = await hashApiKey(text);
    refuseFlood(c, hash);
    const isOperator = type === "operator";
    return { hash, hint: hintOf(text), counter: hash, subject: null, isOperator };
  }
  if (isToken.test(text)) {
    return await presentedToken(c, text);
  }
  return refused(text.startsWith("inv_d_") ? "daemon_key" : "malformed");
}

async function presentedToken(c: Counting, text: string): Promise<PresentedKey | ApiError> {
  const secret = claimedSecret(text);
  if (secret === null) {
    return refused("invalid_token");
  }
  const hash = await hashApiKey(secret);
  // Before the signature is verified, since verifying it is the most expensive step.
  refuseFlood(c, hash);
  const claims = await verifyToken(c.var.settings, text);
  if (claims === null) {
    return refused("invalid_token");
  }
  const { keyId, subject, expiresAt } = claims;
  if (Date.parse(expiresAt) <= Date.now()) {
    return new ApiError("auth_token_expired", { expired_at: expiresAt });
  }
  const counter = await hashApiKey(`${keyId} ${subject}`);
  return { hash, hint: hintOf(text), counter, subject, isOperator: false };
}

function elsewhere(url: string, headers: Headers): Reason {
  if (otherHeaders.some((name) => headers.has(name))) {
    return "other_header";
  }
  const { searchParams } = new URL(url);
  return parameters.some((name) => searchParams.has(name)) ? "in_url" : "missing";
}
