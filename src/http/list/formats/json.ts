import type { NextChunk, OpensPart } from "../source.ts";
import { type NextText, type RecordSyntax, textOfRecords, within } from "./text.ts";

/** The syntax of records as members of a JSON array, without its brackets. */
const members: RecordSyntax<unknown> = {
  records: (items, isFirst) => (isFirst ? "" : ",") + JSON.stringify(items).slice(1, -1),
  large: ({ head, parts }, isFirst) =>
    within((isFirst ? "" : ",") + JSON.stringify(head).slice(0, -1), jsonOfParts(parts), () => ""),
};

/** The syntax of records as JSON lines, including their line breaks. */
export const jsonLines: RecordSyntax<unknown> = {
  records: (items) => items.map((item) => `${JSON.stringify(item)}\n`).join(""),
  large: ({ head, parts }) =>
    within(JSON.stringify(head).slice(0, -1), jsonOfParts(parts), () => "\n"),
};

/** Formats the items of a list as members of a JSON array, without its brackets. */
export const jsonOfItems = <Item>(next: NextChunk<Item>) => textOfRecords<Item>(next, members);

/** Formats the rest of a record after the fields of its head: its lists and the closing brace. */
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
      const before = `${list ? "]" : ""},${JSON.stringify(part.field)}:[`;
      list = jsonOfItems(await part.open()).next;
      return before + ((await list()) ?? "");
    }
    if (isClosed) {
      return null;
    }
    isClosed = true;
    const end = list ? "]}" : "}";
    list = null;
    return end;
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
