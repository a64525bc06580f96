import {
  backslash,
  closeBrace,
  closeBracket,
  comma,
  openBrace,
  openBracket,
  quote,
} from "../json-bytes.ts";

/** The most members of arrays and fields of objects in a usual body, all together. */
export const maxMembers = 10_000;

/**
 * {@link maxMembers} of a record that is sent with its children. In a record as it is read, a
 * member takes more than 30 bytes, so one that fits into 1 MiB can always be sent back.
 */
export const maxMembersWithChildren = 40_000;

/** How deep arrays and objects may be nested. */
export const maxDepth = 32;

/** What a body has too much of. */
export type Excess = "members" | "depth";

/**
 * Finds out whether JSON has more members than the validator may be given, or is nested too deep.
 *
 * The text is judged before it is parsed, since the parser's own memory is what an attacker goes
 * for: 1 MiB of brackets becomes 30 MB of arrays. Text that is not well-formed is counted as well
 * as it goes. The count is exact up to its first fault, and no parser reads on from there.
 *
 * An array or object counts one member for its opening bracket and one for each comma, so an empty
 * one counts as if it had one.
 *
 * @param json the text in UTF-8
 * @param most the most members
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
