import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { folded } from "../../database/folded.ts";

/** The condition that a record has this id, or that one of its texts contains this one, in any case. */
export const contains = (text: string, id: SQLWrapper, texts: readonly SQLWrapper[]): SQL =>
  sql`(${sql.join(
    [
      sql`${id}::text = lower(${text})`,
      ...texts.map((column) => sql`strpos(${folded(column)}, ${folded(text)}) > 0`),
    ],
    sql` or `,
  )})`;
