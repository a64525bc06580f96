import { type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";

/** The live versions of a table with history. */
export const liveVersions = (table: PgTable): SQL => sql`${table}.valid_to is null`;

/** The versions of an instant: `valid_from <= at < valid_to` (API contract, section 5). */
export const versionsAt = (table: PgTable, at: string): SQL => sql`(
  ${table}.valid_from <= ${at}::timestamptz
  and (${table}.valid_to is null or ${table}.valid_to > ${at}::timestamptz))`;

/** {@link versionsOf} for a table under an alias, which is a constant of ours. */
export const versionsAs = (alias: string, at: string | undefined): SQL => {
  const column = (name: string) => sql`${sql.identifier(alias)}.${sql.identifier(name)}`;
  return at === undefined
    ? sql`${column("valid_to")} is null`
    : sql`(${column("valid_from")} <= ${at}::timestamptz
        and (${column("valid_to")} is null or ${column("valid_to")} > ${at}::timestamptz))`;
};

/** The versions of an instant, or the live ones without one. */
export const versionsOf = (table: PgTable, at: string | undefined): SQL =>
  at === undefined ? liveVersions(table) : versionsAt(table, at);
