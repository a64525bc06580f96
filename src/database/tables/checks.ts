import { type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";

const list = (values: readonly string[]) =>
  sql.raw(values.map((value) => `'${value.replaceAll("'", "''")}'`).join(", "));

/** The condition that a text column holds one of `values` (or null, where it may). */
export const oneOf = (column: PgColumn, values: readonly string[]): SQL =>
  sql`${column} in (${list(values)})`;

/** The condition that an array column holds only `values`. */
export const someOf = (column: PgColumn, values: readonly string[]): SQL =>
  sql`${column} <@ array[${list(values)}]`;
