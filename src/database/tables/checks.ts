import { type SQL, sql } from "drizzle-orm";
import { check, type PgColumn } from "drizzle-orm/pg-core";

/** Texts as literals with commas between them. */
export const list = (values: readonly string[]) =>
  sql.raw(values.map((value) => `'${value.replaceAll("'", "''")}'`).join(", "));

/** The condition that a text holds one of `values` (or null, where it may). */
export const oneOf = (text: PgColumn | SQL, values: readonly string[]): SQL =>
  sql`${text} in (${list(values)})`;

/** The condition that an array column holds only `values`. */
export const someOf = (column: PgColumn, values: readonly string[]): SQL =>
  sql`${column} <@ array[${list(values)}]`;

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
