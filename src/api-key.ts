const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** The beginnings of keys: those of organizations, and those of operators. */
const prefixes = { user: "inv_u_", operator: "inv_o_" } as const;
type KeyType = keyof typeof prefixes;
const pattern = /^inv_[uo]_[0-9A-Za-z]{38}$/;
const checksumLength = 6;

/** The CRC-32 of an ASCII string (ISO 3309, as in zlib and PNG). */
function crc32(text: string): number {
  let crc = ~0;
  for (let position = 0; position < text.length; position++) {
    crc ^= text.charCodeAt(position);
    for (let bit = 0; bit < 8; bit++) {
      crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
    }
  }
  return ~crc >>> 0;
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let position = 0; position < checksumLength; position++) {
    digits = alphabet.charAt(rest % alphabet.length) + digits;
    rest = Math.floor(rest / alphabet.length);
  }
  return digits;
}

/**
 * Creates a key: `inv_u_`, 32 random base62 characters and a 6-character checksum (API contract,
 * section 2).
 * @param random 32 fixed characters to use instead of random ones, for keys that must be constant
 */
export const mintApiKey = (random: string = randomBase62(32)): string => mint("user", random);

/** Creates an operator key: like an API key, but starting with `inv_o_` (API contract, section 15). */
export const mintOperatorKey = (random: string = randomBase62(32)): string =>
  mint("operator", random);

function mint(type: KeyType, random: string): string {
  const prefix = prefixes[type];
  return `${prefix}${random}${checksum(prefix + random)}`;
}

/**
 * The type of a well-formed key; null if the string does not have a key's format. This check does
 * not need the database, so a malformed key does not cause a database call.
 */
export function typeOfKey(key: string): KeyType | null {
  const isWellFormed =
    pattern.test(key) && checksum(key.slice(0, -checksumLength)) === key.slice(-checksumLength);
  if (!isWellFormed) {
    return null;
  }
  return key.startsWith(prefixes.operator) ? "operator" : "user";
}

/** The SHA-256 hash of a key, in hexadecimal. The database stores it instead of the key. */
export async function hashApiKey(key: string): Promise<string> {
  const hash = new DataView(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key)));
  let hex = "";
  for (let position = 0; position < hash.byteLength; position += 4) {
    hex += hash.getUint32(position).toString(16).padStart(8, "0");
  }
  return hex;
}

/**
 * The last four characters of a key, by which users tell keys apart. They are part of its checksum.
 */
export const hintOf = (key: string): string => key.slice(-4);

function randomBase62(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      // 248 is the largest multiple of 62 that fits in a byte. Values from 248 up would favor some
      // characters.
      if (byte < 248 && text.length < length) {
        text += alphabet.charAt(byte % alphabet.length);
      }
    }
  }
  return text;
}
