import type { LargeRecord, NextChunk, OpensPart } from "./listing.ts";

/** Gives the next piece of a text, or null after the last. Holds none that it has given. */
export type NextText = () => Promise<string | null>;

/** The items of a list as the members of an array in JSON, without its brackets. */
export function jsonOfItems<Item>(next: NextChunk<Item>): { next: NextText; count(): number } {
  let separator = "";
  let count = 0;
  let record: NextText | null = null;
  const encode = (chunk: Item[] | LargeRecord): string => {
    if (Array.isArray(chunk) && chunk.length === 0) {
      return "";
    }
    const before = separator;
    separator = ",";
    if (Array.isArray(chunk)) {
      count += chunk.length;
      return before + JSON.stringify(chunk).slice(1, -1);
    }
    count++;
    record = jsonOfParts(chunk.parts);
    return before + JSON.stringify(chunk.head).slice(0, -1);
  };
  return {
    count: () => count,
    async next() {
      const text = record && (await record());
      if (text !== null) {
        return text;
      }
      record = null;
      const chunk = await next();
      return chunk && encode(chunk);
    },
  };
}

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

/** A text between two others, the first of which comes with the first piece. */
export function within(before: string, next: NextText, after: () => string): NextText {
  let start: string | null = before;
  let isDone = false;
  return async () => {
    if (isDone) {
      return null;
    }
    const text = await next();
    const prefix = start ?? "";
    start = null;
    isDone = text === null;
    return prefix + (text ?? after());
  };
}
