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
