import type { Context } from "hono";
import { metaOf, type ok } from "../../http/envelope.ts";
import type { TenantEnv } from "../../http/factory.ts";
import type { IsKnown } from "../../http/input/entity-tag.ts";
import { tagged } from "../../http/tagged.ts";
import { mapTooLarge } from "./load.ts";
import { topologyBounds } from "./model.ts";

interface Sent {
  /** Entity tags that the caller already has. */
  isKnown: IsKnown;
  /** The size of the map, for the error. */
  counts: { hosts: number; edges: number };
}

/**
 * Responds with 200 and a map in a text format, or with 304.
 * @throws {ApiError} 409 if the text is too large
 */
export function respondMapText<Data>(
  c: Context<TenantEnv>,
  text: string,
  { mediaType, isKnown, counts }: Sent & { mediaType: string },
) {
  if (new TextEncoder().encode(text).length > topologyBounds.bytes) {
    throw mapTooLarge(counts);
  }
  const response = c.body(text, 200, { "Content-Type": mediaType });
  // `ok` cannot be used, since it does not return the text whose size is limited. Without an
  // Accept header, the response is the same as that of `ok`.
  return tagged(c, response as Response as ReturnType<typeof ok<TenantEnv, Data>>, isKnown);
}

/** {@link respondMapText} for data in the envelope. */
export const respondMap = <Data>(c: Context<TenantEnv>, data: Data, sent: Sent) =>
  respondMapText<Data>(c, JSON.stringify({ success: true, data, meta: metaOf(c) }), {
    ...sent,
    mediaType: "application/json",
  });
