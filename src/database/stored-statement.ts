import { getTableName, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { dialect } from "./dialect.ts";
import { hash } from "./hash.ts";

/**
 * A statement about one record that Postgres stores as a function, so that it keeps the statement's
 * plan. `npm run migrate` creates the function.
 */
export interface StoredStatement {
  /**
   * The name of the function in the schema `app`. It contains a hash of the text, so that Workers
   * with different texts use different functions during a deployment.
   */
  name: string;
  /** The name of the table that contains the record. */
  table: string;
  /** The statement. `$1` is the id of the record. */
  text: string;
}

/**
 * Renders a statement for {@link StoredStatement}. This takes as long as sending it without a
 * function, so callers cache the result.
 * @param build the statement, given an expression for the id
 */
export function storedStatement(table: PgTable, build: (id: SQL) => SQL): StoredStatement {
  const { sql: rendered, params } = dialect.sqlToQuery(build(sql.raw("$1")).inlineParams());
  if (params.length > 0) {
    throw new Error("A stored statement can have only one parameter, the id.");
  }
  const text = rendered.trim();
  const digest = hash(text).toString(16).padStart(14, "0");
  return { name: `read_${getTableName(table)}_${digest}`, table: getTableName(table), text };
}

/** Calls the function of a stored statement. */
export const callStored = ({ name }: StoredStatement, id: string | SQL): SQL =>
  sql`select * from app.${sql.raw(name)}(${id})`;
