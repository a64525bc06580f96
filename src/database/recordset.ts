import { is, type SQL, sql } from "drizzle-orm";
import { PgColumn } from "drizzle-orm/pg-core";

/** The Postgres types that can hold a value. */
type TypeName<Value> = [NonNullable<Value>] extends [string]
  ? "uuid" | "text" | "inet" | "timestamptz"
  : [NonNullable<Value>] extends [number]
    ? "int" | "bigint"
    : [NonNullable<Value>] extends [boolean]
      ? "boolean"
      : [NonNullable<Value>] extends [readonly string[]]
        ? "uuid[]" | "text[]"
        : [NonNullable<Value>] extends [Date]
          ? "timestamptz"
          : "jsonb";

/**
 * The type of a field in a row or in a union of rows; `never` for a field that none of the rows
 * has.
 */
type ValueOf<Row, Name> = Row extends unknown
  ? Name extends keyof Row
    ? Row[Name]
    : never
  : never;

/** The given type, if a value of the field fits it; any type if the field is `unknown`. */
type TypeFor<Value, Given> = [Value] extends [never]
  ? never
  : unknown extends Value
    ? Given
    : Given extends PgColumn
      ? NonNullable<Value> extends Given["_"]["data"]
        ? Given
        : never
      : TypeName<Value>;

/**
 * Rows of data as a FROM item of a statement. They are passed as one parameter, regardless of their
 * number. The limit tells Postgres how many rows there are. Without it, Postgres expects 100 rows,
 * and reads a whole organization instead of looking up a few keys.
 * @param fields the fields to read, each with a column of the same type or the name of a type
 * @example recordset("sent", rows, { ...pickColumns(ports, "id", "number"), path: "text" })
 */
export const recordset = <
  Row extends object,
  const Fields extends Readonly<Record<string, PgColumn | string>>,
>(
  alias: string,
  rows: readonly Row[],
  fields: Fields & { readonly [Name in keyof Fields]: TypeFor<ValueOf<Row, Name>, Fields[Name]> },
): SQL =>
  sql`(select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as ${sql.raw(
    `${alias} (${Object.entries<PgColumn | string>(fields)
      .map(([name, type]) => `${name} ${is(type, PgColumn) ? type.getSQLType() : type}`)
      .join(", ")})`,
  )} limit ${rows.length}) as ${sql.raw(alias)}`;
