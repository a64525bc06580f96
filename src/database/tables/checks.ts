import { type SQL, sql } from "drizzle-orm";
import { check, type PgColumn } from "drizzle-orm/pg-core";

/** Texts as literals with commas between them. */
export const list = (values: readonly string[]) =>
  sql.raw(values.map((value) => `'${value.replaceAll("'", "''")}'`).join(", "));

/**
 * Texts as one literal: for each statement that writes, Postgres reads the expressions of all checks of the table
 * anew, and one of many literals takes it many times as long.
 * @throws {Error} where a text is no plain name, which would need quotes
 */
function arrayOf(values: readonly string[]): SQL {
  const strange = values.find((value) => !/^\w+$/.test(value) || /^null$/i.test(value));
  if (strange !== undefined) {
    throw new Error(`not a name: ${strange}`);
  }
  return sql.raw(`'{${values.join(",")}}'::text[]`);
}

/** The condition that a text holds one of `values` (or null, where it may). */
export const oneOf = (text: PgColumn | SQL, values: readonly string[]): SQL =>
  sql`${text} = any (${arrayOf(values)})`;

/** The condition that an array column holds only `values`. */
export const someOf = (column: PgColumn, values: readonly string[]): SQL =>
  sql`${column} <@ ${arrayOf(values)}`;

/** The checks of a name and a description (API contract, section 7). */
export const named = (
  table: string,
  { name, description }: Record<"name" | "description", PgColumn>,
) => [
  check(`${table}_name_check`, sql`char_length(${name}) between 1 and 100`),
  check(`${table}_description_check`, sql`char_length(${description}) between 1 and 500`),
];

/** The condition that a text, where there is one, has a length from 1 to `maximum`. */
export const upTo = (column: PgColumn | SQL, maximum: number): SQL =>
  sql`char_length(${column}) between 1 and ${sql.raw(String(maximum))}`;
