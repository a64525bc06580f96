import { decodeBase64Url, encodeBase64Url } from "hono/utils/encode";
import type { Settings } from "../env.ts";

/**
 * The owner of a sealed secret. It is authenticated together with the ciphertext, so a sealed
 * secret that is copied to another organization, record or field cannot be opened there. A daemon's
 * token can be opened only for the origin of the URL it was sealed for, so changing the URL cannot
 * send the token elsewhere.
 */
export type Place = { organization_id: string; id: string; field: string } & (
  | { record: "credential" }
  | { record: "webhook" }
  | { record: "daemon"; origin: string }
  | { record: "cursor" }
);

/**
 * The place of a daemon's token.
 * @param url the URL that receives the token; its scheme, host and port are used
 */
export const tokenPlace = (organization_id: string, id: string, url: string): Place => ({
  record: "daemon",
  organization_id,
  id,
  field: "token",
  origin: URL.canParse(url) ? new URL(url).origin : "",
});

/** The place of a webhook's current and previous secrets. */
export const webhookSecretPlace = (organization_id: string, id: string): Place => ({
  record: "webhook",
  organization_id,
  id,
  field: "secret",
});

/** The type of an imported key. `CryptoKey` is not a global type in every environment. */
type ImportedKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

const ivBytes = 12;
const algorithm = "AES-GCM";

/**
 * The keys that seal secrets at rest. The first key seals; any of them can open. They are never
 * sent to the database.
 *
 * A sealed secret is `NAME.BASE64URL`: the name of its key, then a 96-bit nonce, the AES-256-GCM
 * ciphertext and its tag.
 */
export class KeyRing {
  readonly #keys = new Map<string, Promise<ImportedKey>>();
  readonly #digestKeys: Promise<ImportedKey>[] = [];
  readonly #nonceKey: Promise<ImportedKey> | undefined;
  /**
   * The name of the key that seals. A key rotation must reseal all secrets that were sealed with
   * other keys.
   */
  readonly currentName: string;

  constructor(keys: Settings["SEALING_KEYS"]) {
    for (const { name, key } of keys) {
      const imported = crypto.subtle.importKey("raw", key, algorithm, false, [
        "encrypt",
        "decrypt",
      ]);
      this.#keys.set(name, imported);
      this.#digestKeys.push(macKeyOf(key, "request digest"));
    }
    this.#nonceKey = keys[0] && macKeyOf(keys[0].key, "seal nonce");
    this.currentName = keys[0]?.name ?? "";
  }

  /** Seals a secret, which can then be opened only for the same place. */
  seal(secret: string, place: Place): Promise<string> {
    return this.#sealBy(crypto.getRandomValues(new Uint8Array(ivBytes)), secret, place);
  }

  /**
   * Seals a string for its place deterministically: the same string, place and occasion give the
   * same result as long as the current key stays the same. The nonce is an HMAC of all three, as in
   * RFC 5297, so a collision is no likelier than with random nonces. Two results for the same
   * occasion reveal whether the strings are equal.
   */
  async sealAlike(text: string, place: Place, occasion: string): Promise<string> {
    if (!this.#nonceKey) {
      throw new Error("There is no sealing key: set SEALING_KEYS.");
    }
    const parts = JSON.stringify([occasion, place, text]);
    const digest = await crypto.subtle.sign(
      "HMAC",
      await this.#nonceKey,
      new TextEncoder().encode(parts),
    );
    return this.#sealBy(new Uint8Array(digest, 0, ivBytes), text, place);
  }

  async #sealBy(iv: Uint8Array<ArrayBuffer>, secret: string, place: Place): Promise<string> {
    const key = await this.#key(this.currentName);
    const parameters = { name: algorithm, iv, additionalData: additionalData(place) };
    const sealed = await crypto.subtle.encrypt(parameters, key, new TextEncoder().encode(secret));
    const bytes = new Uint8Array(ivBytes + sealed.byteLength);
    bytes.set(iv);
    bytes.set(new Uint8Array(sealed), ivBytes);
    return `${this.currentName}.${encodeBase64Url(bytes.buffer)}`;
  }

  /**
   * Opens a sealed secret.
   * @throws if its key is not in the ring, or if the secret was altered or was sealed for another
   *   place
   */
  async open(sealed: string, place: Place): Promise<string> {
    const [name = "", encoded = ""] = sealed.split(".");
    const key = await this.#key(name);
    const bytes = decodeBase64Url(encoded);
    const iv = bytes.subarray(0, ivBytes);
    const parameters = { name: algorithm, iv, additionalData: additionalData(place) };
    const secret = await crypto.subtle.decrypt(parameters, key, bytes.subarray(ivBytes));
    // A secret may start with U+FEFF, which a decoder would drop as a byte order mark.
    return new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(secret);
  }

  /**
   * HMAC-SHA-256 digests of the data in hexadecimal. There is one digest for each key in the ring,
   * made with a key derived from that key; the digest for the current key comes first. The digests
   * can be compared with a stored digest even after the current key has changed. Unlike a plain
   * hash, they do not reveal a short secret in the data to anyone without the keys.
   */
  async digests(text: string | Uint8Array): Promise<string[]> {
    // This is a copy, because Web Crypto does not accept a view of shared memory.
    const bytes = new Uint8Array(typeof text === "string" ? new TextEncoder().encode(text) : text);
    return Promise.all(
      this.#digestKeys.map(async (key) =>
        toHex(new Uint8Array(await crypto.subtle.sign("HMAC", await key, bytes))),
      ),
    );
  }

  #key(name: string): Promise<ImportedKey> {
    const key = this.#keys.get(name);
    if (!key) {
      throw new Error(`There is no sealing key named ${name}: add it to SEALING_KEYS.`);
    }
    return key;
  }
}

const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/**
 * Derives an HMAC key (RFC 5869). A key must be used for one algorithm only, and the ring's own
 * keys are used for encryption.
 */
async function macKeyOf(
  key: Settings["SEALING_KEYS"][number]["key"],
  purpose: string,
): Promise<ImportedKey> {
  const secret = await crypto.subtle.importKey("raw", key, "HKDF", false, ["deriveKey"]);
  return crypto.subtle.deriveKey(
    {
      name: "HKDF",
      hash: "SHA-256",
      salt: new Uint8Array(),
      info: new TextEncoder().encode(purpose),
    },
    secret,
    { name: "HMAC", hash: "SHA-256", length: 256 },
    false,
    ["sign"],
  );
}

function additionalData(place: Place) {
  const { record, organization_id, id, field } = place;
  const parts = [record, organization_id, id, field];
  if (place.record === "daemon") {
    parts.push(place.origin);
  }
  return new TextEncoder().encode(parts.join(":"));
}

const rings = new WeakMap<Settings, KeyRing>();

/** The key ring for the settings, created once per isolate. */
export function keyRingOf(settings: Settings): KeyRing {
  const ring = rings.get(settings) ?? new KeyRing(settings.SEALING_KEYS);
  rings.set(settings, ring);
  return ring;
}
