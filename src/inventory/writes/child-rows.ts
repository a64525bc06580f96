import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../../database/connection.ts";

/** What a request writes of a table of the inventory. Its names are constants of ours. */
export interface WrittenTable {
  name: string;
  /** What errors call a row. */
  entity: string;
  /** The record that a row belongs to, and the table of those. */
  owner: { column: string; table: string };
  /** The columns that requests write, with their types in Postgres. */
  columns: Readonly<Record<string, string>>;
  /** What a column holds where it is not what was sent, over `sent` and `owner`. */
  expressions?: Readonly<Record<string, SQL>>;
}

/** A row that is to be written: values by columns. */
export type WrittenRow = Readonly<Record<string, unknown>> & { id: string };

const listOf = (names: readonly string[], of: (name: string) => SQL): SQL =>
  sql.join(names.map(of), sql`, `);

const sentRows = ({ owner, columns }: WrittenTable, rows: readonly WrittenRow[]): SQL => {
  const fields = Object.entries({ id: "uuid", [owner.column]: "uuid", ...columns });
  return sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as sent (${sql.raw(
    fields.map(([name, type]) => `${name} ${type}`).join(", "),
  )})`;
};

const storedValue = ({ expressions }: WrittenTable, column: string): SQL =>
  expressions?.[column] ?? sql`sent.${sql.identifier(column)}`;

/** Columns of `sent` that only expressions use. */
const isHelper = (column: string) => column.startsWith("has_");

const stored = ({ columns }: WrittenTable) =>
  Object.keys(columns).filter((name) => !isHelper(name));

/** A row that is there may move between the owners that a request is about, and from no other one. */
const isOfOwners = ({ owner }: WrittenTable, ownerIds: readonly string[] | undefined): SQL => {
  const known = sql`known.${sql.identifier(owner.column)}`;
  return ownerIds === undefined
    ? sql`${known} = owner.id`
    : sql`${known} = any (${sql.param(ownerIds)}::uuid[])`;
};

/** Inserts rows into the networks of their owners. */
export const insertRows = (
  database: Database,
  table: WrittenTable,
  rows: readonly WrittenRow[],
  ownerIds?: readonly string[],
) => {
  const { name, owner } = table;
  const columns = stored(table);
  return database.execute(sql`
    insert into ${sql.identifier(name)} (organization_id, network_id, id,
      ${sql.identifier(owner.column)}, ${listOf(columns, (column) => sql`${sql.identifier(column)}`)})
    select owner.organization_id, owner.network_id, sent.id, owner.id,
      ${listOf(columns, (column) => storedValue(table, column))}
    from ${sentRows(table, rows)}
    join ${sql.identifier(owner.table)} as owner
      on owner.id = sent.${sql.identifier(owner.column)} and owner.valid_to is null
    where not exists (
      select from ${sql.identifier(name)} as known
      where known.id = sent.id and known.valid_to is null
        and ${isOfOwners(table, ownerIds)})`);
};

const update = (
  database: Database,
  table: WrittenTable,
  rows: readonly WrittenRow[],
  condition: SQL,
) => {
  const { name, owner } = table;
  return database.execute(sql`
    update ${sql.identifier(name)} as known
    set ${sql.identifier(owner.column)} = owner.id,
      ${listOf(stored(table), (column) => sql`${sql.identifier(column)} = ${storedValue(table, column)}`)}
    from ${sentRows(table, rows)}
    join ${sql.identifier(owner.table)} as owner
      on owner.id = sent.${sql.identifier(owner.column)} and owner.valid_to is null
    where known.id = sent.id and known.valid_to is null and ${condition}`);
};

/**
 * Replaces the row that a request names. Its `updated_at` moves, whatever was sent (API contract,
 * section 3).
 */
export const updateRow = (database: Database, table: WrittenTable, row: WrittenRow) =>
  update(database, table, [row], isOfOwners(table, undefined));

/** Updates rows that a request carries; those that are what was sent stay as they are. */
const updateRows = (
  database: Database,
  table: WrittenTable,
  rows: readonly WrittenRow[],
  ownerIds: readonly string[],
) => {
  const { owner } = table;
  const columns = stored(table);
  return update(
    database,
    table,
    rows,
    sql`${isOfOwners(table, ownerIds)}
      and (known.${sql.identifier(owner.column)},
          ${listOf(columns, (column) => sql`known.${sql.identifier(column)}`)})
        is distinct from (owner.id, ${listOf(columns, (column) => storedValue(table, column))})`,
  );
};

/** Deletes the rows of owners that were not sent. */
const deleteOthers = (
  database: Database,
  { name, owner }: WrittenTable,
  ownerIds: readonly string[],
  rows: readonly WrittenRow[],
) =>
  database.execute(sql`
    delete from ${sql.identifier(name)} as known
    where known.${sql.identifier(owner.column)} = any (${sql.param(ownerIds)}::uuid[])
      and known.valid_to is null
      and known.id <> all (${sql.param(rows.map(({ id }) => id))}::uuid[])`);

/** Makes the rows of owners exactly those that were sent, in this order of statements. */
export const syncRows = (
  database: Database,
  table: WrittenTable,
  ownerIds: readonly string[],
  rows: readonly WrittenRow[],
) => [
  deleteOthers(database, table, ownerIds, rows),
  updateRows(database, table, rows, ownerIds),
  insertRows(database, table, rows, ownerIds),
];
