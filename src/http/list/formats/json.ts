import type { NextChunk, OpensPart } from "../source.ts";
import { type NextText, type RecordSyntax, textOfRecords, within } from "./text.ts";

/** Records as the members of an array in JSON, without its brackets. */
const members: RecordSyntax<unknown> = {
  records: (items, isFirst) => (isFirst ? "" : ",") + JSON.stringify(items).slice(1, -1),
  large: ({ head, parts }, isFirst) =>
    within((isFirst ? "" : ",") + JSON.stringify(head).slice(0, -1), jsonOfParts(parts), () => ""),
};

/** Records in JSON, one a line, each with its end. */
export const jsonLines: RecordSyntax<unknown> = {
  records: (items) => items.map((item) => `${JSON.stringify(item)}\n`).join(""),
  large: ({ head, parts }) =>
    within(JSON.stringify(head).slice(0, -1), jsonOfParts(parts), () => "\n"),
};

/** The items of a list as the members of an array in JSON, without its brackets. */
export const jsonOfItems = <Item>(next: NextChunk<Item>) => textOfRecords<Item>(next, members);

/** The lists of a record, and what closes it. It begins behind a field: every record has some. */
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

/** What the last line of a list in JSON lines says: without that line, the list was cut. */
export interface End {
  count: number;
  /** The instant that was listed, of records with history. */
  at: string | null;
  /** Where the list goes on; null at its end. */
  next_cursor: string | null;
}

/** The last line of a list in JSON lines. */
export const endLine = (end: End): string => `${JSON.stringify({ end })}\n`;
