import type * as z from "zod";
import type { Collection, Columns, Selection } from "../../database/collection.ts";
import type { RowOf } from "../../database/columns-of.ts";

/** A collection with the mapping from its rows to the items of responses. */
export interface Source<Read extends Columns = Columns, Item = unknown> extends Collection<Read> {
  toItem(row: RowOf<Read>): Item;
  /** The parts in which a record is read if it is too large to be read at once. */
  inParts?: Parts;
}

/** A source whose items can also be written as a table. */
export interface TabularSource<Read extends Columns = Columns, Item = unknown>
  extends Source<Read, Item> {
  /** The schema of the items, which gives the columns of the table. */
  schema: z.ZodType;
}

/** A source, and the selection of records that a list reads from it. */
export interface Listing<
  Read extends Columns = Columns,
  Item = unknown,
  From extends Source<Read, Item> = Source<Read, Item>,
> {
  source: From;
  selection: Selection;
}

/**
 * The parts in which a record is read: its head, which is read at once, and the lists that follow
 * the head in its JSON.
 */
export interface Parts<Head extends Columns = Columns> {
  head: Head;
  /** Maps the head to the fields of the response, without the lists. */
  toHead(row: RowOf<Head>): object;
  /** Returns the lists of the record with this id, by field name. */
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

/**
 * Returns the next chunk of a list, or null after the last chunk. Does not keep the chunks that it
 * has returned.
 */
export type NextChunk<Item> = () => Promise<Item[] | LargeRecord | null>;
