import { type SQL, sql } from "drizzle-orm";

/** The types of Postgres that a field of a row can have. */
type TypeOf<Value> = [NonNullable<Value>] extends [string]
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
 * Rows that a statement takes along, for its `from`: one parameter, whatever their number.
 * @param fields what of each row is read, and as which type
 */
export const recordset = <Row extends object>(
  alias: string,
  rows: readonly Row[],
  fields: { readonly [Field in keyof Row]?: TypeOf<Row[Field]> },
): SQL =>
  sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as ${sql.raw(
    `${alias} (${Object.entries(fields)
      .map(([name, type]) => `${name} ${type}`)
      .join(", ")})`,
  )}`;
