const predefined: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

/**
 * A predefined entity or a character reference (XML 1.0, sections 4.1 and 4.6). Its length is
 * bounded, and it always represents one character.
 */
const reference = /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([\dA-Fa-f]{1,6}));/y;
const references = new RegExp(reference, "g");

const maxCodePoint = 0x10ffff;

/**
 * The position of the first `&` that does not start an allowed reference; -1 if there is none.
 * References to characters that XML forbids are allowed: nmap copies them from devices, and an
 * import removes such characters from text.
 */
export function findBadReference(text: string): number {
  for (let at = text.indexOf("&"); at !== -1; at = text.indexOf("&", at + 1)) {
    reference.lastIndex = at;
    const match = reference.exec(text);
    if (!match || (match[1] === undefined && numberOf(match[2], match[3]) > maxCodePoint)) {
      return at;
    }
  }
  return -1;
}

/** Replaces the references in a checked attribute value (XML 1.0, section 3.3.3). */
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
