import { getTableName, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { dialect } from "./dialect.ts";
import { hash } from "./hash.ts";

/**
 * A statement that Postgres stores as a function, so that it keeps the statement's plan. `npm run
 * migrate` creates the function.
 */
export interface StoredStatement {
  /**
   * The name of the function in the schema `app`. It contains a hash of the text, so that Workers
   * with different texts use different functions during a deployment.
   */
  name: string;
  /** The name of the table that contains the records. */
  table: string;
  /** The statement. `$1` is the first argument of the function. */
  text: string;
}

/**
 * Returns SQL for an argument of a stored statement, numbered from 1. Postgres derives the type of
 * the argument from its use.
 */
export const argument = (number: number): SQL => sql.raw(`$${number}`);

/** A table from which a stored statement reads records, and its columns. */
interface Stored {
  table: PgTable;
  columns: object;
}

/**
 * Returns a function that renders a statement for {@link StoredStatement}. Rendering takes as long
 * as sending the statement without a function, so it is done once for each set of columns.
 * @param verb the start of the function's name
 * @param build the statement, with {@link argument}s
 */
export function storedOnce<From extends Stored>(
  verb: string,
  build: (from: From) => SQL,
): (from: From) => StoredStatement {
  const statements = new WeakMap<object, StoredStatement>();
  return (from) => {
    const known = statements.get(from.columns);
    if (known) {
      return known;
    }
    const { sql: rendered, params } = dialect.sqlToQuery(build(from).inlineParams());
    if (params.length > 0) {
      throw new Error("A stored statement has no parameters other than its arguments.");
    }
    const table = getTableName(from.table);
    const text = rendered.trim();
    const digest = hash(text).toString(16).padStart(14, "0");
    const statement = { name: `${verb}_${table}_${digest}`, table, text };
    statements.set(from.columns, statement);
    return statement;
  };
}

/** Calls the function of a stored statement. */
export const callStored = (
  { name }: StoredStatement,
  ...values: readonly (string | number | SQL)[]
): SQL =>
  sql`select * from app.${sql.raw(name)}(${sql.join(
    values.map((value) => sql`${value}`),
    sql`, `,
  )})`;
