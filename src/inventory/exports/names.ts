import { hash } from "../../database/hash.ts";
import { folded, isReservedForMachines, isReservedInInventories } from "./reserved-names.ts";

/** Matches characters other than letters, digits and the punctuation of machine names. */
const unsafe = /[^\p{L}\p{M}\p{N}._-]+/gu;

/**
 * Matches device names with a suffix: Windows treats `nul.txt` as `nul` (Win32, "Naming Files").
 */
const deviceWithSuffix = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.)/i;

/**
 * Maximum length of a name, in bytes of UTF-8. File systems allow 255 bytes for a file name, and
 * part of an id may be appended.
 */
const maximumBytes = 200;

const encoder = new TextEncoder();
const scratch = new Uint8Array(maximumBytes);

/** Truncates text to {@link maximumBytes}, without splitting a character. */
const cut = (text: string): string => text.slice(0, encoder.encodeInto(text, scratch).read);

/**
 * Returns a name that programs cannot interpret as a path, option, pattern, template or second
 * line. A device chooses its own name, so the name is not trusted.
 */
export const safeName = (name: string): string =>
  cut(name.replace(unsafe, "_").replace(/^[.-]+/, "")).replace(deviceWithSuffix, "$1_") || "host";

/**
 * Gives each host in an export a unique name. Stores only a hash of each name. If two names have
 * the same hash, which happens about once in several million exports of 50,000 names, the second
 * name is treated as taken.
 */
export class UniqueNames {
  readonly #taken = new Set<number>();

  /** Returns the host's name. If it is reserved or taken, part of the host's id is appended. */
  of({ id, name }: { id: string; name: string }): string {
    const safe = safeName(name);
    let own = safe;
    let isTaken = isReservedInInventories(safe) || !this.#take(safe);
    for (let digits = 8; isTaken; digits++) {
      own = `${safe}-${id.replaceAll("-", "").slice(-digits)}${"_".repeat(Math.max(0, digits - 32))}`;
      isTaken = !this.#take(own);
    }
    return own;
  }

  /** Takes a name. Returns true if it was free. */
  #take(name: string): boolean {
    const { size } = this.#taken;
    return this.#taken.add(hash(folded(name))).size > size;
  }
}

/** 32-bit FNV-1a. Distinguishes names that become equal when their characters are replaced. */
function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) {
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, "0");
}

/**
 * Matches names that look as if they had a digest. Without a digest of their own, they could be
 * equal to another group's name.
 */
const endsLikeDigest = /_[\da-f]{8}$/;

/**
 * Returns the name of an Ansible group: ASCII letters, digits and `_`. Spaces, dots and hyphens
 * become `_`. A name with other characters also gets a digest, so that no other group has the same
 * name. No host has such a name either, since the prefixes are reserved.
 */
export const groupName = (kind: "tag" | "network" | "service", name: string): string => {
  const plain = `${kind}_${name.replace(/[^A-Za-z0-9]+/g, "_")}`;
  return /^[\w .-]+$/.test(name) && !endsLikeDigest.test(plain)
    ? plain
    : `${plain}_${digest(name)}`.replace(/_{2,}/g, "_");
};

/** True for an IPv6 address, with or without a zone. */
const isIpv6 = (name: string): boolean =>
  /^[\da-f.]*:[\da-f:.]*(%.*)?$/i.test(name) &&
  URL.canParse(`http://[${name.replace(/%.*/s, "")}]/`);

/**
 * Converts a name for a hosts file: ASCII letters, digits and hyphens, in lower case, in labels of
 * at most 63 characters (RFC 1123, section 2.1). Returns null if nothing is left, or for an address
 * or a name that is reserved for machines.
 */
export function resolvableName(name: string): string | null {
  const compatible = name.normalize("NFKD");
  const labels = compatible
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, "-")
    .split(".")
    .map((label) => label.slice(0, 63).replace(/^-+|(?<!-)-+$/g, ""))
    .filter((label) => label !== "");
  const whole = labels.join(".");
  const isUsable =
    whole !== "" &&
    whole.length <= 253 &&
    !isIpv6(compatible.trim()) &&
    !isReservedForMachines(whole);
  return isUsable ? whole : null;
}
