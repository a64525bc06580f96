/** What is neither a letter, a digit nor one of the signs that names of machines have. */
const unsafe = /[^\p{L}\p{M}\p{N}._-]+/gu;

/**
 * A name that programs take for no path, option, pattern, template or second line, whatever a device calls
 * itself.
 */
export const safeName = (name: string): string =>
  name.replace(unsafe, "_").replace(/^[.-]+/, "") || "host";

/** Gives each host of an export a name of its own. Holds all that it has given. */
export class UniqueNames {
  readonly #taken = new Set<string>();

  /** The host's name; behind it a part of its id, where a host before has that name. */
  of({ id, name }: { id: string; name: string }): string {
    const safe = safeName(name);
    let own = safe;
    for (let digits = 8; this.#taken.has(own.toLowerCase()); digits++) {
      own = `${safe}-${id.replaceAll("-", "").slice(-digits)}${"_".repeat(Math.max(0, digits - 32))}`;
    }
    this.#taken.add(own.toLowerCase());
    return own;
  }
}

/** FNV-1a in 32 bits: tells names apart of which the same would be left. */
function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) {
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, "0");
}

/**
 * A name of an Ansible group: letters, digits and `_` of ASCII. Spaces, dots and hyphens become `_`; what has other
 * signs also gets a digest, so that it is no other's group.
 */
export const groupName = (kind: "tag" | "network" | "service", name: string): string => {
  const plain = name.replace(/[^A-Za-z0-9]+/g, "_");
  return /^[\w .-]+$/.test(name)
    ? `${kind}_${plain}`
    : `${kind}_${plain}_${digest(name)}`.replace(/_{2,}/g, "_");
};

/** What resolvers keep for themselves: a device that calls itself so must not take its place. */
const reserved = /^(localhost|broadcasthost|ip6-.*|(.*\.)?localhost(\.localdomain)?)$/;
const addressLike = /^[\d.]+$/;

/**
 * A name that a hosts file can have: of letters, digits and hyphens of ASCII, in lower case, in labels of at most 63
 * (RFC 1123, section 2.1). Null where nothing is left, or where it is an address or a name of every machine.
 */
export function resolvableName(name: string): string | null {
  const labels = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, "-")
    .split(".")
    .map((label) => label.slice(0, 63).replace(/^-+|-+$/g, ""))
    .filter((label) => label !== "");
  const whole = labels.join(".");
  const isUsable =
    whole !== "" && whole.length <= 253 && !addressLike.test(whole) && !reserved.test(whole);
  return isUsable && !name.includes("::") ? whole : null;
}
