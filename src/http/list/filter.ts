import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type * as z from "zod";
import type { Selection } from "../../database/collection.ts";
import { folded } from "../../database/folded.ts";
import type { Versions } from "../../database/history.ts";
import { id } from "../input/id.ts";
import { externalId } from "../input/own-data.ts";
import { repeated } from "../input/repeated.ts";
import { searchText } from "../input/text.ts";

/** A query parameter that narrows a list by a condition. */
interface Narrows<Schema extends z.ZodType> {
  schema: Schema;
  /**
   * Returns the condition that a record must meet.
   * @param versions the listed versions, for records with history
   */
  matches(value: z.output<Schema>, versions: Versions): SQL;
  /** True to find the matches before counting and ordering them (see `Selection`). */
  findsFirst: boolean;
  /** True if the condition uses only columns of the record itself (see `Selection`). */
  isByColumns: boolean;
  /** Returns the same condition on the counts of live records (see `Selection`). */
  matchesDeltas?: ((value: z.output<Schema>) => SQL) | undefined;
}

/** A query parameter whose search returns the records themselves. */
interface Finds<Schema extends z.ZodType> {
  schema: Schema;
  /** Returns the versions that match the value, as {@link Selection.found}. */
  finds(value: z.output<Schema>, versions: Versions): SQL;
}

/** A query parameter that narrows a list. */
export type Filter<Schema extends z.ZodType = z.ZodType> = Narrows<Schema> | Finds<Schema>;

/** A list's filters, by parameter name. They are combined with AND. */
export type Filters = Readonly<Record<string, Filter>>;

/**
 * Creates a filter whose value is typed by its schema.
 * @param options.findsFirst true if the filter has few matches, which must be found first because
 * Postgres might overestimate their number
 */
export const filter = <Schema extends z.ZodType>(
  schema: Schema,
  matches: Narrows<Schema>["matches"],
  { findsFirst = false }: { findsFirst?: boolean } = {},
): Narrows<Schema> => ({ schema, matches, findsFirst, isByColumns: false });

/**
 * Creates a filter on columns of the record itself. It is evaluated for every chunk of a stream.
 * @param options.matchesDeltas the same condition on the counts of live records, so that the list
 * can be counted without reading the records
 */
export const columnFilter = <Schema extends z.ZodType>(
  schema: Schema,
  matches: Narrows<Schema>["matches"],
  { matchesDeltas }: Pick<Narrows<Schema>, "matchesDeltas"> = {},
): Narrows<Schema> => ({ schema, matches, findsFirst: false, isByColumns: true, matchesDeltas });

/**
 * Creates a filter by search text. The search is expensive, so it runs only once, for the count and
 * the page together.
 */
export const searchFilter = (matches: Narrows<typeof searchText>["matches"]) =>
  filter(searchText, matches, { findsFirst: true });

/** Like {@link searchFilter}, but calls a database function. A list has at most one such filter. */
export const searches = (finds: Finds<typeof searchText>["finds"]): Finds<typeof searchText> => ({
  schema: searchText,
  finds,
});

/** Maximum number of ids per request. With its name, an id takes 41 of the 16 KB of a URL. */
const maximumIds = 350;

/** The schema of ids, one for each occurrence of the parameter. */
export const ids = repeated(id, maximumIds, { type: "string", format: "uuid", maxLength: 36 });

/** Returns the query parameters of filters, all optional. */
export const filterQuery = <Each extends Filters>(filters: Each) =>
  Object.fromEntries(
    Object.entries(filters).map(([name, { schema }]) => [name, schema.optional()]),
  ) as { [Name in keyof Each]: z.ZodOptional<Each[Name]["schema"]> };

/** Returns the selection made by the filters that a query uses. */
export function selectedBy(
  filters: Filters,
  query: Readonly<Record<string, unknown>>,
  versions: Versions,
): Pick<Selection, "matches" | "matchesDeltas" | "found" | "findsFirst" | "isByColumns"> {
  const used = Object.entries(filters).filter(([name]) => query[name] !== undefined);
  const matches: SQL[] = [];
  let matchesDeltas: SQL[] | undefined = [];
  let found: SQL | undefined;
  let findsFirst = false;
  let isByColumns = true;
  for (const [name, filter] of used) {
    if ("finds" in filter) {
      found = filter.finds(query[name], versions);
      findsFirst = true;
      isByColumns = false;
      matchesDeltas = undefined;
    } else {
      matches.push(filter.matches(query[name], versions));
      findsFirst ||= filter.findsFirst;
      isByColumns &&= filter.isByColumns;
      const condition = filter.matchesDeltas?.(query[name]);
      matchesDeltas = condition && matchesDeltas?.concat(condition);
    }
  }
  return { matches, matchesDeltas, found, findsFirst, isByColumns };
}

/** True for a record that has this id or one of whose `texts` contains `text`, ignoring case. */
export const contains = (text: string, id: SQLWrapper, texts: readonly SQLWrapper[]): SQL =>
  sql`(${sql.join(
    [
      sql`${id}::text = lower(${text})`,
      ...texts.map((column) => sql`strpos(${folded(column)}, ${folded(text)}) > 0`),
    ],
    sql` or `,
  )})`;

/**
 * Creates a filter by exact name, ignoring case. It is for kinds of records of which an
 * organization has only a few.
 */
export const isNamed = (name: SQLWrapper) =>
  filter(searchText, (text) => sql`${folded(name)} = ${folded(text)}`);

/** Creates a filter by external id, for kinds of records without history. */
export const hasExternalId = (external_id: SQLWrapper) =>
  filter(externalId, (text) => sql`${external_id} = ${text}`, { findsFirst: true });
