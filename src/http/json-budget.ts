/** At most so many members of arrays and fields of objects in one usual body, all together. */
export const maxMembers = 10_000;

/** At most so many arrays and objects inside each other. */
export const maxDepth = 32;

/** What a body has too much of. */
export type Excess = "members" | "depth";

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

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
 * @param most how many members it may have
 */
export function findExcess(json: Uint8Array, most = maxMembers): Excess | null {
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
