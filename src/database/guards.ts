import { type SQL, sql } from "drizzle-orm";
import type { ErrorCode, ErrorParams } from "../errors.ts";
import type { Database } from "./connection.ts";

/** A select of the `code` and the `params` of an error, or of no row where all is well. */
export type Guard = SQL;

/** A guard with fixed parameters, which refuses when a condition holds. */
export const guardWhen = <Code extends ErrorCode>(
  condition: SQL,
  code: Code,
  params: ErrorParams<Code>,
): Guard =>
  sql`select ${code}::text as code, ${JSON.stringify(params)}::jsonb as params where ${condition}`;

/** A query that ends the batch with the first error among these guards, and undoes it. */
export const abortOnFirst = (database: Database, guards: readonly Guard[]) => {
  const ranked = guards.map(
    (guard, rank) => sql`(select ${rank}::int as rank, * from (${guard}) as guard)`,
  );
  return database.execute(sql`
    select app.abort(due.code, due.params)
    from (select * from (${sql.join(ranked, sql` union all `)}) as guard order by rank limit 1) as due`);
};
