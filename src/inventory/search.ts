import { type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { hasIdOf, type Instant, versionsAs } from "../database/history.ts";
import { id } from "../http/input/id.ts";

/** The tables whose records are found by a part of their texts. */
type Searchable = "hosts" | "ip_addresses" | "services" | "subnets";

/** A select of the ids of versions, of which indexes serve each part alone: an OR would defeat them. */
export const isAnyOf = (table: PgTable, selects: readonly SQL[]): SQL =>
  sql`${table}.id in (${sql.join([...selects], sql` union all `)})`;

/**
 * The versions that contain a text, in any case. A function such as `app.search_hosts` reads an index, as
 * row level security lets no caller's `like` use one: that of trigrams, or that of pairs for a text that
 * has no three letters or digits in a row, or signs that trigrams leave out.
 */
export const containing = (table: Searchable, text: string, at: Instant | undefined): SQL =>
  sql`select app.${sql.identifier(`search_${table}`)}(${text}, ${at ?? null}::timestamptz)`;

/** The version of the record that has this id, where the text is one. */
export const withId = (table: PgTable, text: string, at: Instant | undefined): SQL[] => {
  const { data, success } = id.safeParse(text);
  return success ? [sql`select ${table}.id from ${table} where ${hasIdOf(table, [data], at)}`] : [];
};

/** The versions of a table for which a condition holds. */
export const matching = (table: PgTable, condition: SQL, at: Instant | undefined): SQL =>
  sql`select ${table}.id from ${table} where ${condition} and ${versionsAs(table, at)}`;
