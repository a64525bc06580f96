import { withFields } from "../fields.ts";
import type { NextChunk, OpensPart } from "../source.ts";
import { type NextText, type RecordSyntax, textOfRecords, within } from "./text.ts";

/** The syntax of records as members of a JSON array, without its brackets. */
const members: RecordSyntax<unknown> = {
  records: (items, isFirst) => (isFirst ? "" : ",") + JSON.stringify(items).slice(1, -1),
  large: ({ head, parts }, isFirst) =>
    within((isFirst ? "" : ",") + openObject(head), jsonOfParts(parts), () => ""),
};

/** The syntax of records as JSON lines, including their line breaks. */
export const jsonLines: RecordSyntax<unknown> = {
  records: (items) => items.map((item) => `${JSON.stringify(item)}\n`).join(""),
  large: ({ head, parts }) => within(openObject(head), jsonOfParts(parts), () => "\n"),
};

/** Formats the items of a list as members of a JSON array, without its brackets. */
export const jsonOfItems = <Item>(next: NextChunk<Item>, fields?: readonly string[]) =>
  textOfRecords<Item>(next, withFields(members, fields));

/** Formats an object without its closing brace, with a comma after its last field. */
const openObject = (head: object): string =>
  Object.keys(head).length === 0 ? "{" : `${JSON.stringify(head).slice(0, -1)},`;

/**
 * Formats the rest of a record after its head, which ends with a comma: its lists, of which there is
 * at least one, and the closing brace.
 */
function jsonOfParts(parts: readonly OpensPart[]): NextText {
  const left = [...parts];
  let list: NextText | null = null;
  let isClosed = false;
  return async () => {
    const text = list && (await list());
    if (text !== null) {
      return text;
    }
    const part = left.shift();
    if (part) {
      const before = `${list ? "]," : ""}${JSON.stringify(part.field)}:[`;
      list = jsonOfItems(await part.open()).next;
      return before + ((await list()) ?? "");
    }
    if (isClosed) {
      return null;
    }
    isClosed = true;
    list = null;
    return "]}";
  };
}

/** The last line of a list in JSON lines. A list that does not end with this line was truncated. */
export interface End {
  count: number;
  /** The instant of the list, for records with history. */
  at: string | null;
  /** The cursor for the rest of the list; null at the end of the list. */
  next_cursor: string | null;
}

export const endLine = (end: End): string => `${JSON.stringify({ end })}\n`;
