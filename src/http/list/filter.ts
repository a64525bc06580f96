import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type * as z from "zod";
import type { Selection } from "../../database/collection.ts";
import { folded } from "../../database/folded.ts";
import type { Versions } from "../../database/history.ts";
import { id } from "../input/id.ts";
import { repeated } from "../input/repeated.ts";
import { searchText } from "../input/text.ts";

/** A query parameter that narrows a list by a condition. */
interface Narrows<Schema extends z.ZodType> {
  schema: Schema;
  /**
   * The condition that a record matches.
   * @param versions those that are listed, of records with history
   */
  matches(value: z.output<Schema>, versions: Versions): SQL;
  /** Whether what matches is found before it is counted and ordered (see `Selection`). */
  findsFirst: boolean;
  /** Whether the condition is one of columns of the record itself (see `Selection`). */
  isByColumns: boolean;
}

/** A query parameter by which the records themselves are found. */
interface Finds<Schema extends z.ZodType> {
  schema: Schema;
  /** What is found, as {@link Selection.found}. */
  finds(value: z.output<Schema>, versions: Versions): SQL;
}

/** A query parameter that narrows a list. */
export type Filter<Schema extends z.ZodType = z.ZodType> = Narrows<Schema> | Finds<Schema>;

/** Filters of a list, by the names of their parameters. They combine with AND. */
export type Filters = Readonly<Record<string, Filter>>;

/**
 * A filter, its value typed by its schema.
 * @param options.findsFirst for what finds few, such as the parts of a host, whatever Postgres expects
 */
export const filter = <Schema extends z.ZodType>(
  schema: Schema,
  matches: Narrows<Schema>["matches"],
  { findsFirst = false }: { findsFirst?: boolean } = {},
): Narrows<Schema> => ({ schema, matches, findsFirst, isByColumns: false });

/** A filter by columns of the record itself. Each chunk of a stream evaluates it for the rows that it reads. */
export const columnFilter = <Schema extends z.ZodType>(
  schema: Schema,
  matches: Narrows<Schema>["matches"],
): Narrows<Schema> => ({ schema, matches, findsFirst: false, isByColumns: true });

/** A filter by what somebody typed. Expensive, so it runs once for count and page. */
export const searchFilter = (matches: Narrows<typeof searchText>["matches"]) =>
  filter(searchText, matches, { findsFirst: true });

/** {@link searchFilter} for records that a function of the database finds. A list has one at most. */
export const searches = (finds: Finds<typeof searchText>["finds"]): Finds<typeof searchText> => ({
  schema: searchText,
  finds,
});

/** How many ids one request may name. More would soon not fit into a URL (16 KB). */
const maximumIds = 100;

/** Ids, one for each time the parameter is given. */
export const ids = repeated(id, maximumIds, { type: "string", format: "uuid", maxLength: 36 });

/** The query parameters of filters, all of them optional. */
export const filterQuery = <Each extends Filters>(filters: Each) =>
  Object.fromEntries(
    Object.entries(filters).map(([name, { schema }]) => [name, schema.optional()]),
  ) as { [Name in keyof Each]: z.ZodOptional<Each[Name]["schema"]> };

/** What the filters that a query uses select. */
export function selectedBy(
  filters: Filters,
  query: Readonly<Record<string, unknown>>,
  versions: Versions,
): Pick<Selection, "matches" | "found" | "findsFirst" | "isByColumns"> {
  const used = Object.entries(filters).filter(([name]) => query[name] !== undefined);
  const matches: SQL[] = [];
  let found: SQL | undefined;
  let findsFirst = false;
  let isByColumns = true;
  for (const [name, filter] of used) {
    if ("finds" in filter) {
      found = filter.finds(query[name], versions);
      findsFirst = true;
      isByColumns = false;
    } else {
      matches.push(filter.matches(query[name], versions));
      findsFirst ||= filter.findsFirst;
      isByColumns &&= filter.isByColumns;
    }
  }
  return { matches, found, findsFirst, isByColumns };
}

/** The condition that a record has this id, or that one of its texts contains this one, in any case. */
export const contains = (text: string, id: SQLWrapper, texts: readonly SQLWrapper[]): SQL =>
  sql`(${sql.join(
    [
      sql`${id}::text = lower(${text})`,
      ...texts.map((column) => sql`strpos(${folded(column)}, ${folded(text)}) > 0`),
    ],
    sql` or `,
  )})`;

/** The filter by a whole name, in any case, of records of which an organization has few. */
export const isNamed = (name: SQLWrapper) =>
  filter(searchText, (text) => sql`${folded(name)} = ${folded(text)}`);
