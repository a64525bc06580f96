/**
 * A version 7 UUID (RFC 9562, section 5.7): a timestamp in milliseconds, then 74 random bits.
 * Records that are created together have neighboring ids, so their index entries are on the same
 * pages. An id reveals its creation time, so it must not be used as a secret: keys, tokens and
 * nonces are fully random.
 * @param at milliseconds since 1970
 */
export function uuidV7(at = Date.now()): string {
  const time = at.toString(16).padStart(12, "0");
  // The variant is the same in every UUID version (section 4.1).
  const random = crypto.randomUUID().slice(15);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random}`;
}

export const uuidBytes = 16;

/** Formats {@link uuidBytes} bytes as a UUID string. */
export const uuidOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0"))
    .join("")
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
