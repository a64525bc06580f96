import { type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Database } from "../../database/connection.ts";
import { recordset } from "../../database/recordset.ts";

/** The column with the id of the record that a row belongs to. */
type OwnerColumn = "host_id" | "service_id" | "interface_id";

/** An inventory table that requests write to. */
export interface WrittenTable<Owner extends OwnerColumn = OwnerColumn> {
  table: PgTable & { id: PgColumn };
  /** The entity name of a row in errors. */
  entity: string;
  /** The record that a row belongs to. */
  owner: { column: Owner; table: PgTable };
  /** The columns that requests can set. */
  columns: Readonly<Record<string, PgColumn>>;
  /** Fields of the rows that are not columns but are used in `expressions`, with their types. */
  helpers?: Readonly<Record<string, string>>;
  /** The values of computed columns, from the relations `sent` and `owner`. */
  expressions?: Readonly<Record<string, SQL>>;
}

/** Values by column. */
export type WrittenRow = Readonly<Record<string, unknown>> & { id: string };

const listOf = (names: readonly string[], of: (name: string) => SQL): SQL =>
  sql.join(names.map(of), sql`, `);

const sentRows = (
  { table, owner, columns, helpers }: WrittenTable,
  rows: readonly WrittenRow[],
): SQL => recordset("sent", rows, { id: table.id, [owner.column]: "uuid", ...columns, ...helpers });

const storedValue = ({ expressions }: WrittenTable, column: string): SQL =>
  expressions?.[column] ?? sql`sent.${sql.identifier(column)}`;

/**
 * True for the stored row of a sent row, if it belongs to one of the owners in the request: a row
 * can move only between these owners. With `is true`, Postgres looks the row up by its id only. A
 * lookup by owner would read all versions of all children of a host.
 */
const isStoredRow = ({ owner }: WrittenTable, ownerIds: readonly string[] | undefined): SQL => {
  const known = sql`known.${sql.identifier(owner.column)}`;
  const isOfOwners =
    ownerIds === undefined
      ? sql`${known} = owner.id`
      : sql`${known} = any (${sql.param(ownerIds)}::uuid[])`;
  return sql`known.id = sent.id and known.valid_to is null and (${isOfOwners}) is true`;
};

/** Inserts rows, each with the network of its owner. */
export const insertRows = (
  database: Database,
  table: WrittenTable,
  rows: readonly WrittenRow[],
  ownerIds?: readonly string[],
) => {
  const { owner } = table;
  const columns = Object.keys(table.columns);
  return database.execute(sql`
    insert into ${table.table} (organization_id, network_id, id,
      ${sql.identifier(owner.column)}, ${listOf(columns, (column) => sql`${sql.identifier(column)}`)})
    select owner.organization_id, owner.network_id, sent.id, owner.id,
      ${listOf(columns, (column) => storedValue(table, column))}
    from ${sentRows(table, rows)}
    join ${owner.table} as owner
      on owner.id = sent.${sql.identifier(owner.column)} and owner.valid_to is null
    where not exists (
      select from ${table.table} as known where ${isStoredRow(table, ownerIds)})`);
};

/**
 * {@link insertRows}, or no query if there are no rows. An insert without rows would still cost two
 * round trips between Neon's proxy and Postgres.
 */
export const insertAnyRows = (
  database: Database,
  table: WrittenTable,
  rows: readonly WrittenRow[],
) => (rows.length === 0 ? [] : [insertRows(database, table, rows)]);

const update = (
  database: Database,
  table: WrittenTable,
  rows: readonly WrittenRow[],
  condition: SQL,
) => {
  const { owner } = table;
  return database.execute(sql`
    update ${table.table} as known
    set ${sql.identifier(owner.column)} = owner.id,
      ${listOf(Object.keys(table.columns), (column) => sql`${sql.identifier(column)} = ${storedValue(table, column)}`)}
    from ${sentRows(table, rows)}
    join ${owner.table} as owner
      on owner.id = sent.${sql.identifier(owner.column)} and owner.valid_to is null
    where ${condition}`);
};

/**
 * Replaces the stored row with the row in the request. Its `updated_at` advances even if no value
 * differs (API contract, section 3).
 */
export const updateRow = (database: Database, table: WrittenTable, row: WrittenRow) =>
  update(database, table, [row], isStoredRow(table, undefined));

/** Updates the rows of a request. Unchanged rows are not written. */
const updateRows = (
  database: Database,
  table: WrittenTable,
  rows: readonly WrittenRow[],
  ownerIds: readonly string[],
) => {
  const { owner } = table;
  const columns = Object.keys(table.columns);
  return update(
    database,
    table,
    rows,
    sql`${isStoredRow(table, ownerIds)}
      and (known.${sql.identifier(owner.column)},
          ${listOf(columns, (column) => sql`known.${sql.identifier(column)}`)})
        is distinct from (owner.id, ${listOf(columns, (column) => storedValue(table, column))})`,
  );
};

/** Deletes the owners' rows that are not in the request. */
const deleteOthers = (
  database: Database,
  { table, owner }: WrittenTable,
  ownerIds: readonly string[],
  rows: readonly WrittenRow[],
) =>
  database.execute(sql`
    delete from ${table} as known
    where known.${sql.identifier(`live_${owner.column}`)} = any (${sql.param(ownerIds)}::uuid[])
      and known.id <> all (${sql.param(rows.map(({ id }) => id))}::uuid[])`);

/** Replaces the owners' rows with those in the request. The order of the statements matters. */
export const syncRows = (
  database: Database,
  table: WrittenTable,
  ownerIds: readonly string[],
  rows: readonly WrittenRow[],
) => [
  deleteOthers(database, table, ownerIds, rows),
  ...(rows.length === 0
    ? []
    : [updateRows(database, table, rows, ownerIds), insertRows(database, table, rows, ownerIds)]),
];
