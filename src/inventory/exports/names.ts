import { folded, isReservedForMachines, isReservedInInventories } from "./reserved-names.ts";

/** What is neither a letter, a digit nor one of the signs that names of machines have. */
const unsafe = /[^\p{L}\p{M}\p{N}._-]+/gu;

/** Windows takes `nul.txt` for the device `nul` as well (Win32, "Naming Files"). */
const deviceWithSuffix = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.)/i;

/** How many bytes of UTF-8 a name has at most. A file system takes 255 for a file, and a part of an id may follow. */
const maximumBytes = 200;

const encoder = new TextEncoder();
const scratch = new Uint8Array(maximumBytes);

/** The beginning of a text, at most {@link maximumBytes} long. No character is cut. */
const cut = (text: string): string => text.slice(0, encoder.encodeInto(text, scratch).read);

/**
 * A name that programs take for no path, option, pattern, template or second line, whatever a device calls
 * itself.
 */
export const safeName = (name: string): string =>
  cut(name.replace(unsafe, "_").replace(/^[.-]+/, "")).replace(deviceWithSuffix, "$1_") || "host";

/**
 * Gives each host of an export a name of its own. It holds a number for each: where two names have the same number,
 * which in 50,000 happens once in millions of exports, the second is treated as taken.
 */
export class UniqueNames {
  readonly #taken = new Set<number>();

  /** The host's name; behind it a part of its id, where the name is reserved or a host before has it. */
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

  /** Takes a name. Returns whether it was free. */
  #take(name: string): boolean {
    const { size } = this.#taken;
    return this.#taken.add(hash(folded(name))).size > size;
  }
}

/** A number of 53 bits for a text. Not for secrets: who wants to can find two texts of the same number. */
function hash(text: string): number {
  let [one, other] = [0x9e3779b1, 0x85ebca6b];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    one = Math.imul(one ^ unit, 0x85ebca77);
    other = Math.imul(other ^ unit, 0xc2b2ae3d);
  }
  one ^= Math.imul(one ^ (other >>> 15), 0x735a2d97);
  other ^= Math.imul(other ^ (one >>> 15), 0xcaf649a9);
  return 0x200000 * (other >>> 0) + ((one ^ (other >>> 16)) >>> 11);
}

/** FNV-1a in 32 bits: tells names apart of which the same would be left. */
function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) {
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, "0");
}

/** A name without a digest must not look as if it had one: it could be another's group. */
const endsLikeDigest = /_[\da-f]{8}$/;

/**
 * A name of an Ansible group: letters, digits and `_` of ASCII. Spaces, dots and hyphens become `_`; what has other
 * signs also gets a digest, so that it is no other's group. No host has such a name: their prefixes are reserved.
 */
export const groupName = (kind: "tag" | "network" | "service", name: string): string => {
  const plain = `${kind}_${name.replace(/[^A-Za-z0-9]+/g, "_")}`;
  return /^[\w .-]+$/.test(name) && !endsLikeDigest.test(plain)
    ? plain
    : `${plain}_${digest(name)}`.replace(/_{2,}/g, "_");
};

/** An IPv6 address, with or without a zone. */
const isIpv6 = (name: string): boolean =>
  /^[\da-f.]*:[\da-f:.]*(%.*)?$/i.test(name) &&
  URL.canParse(`http://[${name.replace(/%.*$/, "")}]/`);

/**
 * A name that a hosts file can have: of letters, digits and hyphens of ASCII, in lower case, in labels of at most 63
 * (RFC 1123, section 2.1). Null where nothing is left, or where it is an address or a name of every machine.
 */
export function resolvableName(name: string): string | null {
  const compatible = name.normalize("NFKD");
  const labels = compatible
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, "-")
    .split(".")
    .map((label) => label.slice(0, 63).replace(/^-+|-+$/g, ""))
    .filter((label) => label !== "");
  const whole = labels.join(".");
  const isUsable =
    whole !== "" &&
    whole.length <= 253 &&
    !isIpv6(compatible.trim()) &&
    !isReservedForMachines(whole);
  return isUsable ? whole : null;
}
