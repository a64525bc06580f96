import { type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";

/** Texts as literals with commas between them. */
export const list = (values: readonly string[]) =>
  sql.raw(values.map((value) => `'${value.replaceAll("'", "''")}'`).join(", "));

/** The condition that a text holds one of `values` (or null, where it may). */
export const oneOf = (text: PgColumn | SQL, values: readonly string[]): SQL =>
  sql`${text} in (${list(values)})`;

/** The condition that an array column holds only `values`. */
export const someOf = (column: PgColumn, values: readonly string[]): SQL =>
  sql`${column} <@ array[${list(values)}]`;
