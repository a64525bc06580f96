import { getTableColumns } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";

/** A function in the schema `app`, generated from declarations. */
export interface GeneratedFunction {
  name: string;
  text: string;
  /** The table that it belongs to, if there is exactly one. */
  table?: string;
}

export const hasColumn = (table: PgTable, name: string): boolean => name in getTableColumns(table);

/** Converts `IPAddress` to `ip_address`. */
export const snakeCase = (entity: string): string =>
  entity.replaceAll(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, "_").toLowerCase();

export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const maximumWidth = 104;

/** Joins items with commas, in lines of at most 104 characters. */
export function lines(items: readonly string[], indent: string): string {
  const wrapped: string[] = [];
  for (const item of items) {
    const line = wrapped.at(-1);
    if (line === undefined || `${indent}${line}, ${item},`.length > maximumWidth) {
      wrapped.push(item);
    } else {
      wrapped[wrapped.length - 1] = `${line}, ${item}`;
    }
  }
  return wrapped.map((line) => `${indent}${line}`).join(",\n");
}

/** Generates a trigger function that writes as the owner. */
export const triggerFunction = (name: string, body: string, settings = ""): string => `\
create or replace function app.${name}() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp${settings} as $$
${body}
$$;
`;
