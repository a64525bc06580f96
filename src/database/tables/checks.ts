import { type SQL, sql } from "drizzle-orm";
import { check, type PgColumn } from "drizzle-orm/pg-core";

/** Returns SQL with the strings as a comma-separated list of literals. */
export const list = (values: readonly string[]) =>
  sql.raw(values.map((value) => `'${value.replaceAll("'", "''")}'`).join(", "));

/**
 * Returns SQL with the strings as one array literal. Postgres parses all check expressions of a
 * table again for each statement that writes to it, and an expression with many literals takes many
 * times longer to parse than one with an array literal.
 * @throws {Error} if a string is not a plain name and would need quotes
 */
function arrayOf(values: readonly string[]): SQL {
  const strange = values.find((value) => !/^\w+$/.test(value) || /^null$/i.test(value));
  if (strange !== undefined) {
    throw new Error(`not a name: ${strange}`);
  }
  return sql.raw(`'{${values.join(",")}}'::text[]`);
}

/** True if a string is null or one of `values`. */
export const oneOf = (text: PgColumn | SQL, values: readonly string[]): SQL =>
  sql`${text} = any (${arrayOf(values)})`;

/** True if an array column contains only `values`. */
export const someOf = (column: PgColumn, values: readonly string[]): SQL =>
  sql`${column} <@ ${arrayOf(values)}`;

/** The checks for a name and a description (API contract, section 7). */
export const named = (
  table: string,
  { name, description }: Record<"name" | "description", PgColumn>,
) => [
  check(`${table}_name_check`, sql`char_length(${name}) between 1 and 100`),
  check(`${table}_description_check`, sql`char_length(${description}) between 1 and 500`),
];

/** True if a string is null or 1 to `maximum` characters long. */
export const upTo = (column: PgColumn | SQL, maximum: number): SQL =>
  sql`char_length(${column}) between 1 and ${sql.raw(String(maximum))}`;
