/**
 * A UUID of version 7 (RFC 9562, section 5.7): a millisecond, then 74 random bits. What is made together has
 * neighbouring ids, and so lies on the same pages of the database's indexes. It says when it was made, so it is
 * no secret: keys, tokens and nonces are random throughout.
 * @param at milliseconds since 1970
 */
export function uuidV7(at = Date.now()): string {
  const time = at.toString(16).padStart(12, "0");
  // The variant is the same in every version (section 4.1).
  const random = crypto.randomUUID().slice(15);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random}`;
}

/** How many bytes a UUID is. */
export const uuidBytes = 16;

/** The text of a UUID that is these {@link uuidBytes}. */
export const uuidOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0"))
    .join("")
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
