import { is, type SQL, sql } from "drizzle-orm";
import { PgColumn, type PgTable } from "drizzle-orm/pg-core";
import type { Columns } from "./collection.ts";

/** A column in JSON, with timestamps in the format that every response uses. */
const inJson = (column: Columns[string]) =>
  is(column, PgColumn) && column.getSQLType().startsWith("timestamp")
    ? sql`to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    : sql`${column}`;

/**
 * The children of a record, as a JSON array.
 * @param child.columns the columns to read from each child
 * @param where selects the children of the record in the surrounding select
 */
export const childrenOf = <Row>(
  child: { table: PgTable; columns: Columns },
  where: SQL,
  order: SQL,
): SQL<Row[]> => {
  const columns = sql.join(
    Object.entries(child.columns).map(
      ([name, column]) => sql`${inJson(column)} as ${sql.identifier(name)}`,
    ),
    sql`, `,
  );
  return sql<Row[]>`(
    select coalesce(json_agg(row_to_json(child)), '[]')
    from (select ${columns} from ${child.table} where ${where} order by ${order}) as child)`;
};
