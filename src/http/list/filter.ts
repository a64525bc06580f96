import type { SQL } from "drizzle-orm";
import * as z from "zod";
import type { Instant } from "../../database/history.ts";
import { id } from "../input/id.ts";
import { searchText } from "../input/text.ts";

/** A query parameter that narrows a list. */
export interface Filter<Schema extends z.ZodType = z.ZodType> {
  schema: Schema;
  /**
   * The condition that a record matches.
   * @param at the instant that is listed, of records with history
   */
  matches(value: z.output<Schema>, at: Instant | undefined): SQL;
  /** Whether what matches is found before it is counted and ordered (see `Selection`). */
  findsFirst: boolean;
}

/** Filters of a list, by the names of their parameters. They combine with AND. */
export type Filters = Readonly<Record<string, Filter>>;

/**
 * A filter, its value typed by its schema.
 * @param options.findsFirst for what finds few, such as the parts of a host, whatever Postgres expects
 */
export const filter = <Schema extends z.ZodType>(
  schema: Schema,
  matches: Filter<Schema>["matches"],
  { findsFirst = false }: { findsFirst?: boolean } = {},
): Filter<Schema> => ({ schema, matches, findsFirst });

/** A filter by what somebody typed. Expensive, so it runs once for count and page. */
export const searchFilter = (matches: Filter<typeof searchText>["matches"]) =>
  filter(searchText, matches, { findsFirst: true });

/** How many ids one request may name. More would soon not fit into a URL (16 KB). */
const maximumIds = 100;

/** Ids, one for each time the parameter is given. */
export const ids = z
  .custom<string | string[]>()
  .transform((value) => (Array.isArray(value) ? value : [value]))
  .pipe(z.array(id).max(maximumIds, { error: `must be given at most ${maximumIds} times` }))
  .meta({
    input: {
      type: "array",
      items: { type: "string", format: "uuid", maxLength: 36 },
      maxItems: maximumIds,
    },
  });

/** The query parameters of filters, all of them optional. */
export const filterQuery = <Each extends Filters>(filters: Each) =>
  Object.fromEntries(
    Object.entries(filters).map(([name, { schema }]) => [name, schema.optional()]),
  ) as { [Name in keyof Each]: z.ZodOptional<Each[Name]["schema"]> };

/** The conditions of the filters that a query uses. */
export const matchesOf = (
  filters: Filters,
  query: Readonly<Record<string, unknown>>,
  at: Instant | undefined,
): SQL[] =>
  Object.entries(filters).flatMap(([name, { matches }]) =>
    query[name] === undefined ? [] : [matches(query[name], at)],
  );
