import type { LargeRecord, NextChunk } from "../source.ts";

/**
 * Returns the next piece of text, or null after the last piece. Does not keep the pieces that it
 * has returned.
 */
export type NextText = () => Promise<string | null>;

/** Returns text that consists of one piece. */
export function onePiece(text: string): NextText {
  let left: string | null = text;
  return async () => {
    const returned = left;
    left = null;
    return returned;
  };
}

/** The syntax of a list's records in one format. */
export interface RecordSyntax<Item> {
  /**
   * Formats the given records.
   * @param isFirst true if there is no record before them
   */
  records(items: readonly Item[], isFirst: boolean): string;
  /** Formats a record that is read in parts. */
  large(record: LargeRecord, isFirst: boolean): NextText;
}

/** Formats the records of a list, without the text around them. */
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
    /** The last record that was returned. */
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

/** Puts text between `before` and `after`. `before` is returned together with the first piece. */
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
