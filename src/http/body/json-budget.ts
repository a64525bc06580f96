import {
  backslash,
  closeBrace,
  closeBracket,
  comma,
  openBrace,
  openBracket,
  quote,
} from "../json-bytes.ts";

/** Maximum total number of array members and object fields in a body. */
export const maxMembers = 10_000;

/**
 * {@link maxMembers} for a record with its children. In a response, a member takes more than 30
 * bytes, so a caller can send back every record that fits in 1 MiB.
 */
export const maxMembersWithChildren = 40_000;

/** Maximum nesting depth of arrays and objects. */
export const maxDepth = 32;

/** The limit that a body exceeds. */
export type Excess = "members" | "depth";

/**
 * Returns the limit that a JSON text exceeds, or null.
 *
 * The text is checked before it is parsed, since an attacker could exhaust the parser's memory: 1
 * MiB of brackets becomes 30 MB of arrays. In malformed text, the count is exact up to the first
 * error, where every parser stops.
 *
 * Each opening bracket and each comma counts as one member. An empty array or object therefore also
 * counts as one member.
 *
 * @param json the text in UTF-8
 * @param most maximum number of members
 */
export function findExcess(json: Uint8Array, most: number): Excess | null {
  let members = 0;
  let depth = 0;
  let isInString = false;
  for (let position = 0; position < json.length; position++) {
    const byte = json[position];
    if (isInString) {
      if (byte === backslash) {
        position++;
      } else if (byte === quote) {
        isInString = false;
      }
    } else if (byte === quote) {
      isInString = true;
    } else if (byte === comma) {
      members++;
    } else if (byte === openBracket || byte === openBrace) {
      members++;
      depth++;
      if (depth > maxDepth) {
        return "depth";
      }
    } else if (byte === closeBracket || byte === closeBrace) {
      depth--;
    }
    if (members > most) {
      return "members";
    }
  }
  return null;
}
