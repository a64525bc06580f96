import { is, SQL, type SQLWrapper, sql } from "drizzle-orm";
import { PgColumn, type PgTable } from "drizzle-orm/pg-core";

/** Columns and expressions of a child, by their names in the result. */
type ChildColumns = Readonly<Record<string, SQLWrapper>>;

/**
 * A column with the children of a record. Postgres returns a JSON array with an array of cells for
 * each child, since building objects would take it twice as long. It is a subquery for each record:
 * reading the children of all records on a page at once is not faster, because building the JSON
 * takes most of the time.
 */
export class Children<Row> extends SQL<Row[]> {
  /** Converts the value that Postgres returns into the rows. */
  readonly decode: (value: unknown) => unknown;

  constructor(statement: SQL, columns: ChildColumns) {
    super(statement.queryChunks);
    const toRow = rowDecoderOf(columns);
    this.decode = (value) => (Array.isArray(value) ? value.map(toRow) : value);
  }
}

/**
 * Creates a column with the children of a record.
 * @param child.columns the columns to read from each child
 * @param where selects the children of the record in the surrounding select
 */
export const childrenOf = <Row>(
  child: { table: PgTable; columns: ChildColumns },
  where: SQL,
  order: SQL,
): Children<Row> => {
  const cells = sql.join(
    Object.values(child.columns).map((column) => sql`${column}`),
    sql`, `,
  );
  return new Children(
    sql`(
    select coalesce(json_agg(child.cells), '[]') from (
      select json_build_array(${cells}) as cells from ${child.table} where ${where}
      order by ${order}) as child)`,
    child.columns,
  );
};

/** Returns a function that converts a child's cells to a row. */
function rowDecoderOf(columns: ChildColumns): (cells: readonly unknown[]) => object {
  const decoders = Object.entries(columns).map(([name, column]) => ({
    name,
    decode: cellDecoderOf(column),
  }));
  return (cells) => {
    const row: Record<string, unknown> = {};
    let index = 0;
    for (const { name, decode } of decoders) {
      row[name] = decode(cells[index++]);
    }
    return row;
  };
}

function cellDecoderOf(column: SQLWrapper): (cell: unknown) => unknown {
  if (column instanceof Children) {
    return column.decode;
  }
  return is(column, PgColumn)
    ? (cell) => (cell === null ? null : column.mapFromDriverValue(cell))
    : (cell) => cell;
}
