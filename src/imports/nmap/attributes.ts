import type { Cursor } from "./cursor.ts";
import { findBadReference, replaceReferences } from "./references.ts";

/** Maximum number of attributes of an element. nmap writes at most 16. */
export const maxAttributes = 32;
/** Maximum length of an attribute, in UTF-16 units. nmap's scripts write whole pages into one. */
export const maxAttributeLength = 1_048_576;

/** The attributes of an element. References are replaced only when a value is read. */
export class Attributes {
  readonly #raw = new Map<string, string>();

  /** The value of an attribute; null if absent. */
  get(name: string): string | null {
    const value = this.#raw.get(name);
    return value === undefined ? null : replaceReferences(value);
  }

  /** Reads the attributes of the tag at the cursor, up to the end of the tag. */
  static read(cursor: Cursor): Attributes {
    const attributes = new Attributes();
    while (cursor.space() && cursor.isAtName) {
      const start = cursor.at;
      const name = cursor.name();
      if (attributes.#raw.has(name)) {
        throw cursor.error(`the attribute ${name} is repeated.`, start);
      }
      if (attributes.#raw.size === maxAttributes) {
        throw cursor.error(`an element has more than ${maxAttributes} attributes.`, start);
      }
      cursor.space();
      cursor.expect("=");
      cursor.space();
      attributes.#raw.set(name, readValue(cursor, name));
    }
    return attributes;
  }
}

function readValue(cursor: Cursor, name: string): string {
  const quote = cursor.take('"') ? '"' : "'";
  if (quote === "'" && !cursor.take("'")) {
    throw cursor.unexpected(`a quote after ${name}=`);
  }
  const start = cursor.at;
  const value = cursor.upTo(quote);
  if (value.length > maxAttributeLength) {
    throw cursor.error(
      `the attribute ${name} has more than ${maxAttributeLength} characters.`,
      start,
    );
  }
  const less = value.indexOf("<");
  if (less !== -1) {
    throw cursor.error(`"<" is not allowed in the attribute ${name}. Write "&lt;".`, start + less);
  }
  checkReferences(cursor, value, start);
  return value;
}

/**
 * @param part the part of the text from `start` on: a search of the whole text would not stop at
 * the end of this part
 */
export function checkReferences(cursor: Cursor, part: string, start: number): void {
  const wrong = findBadReference(part);
  if (wrong !== -1) {
    throw cursor.error(
      '"&" does not begin a predefined entity or a character reference. Write "&" as "&amp;".',
      start + wrong,
    );
  }
}
