const predefined: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

/**
 * One of the five predefined entities, or a character by its number (XML 1.0, sections 4.1 and 4.6).
 * Its length has a bound, so that no reference is read far, and none stands for more than one character.
 */
const reference = /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([\dA-Fa-f]{1,6}));/y;
const references = new RegExp(reference, "g");

/** The largest code point. */
const maxCodePoint = 0x10ffff;

/**
 * Where the first `&` is that begins no reference that is allowed; -1 if there is none. A reference to a
 * character that XML forbids is allowed: nmap writes what a device sends, and an import leaves such a
 * character out of the text that it stands in.
 */
export function findBadReference(text: string): number {
  for (let at = text.indexOf("&"); at !== -1; at = text.indexOf("&", at + 1)) {
    reference.lastIndex = at;
    const found = reference.exec(text);
    if (!found || (found[1] === undefined && numberOf(found[2], found[3]) > maxCodePoint)) {
      return at;
    }
  }
  return -1;
}

/** A checked attribute's value with its references replaced (XML 1.0, section 3.3.3). */
export const replaceReferences = (value: string) =>
  value
    .replace(/[\t\n\r]/g, " ")
    .replace(references, (_, name: string | undefined, decimal?: string, hexadecimal?: string) =>
      name === undefined
        ? String.fromCodePoint(numberOf(decimal, hexadecimal))
        : (predefined[name] ?? ""),
    );

const numberOf = (decimal: string | undefined, hexadecimal: string | undefined) =>
  decimal === undefined ? Number.parseInt(hexadecimal ?? "", 16) : Number(decimal);
