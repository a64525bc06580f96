import type { Context } from "hono";
import type { AppEnv } from "./factory.ts";
import type { IsKnown } from "./input/entity-tag.ts";
import { sha256 } from "./sha256.ts";

/**
 * A text in a body that is different in every response, and the text that replaces it in the
 * digest.
 */
export interface Varying {
  text: string;
  standIn: string;
}

/**
 * Adds an entity tag to a response, or responds with 304 if the caller already has the body. The
 * tag is a digest of the body, so a 304 saves the transfer of the body, but not the reads from the
 * database.
 * @param isKnown the parsed `If-None-Match` header
 * @param varying a text that does not count as a difference. The tag is then weak, since bodies
 *   with the same tag can differ in this text (RFC 9110, section 8.8.1)
 */
export async function tagged<Env extends AppEnv, Success extends Response>(
  c: Context<Env>,
  response: Success,
  isKnown: IsKnown,
  varying?: Varying,
) {
  const body = new Uint8Array(await response.arrayBuffer());
  const opaque = `"${await sha256(varying === undefined ? body : withStandIn(body, varying))}"`;
  const etag = varying === undefined ? opaque : `W/${opaque}`;
  if (isKnown?.(opaque)) {
    c.header("ETag", etag);
    // Hono keeps the headers of the response that is not sent.
    c.header("Content-Type", undefined);
    return c.body(null, 304);
  }
  const whole = new Response(body, response);
  whole.headers.set("ETag", etag);
  // The response is the same, except for the tag.
  return whole as Success;
}

const withStandIn = (body: Uint8Array, { text, standIn }: Varying): Uint8Array =>
  new TextEncoder().encode(new TextDecoder().decode(body).replace(text, () => standIn));
