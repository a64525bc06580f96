import type { ErrorParams } from "../../errors/errors.ts";

/**
 * The tokens that may come next: a value, a name, a separator, or the end of an array, an object or
 * the text.
 */
type Expected =
  | "value"
  | "value or end"
  | "name"
  | "name or end"
  | "colon"
  | "comma or end"
  | "end";

const space = /[\t\n\r ]*/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const literal = /true|false|null/y;
const escaped = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

/** The end of a match that starts at `from`; -1 if there is none. */
const endOf = (pattern: RegExp, text: string, from: number): number => {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : -1;
};

/**
 * Locates the first syntax error in a JSON text (RFC 8259), with line and column counted from 1,
 * since parsers do not always report the position. Takes linear time and stores only the stack of
 * open brackets.
 * @param text the text that a parser rejected
 */
export function jsonFault(text: string): ErrorParams<"request_malformed_json"> {
  if (!/[^\t\n\r ]/.test(text)) {
    return { reason: "empty" };
  }
  const offset = faultOffset(text);
  if (offset === text.length) {
    return { reason: "broken_off", ...positionOf(text, offset) };
  }
  const read = text.slice(0, offset).trimEnd();
  const isEnd = text[offset] === "}" || text[offset] === "]";
  return isEnd && read.endsWith(",")
    ? { reason: "trailing_comma", ...positionOf(text, read.length - 1) }
    : positionOf(text, offset);
}

function positionOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1) ?? "").length + 1 };
}

function faultOffset(text: string): number {
  const open: ("{" | "[")[] = [];
  let expected: Expected = "value";
  const afterValue = (): Expected => (open.length === 0 ? "end" : "comma or end");
  for (let at = endOf(space, text, 0); at < text.length; at = endOf(space, text, at)) {
    const sign = text[at];
    const wantsValue: boolean = expected === "value" || expected === "value or end";
    const mayEnd = expected.endsWith("or end");
    if (wantsValue && (sign === "{" || sign === "[")) {
      open.push(sign);
      expected = sign === "{" ? "name or end" : "value or end";
      at++;
    } else if (mayEnd && sign === (open.at(-1) === "{" ? "}" : "]")) {
      open.pop();
      expected = afterValue();
      at++;
    } else if (expected === "comma or end" && sign === ",") {
      expected = open.at(-1) === "{" ? "name" : "value";
      at++;
    } else if (expected === "colon" && sign === ":") {
      expected = "value";
      at++;
    } else if (sign === '"' && (wantsValue || expected.startsWith("name"))) {
      const { end, isWhole } = stringEnd(text, at);
      if (!isWhole) {
        return end;
      }
      expected = wantsValue ? afterValue() : "colon";
      at = end;
    } else {
      const end = wantsValue ? Math.max(endOf(number, text, at), endOf(literal, text, at)) : -1;
      if (end < 0) {
        return at;
      }
      expected = afterValue();
      at = end;
    }
  }
  return text.length;
}

/** The offset after a string's closing quote, or the offset of its first error. */
function stringEnd(text: string, from: number): { end: number; isWhole: boolean } {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') {
    if (text.charCodeAt(at) < 0x20) {
      return { end: at, isWhole: false };
    }
    const next = text[at] === "\\" ? endOf(escaped, text, at) : at + 1;
    if (next < 0) {
      return { end: at, isWhole: false };
    }
    at = next;
  }
  return { end: Math.min(at + 1, text.length), isWhole: at < text.length };
}
