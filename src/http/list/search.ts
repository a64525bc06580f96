import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { folded } from "../../database/folded.ts";
import { searchText } from "../input/text.ts";
import { filter } from "./filter.ts";

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
