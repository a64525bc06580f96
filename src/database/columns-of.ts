import { getTableColumns, getTableName, is, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { PgColumn, type PgTable } from "drizzle-orm/pg-core";
import type * as z from "zod";
import { Children } from "./children.ts";
import { dialect } from "./dialect.ts";

/** The type of a column's value when it is read. */
type Cell<Read> = Read extends PgColumn
  ? Read["_"]["data"] | (Read["_"]["notNull"] extends true ? never : null)
  : Read extends SQL<infer Value>
    ? Value
    : never;

/** The row that a selection of columns and expressions returns. */
export type RowOf<Columns> = { [Name in keyof Columns]: Cell<Columns[Name]> };

/** The columns of a table whose names are fields of a schema. */
type ColumnsOf<Table extends PgTable, Shape> = {
  [Name in keyof Table["_"]["columns"] & keyof Shape]: Table["_"]["columns"][Name];
};

/** The fields whose columns do not fit the type in the schema; `never` if all fit. */
type Misfit<Table extends PgTable, Shape> = {
  [Name in keyof Table["_"]["columns"] & keyof Shape]: Cell<Table["_"]["columns"][Name]> extends (
    Shape[Name] extends z.ZodType
      ? z.output<Shape[Name]>
      : never
  )
    ? never
    : Name;
}[keyof Table["_"]["columns"] & keyof Shape];

/**
 * The columns of a table whose names are fields of the response schema. It is an allow-list: a
 * column that is added later stays private until the schema names it. If a column's type does not
 * fit its field, the call does not compile.
 */
export function columnsOf<Table extends PgTable, Shape extends z.core.$ZodShape>(
  table: Table,
  schema: z.ZodObject<Shape> &
    ([Misfit<Table, Shape>] extends [never] ? unknown : { misfit: Misfit<Table, Shape> }),
): ColumnsOf<Table, Shape> {
  const columns = Object.entries<PgColumn>(getTableColumns(table)).filter(
    ([name]) => name in schema.shape,
  );
  // The object has the names that the type lists, but the type that `fromEntries` returns does not.
  return Object.fromEntries(columns) as ColumnsOf<Table, Shape>;
}

/** Picks columns of a table by name, for example to give the types of a `recordset`. */
export function pickColumns<
  Table extends PgTable,
  Name extends keyof Table["_"]["columns"] & string,
>(table: Table, ...names: readonly Name[]): Pick<Table["_"]["columns"], Name> {
  const columns = Object.entries<PgColumn>(getTableColumns(table)).filter(([name]) =>
    names.some((picked) => picked === name),
  );
  return Object.fromEntries(columns) as Pick<Table["_"]["columns"], Name>;
}

/** Quotes a table or column name. Such names never contain a quote. */
const quoted = (name: string) => `"${name}"`;

/**
 * The expressions that have already been used. The value is null after the first use. After the
 * second use, the value is the expression to write: fixed text, if the expression has no
 * parameters.
 */
const texts = new WeakMap<SQLWrapper, SQL | null>();

/**
 * Caches the text of an expression, because rendering expressions for each request is a large part
 * of Drizzle's work. The text is not cached until the second use, because an expression that is
 * built for each request is never used twice.
 */
export function written(expression: SQLWrapper): SQL {
  const known = texts.get(expression);
  if (known) {
    return known;
  }
  const own = sql`${expression}`;
  if (known === undefined) {
    texts.set(expression, null);
    return own;
  }
  const { sql: text, params } = dialect.sqlToQuery(own);
  const fixed = params.length === 0 ? sql.raw(text) : own;
  texts.set(expression, fixed);
  return fixed;
}

/**
 * Returns SQL for a column or an expression with an alias. Columns, which make up most of every
 * list, are rendered without Drizzle.
 */
const under = (name: string, column: SQLWrapper): SQL =>
  is(column, PgColumn)
    ? sql.raw(`${quoted(getTableName(column.table))}.${quoted(column.name)} as ${quoted(name)}`)
    : sql`${written(column)} as ${sql.raw(quoted(name))}`;

/** Returns a select list of columns and expressions, each with its name as the alias. */
export const selectionOf = (columns: Readonly<Record<string, SQLWrapper>>): SQL =>
  sql.join(
    Object.entries(columns).map(([name, column]) => under(name, column)),
    sql`, `,
  );

/** Returns a function that picks these columns from the rows of a larger select. */
export const pickOf = <Read extends Readonly<Record<string, SQLWrapper>>>(columns: Read) => {
  const entries = Object.entries(columns);
  return (row: Readonly<Record<string, unknown>>): RowOf<Read> => {
    const picked: Record<string, unknown> = {};
    for (const [name, column] of entries) {
      picked[name] = column instanceof Children ? column.decode(row[name]) : row[name];
    }
    // The select returns these columns under these names.
    return picked as RowOf<Read>;
  };
};

/** Picks these columns from a row of a larger select. */
export const pick = <Read extends Readonly<Record<string, SQLWrapper>>>(
  columns: Read,
  row: Readonly<Record<string, unknown>>,
): RowOf<Read> => pickOf(columns)(row);
