import { expect } from "vitest";
import { sql } from "./database.ts";

let tables: Promise<string[]> | undefined;

/**
 * The names of all tables, read from the catalog, so that every test that uses them also covers new
 * tables.
 */
export function tableNames(): Promise<string[]> {
  tables ??= sql`
    select relname from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
    order by relname`.then((rows) => rows.map(({ relname }) => String(relname)));
  return tables;
}

/**
 * Every row of an organization, by table, to check that none has changed.
 * @param ignored columns that may change; every request may change its key's `last_used_at`
 */
export async function rowsOf(
  organizationId: string,
  ignored: readonly string[] = ["last_used_at"],
): Promise<Record<string, unknown[]>> {
  const names = await tableNames();
  const selections = names.map(
    (table) => `
      select '${table}' as table, to_jsonb(record) - $2::text[] as row from "${table}" as record
      where ${table === "organizations" ? "id" : "organization_id"} = $1`,
  );
  const rows = await sql.query(`${selections.join(" union all ")} order by 1, 2`, [
    organizationId,
    ignored,
  ]);
  const byTable: Record<string, unknown[]> = Object.fromEntries(names.map((name) => [name, []]));
  for (const { table, row } of rows) {
    byTable[table]?.push(row);
  }
  return byTable;
}

/** The names of the tables that have one of these columns. */
async function tablesWith(columns: readonly string[]): Promise<unknown[]> {
  const rows = await sql`
    select distinct attrelid::regclass::text as name from pg_attribute
    where attrelid = any (${await tableNames()}::regclass[]) and attname = any (${columns})`;
  return rows.map(({ name }) => name);
}

/** The transactions that wrote the rows: an update of a row replaces its `xmin`. */
const versions = "coalesce(sum(xmin::text::bigint), 0)";

/** The contents of the rows, without the columns in `$2`. */
const contents =
  "md5(string_agg(md5((to_jsonb(record) - $2::text[])::text), '' order by to_jsonb(record) - $2::text[]))";

/**
 * A digest of an organization's rows, by table. It differs after every insert, update and delete,
 * except for an update of nothing but ignored columns.
 */
async function digestsOf(
  organizationId: string,
  ignored: readonly string[],
): Promise<Record<string, unknown>> {
  const partly = await tablesWith(ignored);
  const selections = (await tableNames()).map(
    (table) => `
      select '${table}' as table, count(*) || ' rows, ' || coalesce(${partly.includes(table) ? contents : `${versions}::text`}, '') as rows
      from "${table}" as record where ${table === "organizations" ? "id" : "organization_id"} = $1`,
  );
  const parameters = partly.length > 0 ? [organizationId, ignored] : [organizationId];
  const rows = await sql.query(selections.join(" union all "), parameters);
  return Object.fromEntries(rows.map(({ table, rows }) => [table, rows]));
}

/**
 * The state of write transactions in the whole cluster. Read-only transactions are not assigned an
 * id, so they do not advance it.
 */
async function writesSoFar(): Promise<unknown> {
  const [row] = await sql`select pg_current_snapshot()::text as writes`;
  return row?.["writes"];
}

/** The latest digests of each organization, with the state of writes before they were computed. */
const last = new Map<string, { writes: unknown; digests: unknown }>();

/** The digests of an organization. They are computed again only after a write. */
async function currentDigestsOf(
  organizationId: string,
  ignored: readonly string[],
): Promise<unknown> {
  const key = [organizationId, ...ignored].join();
  const writes = await writesSoFar();
  const previous = last.get(key);
  if (previous?.writes === writes) {
    return previous?.digests;
  }
  const digests = await digestsOf(organizationId, ignored);
  last.set(key, { writes, digests });
  return digests;
}

/**
 * Runs a function that must change nothing in an organization except the time at which its keys
 * were last used.
 * @param ignored columns that may change
 * @returns the function's result
 */
export async function changingNothing<Result>(
  organizationId: string,
  act: () => Promise<Result>,
  ignored: readonly string[] = ["last_used_at"],
): Promise<Result> {
  const before = await currentDigestsOf(organizationId, ignored);
  const result = await act();
  expect(await currentDigestsOf(organizationId, ignored)).toEqual(before);
  return result;
}

/** True if a line of PEM is specific to its secret, unlike markers and short lines. */
const isTelling = (line: string) => line.length > 20 && !line.startsWith("-----");

/**
 * The rows in all tables that contain one of the secrets: verbatim, line by line, in base64 or in
 * hexadecimal. Tests expect none.
 */
export async function rowsHolding(secrets: readonly string[]) {
  const forms = secrets.flatMap((secret) => [
    ...(secret.includes("\n") ? secret.split("\n").filter(isTelling) : [secret]),
    btoa(secret),
    Array.from(new TextEncoder().encode(secret), (byte) => byte.toString(16).padStart(2, "0")).join(
      "",
    ),
  ]);
  const selections = (await tableNames()).map(
    (table) => `
      select '${table}' as table, left(line.text, 300) as row
      from "${table}" as record cross join lateral (select record::text as text offset 0) as line
      where exists (select from unnest($1::text[]) as form where strpos(line.text, form) > 0)`,
  );
  return sql.query(selections.join(" union all "), [forms]);
}
