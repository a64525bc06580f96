import { sql } from "drizzle-orm";
import { bigint, customType, uuid } from "drizzle-orm/pg-core";

/**
 * An instant with milliseconds, as JavaScript and the wire have it, in the wire's own form:
 * RFC 3339 in UTC, `2026-04-22T15:57:37.843Z`.
 */
export const timestamp = customType<{ data: string; driverData: string }>({
  dataType: () => "timestamp(3) with time zone",
  fromDriver: rfc3339,
});

/** Text that every database sorts alike: by code point (API contract, section 3). */
export const sortableText = customType<{ data: string }>({
  dataType: () => 'text COLLATE "C"',
});

/** Raw bytes: hexadecimal text in TypeScript, a `\x…` literal in Postgres. */
export const bytes = customType<{ data: string; driverData: string }>({
  dataType: () => "bytea",
  toDriver: (hex) => `\\x${hex}`,
  fromDriver: (literal) => literal.slice(2),
});

/**
 * The identifier that every record has: unique within its organization, where it belongs to one. The database
 * makes those of closed versions, and of what is written without one.
 */
export const id = () => uuid().notNull().default(sql`app.uuid_v7()`);

/**
 * What every record carries. `app.touch` and `app.change_record` move `updated_at` and raise
 * `revision` with every visible change, whoever makes it.
 */
export const times = () => ({
  created_at: timestamp().notNull().default(sql`now()`),
  updated_at: timestamp().notNull().default(sql`now()`),
  revision: bigint({ mode: "number" }).notNull().default(1),
});

/**
 * Turns Postgres' `2026-04-22 15:57:37.8+00` into RFC 3339, and leaves what is already so. Text is sliced instead of going through
 * `Date`, as a list of 1,000 records has 5,000 of them; sessions run in UTC (see the gate).
 */
export function rfc3339(text: string): string {
  if (text.endsWith("Z")) {
    return text;
  }
  if (!text.endsWith("+00") || text.length > 26) {
    return new Date(text).toISOString();
  }
  const fraction = text.slice(20, -3);
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, "0")}Z`;
}
