import { is, type SQL, sql } from "drizzle-orm";
import { PgColumn, type PgTable } from "drizzle-orm/pg-core";
import type { Columns } from "./collection.ts";

/** A column as it stands in JSON: timestamps in the form of every response. */
const inJson = (column: Columns[string]) =>
  is(column, PgColumn) && column.getSQLType().startsWith("timestamp")
    ? sql`to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    : sql`${column}`;

/**
 * Records that belong to another one, as a JSON array.
 * @param child.columns what is read of each
 * @param where which they are: those of the record of the surrounding select
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
