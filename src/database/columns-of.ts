import { getTableColumns, getTableName, is, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { PgColumn, type PgTable } from "drizzle-orm/pg-core";
import type * as z from "zod";
import { dialect } from "./dialect.ts";

/** What a column holds when it is read. */
type Cell<Read> = Read extends PgColumn
  ? Read["_"]["data"] | (Read["_"]["notNull"] extends true ? never : null)
  : Read extends SQL<infer Value>
    ? Value
    : never;

/** A row of some columns and expressions. */
export type RowOf<Columns> = { [Name in keyof Columns]: Cell<Columns[Name]> };

/** The columns of a table whose names are fields of a schema. */
type ColumnsOf<Table extends PgTable, Shape> = {
  [Name in keyof Table["_"]["columns"] & keyof Shape]: Table["_"]["columns"][Name];
};

/** The fields whose columns hold something else than the schema says; never if all fit. */
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
 * The columns of a table that a response shows: those whose names are fields of its schema. It is an
 * allow-list, so a column that is added later stays private until the schema names it; a column
 * whose type does not fit its field does not compile.
 */
export function columnsOf<Table extends PgTable, Shape extends z.core.$ZodShape>(
  table: Table,
  schema: z.ZodObject<Shape> &
    ([Misfit<Table, Shape>] extends [never] ? unknown : { misfit: Misfit<Table, Shape> }),
): ColumnsOf<Table, Shape> {
  const columns = Object.entries<PgColumn>(getTableColumns(table)).filter(
    ([name]) => name in schema.shape,
  );
  // The type lists the same names, which TypeScript cannot see through `fromEntries`.
  return Object.fromEntries(columns) as ColumnsOf<Table, Shape>;
}

/** Columns of a table by their names, also for the types of a `recordset`. */
export function pickColumns<
  Table extends PgTable,
  Name extends keyof Table["_"]["columns"] & string,
>(table: Table, ...names: readonly Name[]): Pick<Table["_"]["columns"], Name> {
  const columns = Object.entries<PgColumn>(getTableColumns(table)).filter(([name]) =>
    names.some((wanted) => wanted === name),
  );
  return Object.fromEntries(columns) as Pick<Table["_"]["columns"], Name>;
}

/** A name as SQL writes it: one of a table or a column, which never holds a quote. */
const quoted = (name: string) => `"${name}"`;

/** Expressions that were written before; with their text from the second time on, if they have no parameters. */
const texts = new WeakMap<SQLWrapper, SQL | null>();

/**
 * An expression, whose text is put together once: to do so for each request is much of what Drizzle does. One that is
 * made for a request is never seen twice.
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

/** A column or an expression under a name. Columns are most of every list: their text costs Drizzle nothing. */
const under = (name: string, column: SQLWrapper): SQL =>
  is(column, PgColumn)
    ? sql.raw(`${quoted(getTableName(column.table))}.${quoted(column.name)} as ${quoted(name)}`)
    : sql`${written(column)} as ${sql.raw(quoted(name))}`;

/** Columns and expressions as the list of a select, each under its name. */
export const selectionOf = (columns: Readonly<Record<string, SQLWrapper>>): SQL =>
  sql.join(
    Object.entries(columns).map(([name, column]) => under(name, column)),
    sql`, `,
  );

/** How many bytes some columns are together, as text. */
export const lengthsOf = (columns: readonly PgColumn[]): SQL =>
  sql.join(
    columns.map((column) => sql`coalesce(octet_length(${column}::text), 0)`),
    sql` + `,
  );

/** What rows of a larger select hold in these columns. */
export const pickOf = <Read extends Readonly<Record<string, SQLWrapper>>>(columns: Read) => {
  const names = Object.keys(columns);
  return (row: Readonly<Record<string, unknown>>): RowOf<Read> => {
    const picked: Record<string, unknown> = {};
    for (const name of names) {
      picked[name] = row[name];
    }
    // The select has read these columns, under these names.
    return picked as RowOf<Read>;
  };
};

/** What a row of a larger select holds in these columns. */
export const pick = <Read extends Readonly<Record<string, SQLWrapper>>>(
  columns: Read,
  row: Readonly<Record<string, unknown>>,
): RowOf<Read> => pickOf(columns)(row);
