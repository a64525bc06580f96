import type { Cursor } from "./cursor.ts";
import { findBadReference, replaceReferences } from "./references.ts";

/** How many attributes an element may have. nmap writes at most 16. */
export const maxAttributes = 32;
/** How long an attribute may be, in UTF-16 units: scripts of nmap write whole pages into one. */
export const maxAttributeLength = 1_048_576;

/** The attributes of an element. Only what is read has its references replaced. */
export class Attributes {
  readonly #raw = new Map<string, string>();

  /** The value of an attribute; null if the element does not have it. */
  get(name: string): string | null {
    const value = this.#raw.get(name);
    return value === undefined ? null : replaceReferences(value);
  }

  /** Reads the attributes of the tag at the cursor, up to what ends the tag. */
  static read(cursor: Cursor): Attributes {
    const attributes = new Attributes();
    while (cursor.space() && cursor.isAtName) {
      const start = cursor.at;
      const name = cursor.name();
      if (attributes.#raw.has(name)) {
        throw cursor.error(`the attribute ${name} is there twice.`, start);
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
    throw cursor.error(`"<" stands in the attribute ${name}. Write "&lt;".`, start + less);
  }
  checkReferences(cursor, value, start);
  return value;
}

/** @param part the text from `start` on, cut off: a search in the whole text would run past its end */
export function checkReferences(cursor: Cursor, part: string, start: number): void {
  const wrong = findBadReference(part);
  if (wrong !== -1) {
    throw cursor.error(
      '"&" begins neither one of the five predefined entities nor a character by its number. Write "&" as "&amp;".',
      start + wrong,
    );
  }
}
