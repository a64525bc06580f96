import { decodeBase64Url, encodeBase64Url } from "hono/utils/encode";
import type { Settings } from "../env.ts";

/**
 * What a sealed secret belongs to. It is authenticated with the ciphertext, so that a sealed secret
 * copied to another record or field does not open there. A daemon's opens only for the origin of the
 * URL that it was sealed for, so that a changed URL leads no token elsewhere. A null origin is for
 * `npm run reseal` alone: tokens were once sealed without one.
 */
export type Place =
  | { record: "credential"; id: string; field: string }
  | { record: "daemon"; id: string; field: string; origin: string | null };

/**
 * The place of a daemon's token.
 * @param url where the token is sent: scheme, host and port count
 */
export const tokenPlace = (id: string, url: string): Place => ({
  record: "daemon",
  id,
  field: "token",
  origin: URL.canParse(url) ? new URL(url).origin : "",
});

/** As a type, `CryptoKey` is not everywhere a global. */
type ImportedKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

const ivBytes = 12;
const algorithm = "AES-GCM";

/**
 * Keys by which secrets are sealed at rest; the first seals, all open. The database sees none.
 *
 * A sealed secret is `NAME.BASE64URL`: the name of its key, then a random 96-bit nonce, the
 * AES-256-GCM ciphertext and its tag.
 */
export class KeyRing {
  readonly #keys = new Map<string, Promise<ImportedKey>>();
  /** The name of the key that seals. Whatever another one sealed, rotation must reseal. */
  readonly currentName: string;

  constructor(keys: Settings["SEALING_KEYS"]) {
    for (const { name, key } of keys) {
      const imported = crypto.subtle.importKey("raw", key, algorithm, false, [
        "encrypt",
        "decrypt",
      ]);
      this.#keys.set(name, imported);
    }
    this.currentName = keys[0]?.name ?? "";
  }

  /** Seals a secret for its place. */
  async seal(secret: string, place: Place): Promise<string> {
    const iv = crypto.getRandomValues(new Uint8Array(ivBytes));
    const key = await this.#key(this.currentName);
    const parameters = { name: algorithm, iv, additionalData: additionalData(place) };
    const sealed = await crypto.subtle.encrypt(parameters, key, new TextEncoder().encode(secret));
    const bytes = new Uint8Array(ivBytes + sealed.byteLength);
    bytes.set(iv);
    bytes.set(new Uint8Array(sealed), ivBytes);
    return `${this.currentName}.${encodeBase64Url(bytes.buffer)}`;
  }

  /** STUB */
  async digests(_text: string): Promise<string[]> {
    return [];
  }

  /**
   * Opens a sealed secret.
   * @throws when its key is not in the ring, or it was sealed for another place, or was altered
   */
  async open(sealed: string, place: Place): Promise<string> {
    const [name = "", encoded = ""] = sealed.split(".");
    const key = await this.#key(name);
    const bytes = decodeBase64Url(encoded);
    const iv = bytes.subarray(0, ivBytes);
    const parameters = { name: algorithm, iv, additionalData: additionalData(place) };
    const secret = await crypto.subtle.decrypt(parameters, key, bytes.subarray(ivBytes));
    // A secret may begin with U+FEFF, which a decoder takes for a byte order mark and drops.
    return new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(secret);
  }

  #key(name: string): Promise<ImportedKey> {
    const key = this.#keys.get(name);
    if (!key) {
      throw new Error(`There is no sealing key named ${name}: add it to SEALING_KEYS.`);
    }
    return key;
  }
}

function additionalData(place: Place) {
  const { record, id, field } = place;
  const parts = [record, id, field];
  if (place.record === "daemon" && place.origin !== null) {
    parts.push(place.origin);
  }
  return new TextEncoder().encode(parts.join(":"));
}

const rings = new WeakMap<Settings, KeyRing>();

/** The key ring of the configuration, made once per isolate. */
export function keyRingOf(settings: Settings): KeyRing {
  const ring = rings.get(settings) ?? new KeyRing(settings.SEALING_KEYS);
  rings.set(settings, ring);
  return ring;
}
