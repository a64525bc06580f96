import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/** The condition that a record has this id, or that one of its texts contains this one, in any case. */
export const contains = (text: string, id: SQLWrapper, texts: readonly SQLWrapper[]): SQL =>
  sql`(${sql.join(
    [
      sql`${id}::text = lower(${text})`,
      ...texts.map((column) => sql`strpos(lower(${column}), lower(${text})) > 0`),
    ],
    sql` or `,
  )})`;
