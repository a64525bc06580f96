import type { LargeRecord, NextChunk } from "../source.ts";

/** Gives the next piece of a text, or null after the last. Holds none that it has given. */
export type NextText = () => Promise<string | null>;

/** How a form writes the records of a list. */
export interface RecordSyntax<Item> {
  /**
   * Some records.
   * @param isFirst whether none precedes them
   */
  records(items: readonly Item[], isFirst: boolean): string;
  /** A record that is read in parts. */
  large(record: LargeRecord, isFirst: boolean): NextText;
}

/** The records of a list in a form, without what is around them. */
export function textOfRecords<Item>(
  next: NextChunk<Item>,
  syntax: RecordSyntax<Item>,
): { next: NextText; count(): number; last(): object | null } {
  let count = 0;
  let last: object | null = null;
  let record: NextText | null = null;
  const encode = (chunk: Item[] | LargeRecord): string | NextText => {
    const isFirst = count === 0;
    if (!Array.isArray(chunk)) {
      count++;
      last = chunk.head;
      return syntax.large(chunk, isFirst);
    }
    const final = chunk.at(-1);
    if (final === undefined) {
      return "";
    }
    count += chunk.length;
    last = Object(final);
    return syntax.records(chunk, isFirst);
  };
  return {
    count: () => count,
    /** The last record that was given. */
    last: () => last,
    async next() {
      const text = record && (await record());
      if (text !== null) {
        return text;
      }
      record = null;
      const chunk = await next();
      const encoded = chunk && encode(chunk);
      if (typeof encoded !== "function") {
        return encoded;
      }
      record = encoded;
      return record();
    },
  };
}

/** A text between two others, the first of which comes with the first piece. */
export function within(
  before: string,
  next: NextText,
  after: () => string | Promise<string>,
): NextText {
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
    return prefix + (text ?? (await after()));
  };
}
