import { Column, fillPlaceholders, is } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { drizzle } from "drizzle-orm/neon-http";
import type { Database } from "./connection.ts";

/** A select as Drizzle builds it, as far as it is used here. */
type Select = BatchItem<"pg"> & {
  readonly _: { readonly selectedFields: Record<string, unknown> };
  prepare(name: string): PreparedSelect;
};

/** What Drizzle's batch asks of a query. */
interface PreparedSelect {
  getQuery(): { sql: string; params: unknown[] };
  mapResult(response: { rows: unknown[][] }): unknown;
}

/** A session that builds SQL and sends none. */
const builder: Database = drizzle.mock();

/**
 * A family of selects of which each member's SQL is built once per isolate; a use only fills in its
 * values. Building the SQL of a list costs Drizzle more than all else that the Worker does for it.
 * Drizzle's own prepared queries cannot take part in a batch.
 *
 * @param keyOf what makes two members the same SQL
 * @param build the select, with a `sql.placeholder` for every value
 * @example
 * const byId = statements(() => "", (database) =>
 *   database.select().from(tags).where(eq(tags.id, sql.placeholder("id"))));
 * await tenant.run(() => [byId(null, { id })]);
 */
export function statements<Shape, Query extends Select>(
  keyOf: (shape: Shape) => string,
  build: (database: Database, shape: Shape) => Query,
): (shape: Shape, values: Record<string, unknown>) => Query {
  const known = new Map<string, { sql: string; params: unknown[]; mapRow: RowMapper }>();
  return (shape, values) => {
    const key = keyOf(shape);
    let statement = known.get(key);
    if (!statement) {
      const query = build(builder, shape);
      statement = { ...query.prepare("").getQuery(), mapRow: rowMapper(query._.selectedFields) };
      known.set(key, statement);
    }
    const { sql, params, mapRow } = statement;
    const bound: PreparedSelect & { isResponseInArrayMode(): boolean } = {
      getQuery: () => ({ sql, params: fillPlaceholders(params, values) }),
      isResponseInArrayMode: () => true,
      mapResult: ({ rows }) => rows.map(mapRow),
    };
    // This is all that Drizzle's batch looks at; the result's type is that of the select.
    return { _prepare: () => bound } as unknown as Query;
  };
}

type RowMapper = (row: unknown[]) => Record<string, unknown>;

/** Maps rows as Drizzle does, but decides once per statement and not per cell how. */
function rowMapper(fields: Record<string, unknown>): RowMapper {
  const parts = Object.entries(fields).map(([name, field]) =>
    isGroup(field)
      ? { name, group: Object.entries(field).map(decoderOf) }
      : decoderOf([name, field]),
  );
  return (row) => {
    const mapped: Record<string, unknown> = {};
    let position = 0;
    for (const part of parts) {
      if ("group" in part) {
        const end = position + part.group.length;
        // The empty side of a left join.
        const isThere = row.slice(position, end).some((cell) => cell !== null);
        const record: Record<string, unknown> = {};
        for (const { name, decode } of part.group) {
          record[name] = decode(row[position++]);
        }
        mapped[part.name] = isThere ? record : null;
      } else {
        mapped[part.name] = part.decode(row[position++]);
      }
    }
    return mapped;
  };
}

const isGroup = (field: unknown): field is Record<string, unknown> =>
  typeof field === "object" && field !== null && Object.getPrototypeOf(field) === Object.prototype;

function decoderOf([name, field]: [string, unknown]) {
  const decodes =
    is(field, Column) && field.mapFromDriverValue !== Column.prototype.mapFromDriverValue;
  const decode = decodes
    ? (cell: unknown) => (cell === null ? null : field.mapFromDriverValue(cell))
    : (cell: unknown) => cell;
  return { name, decode };
}
