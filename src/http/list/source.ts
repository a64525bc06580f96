import type * as z from "zod";
import type { Collection, Columns, Selection } from "../../database/collection.ts";
import type { RowOf } from "../../database/columns-of.ts";

/** A collection with the mapping from its rows to the items that callers see. */
export interface Source<Read extends Columns = Columns, Item = unknown> extends Collection<Read> {
  toItem(row: RowOf<Read>): Item;
  /** How a record is read that is too large to be read at once. */
  inParts?: Parts;
}

/** A source whose items are also written as a table. */
export interface TabularSource<Read extends Columns = Columns, Item = unknown>
  extends Source<Read, Item> {
  /** Of the items: what a table of them has for columns. */
  schema: z.ZodType;
}

/** A source, and the records of it that a list reads. */
export interface Listing<
  Read extends Columns = Columns,
  Item = unknown,
  From extends Source<Read, Item> = Source<Read, Item>,
> {
  source: From;
  selection: Selection;
}

/** A record as its head, which is read at once, and the lists that follow in its JSON. */
export interface Parts<Head extends Columns = Columns> {
  head: Head;
  /** The head as callers see it, without the lists. */
  toHead(row: RowOf<Head>): object;
  /** What each list holds, by the name of its field, of the record with an id. */
  lists(id: string): Readonly<Record<string, Listing>>;
}

/** A record that is read in parts. */
export interface LargeRecord {
  head: object;
  parts: readonly OpensPart[];
}

/** A list of a large record. */
export interface OpensPart {
  field: string;
  open(): Promise<NextChunk<unknown>>;
}

/** Gives the next chunk of a list, or null after the last. Holds none that it has given. */
export type NextChunk<Item> = () => Promise<Item[] | LargeRecord | null>;
