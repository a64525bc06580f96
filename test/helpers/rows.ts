import { expect } from "vitest";
import { sql } from "./database.ts";

let known: Promise<string[]> | undefined;

/** The names of all tables, from the catalog: a new one is in every test that uses this. */
export function tableNames(): Promise<string[]> {
  known ??= sql`
    select relname from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
    order by relname`.then((rows) => rows.map(({ relname }) => String(relname)));
  return known;
}

/**
 * Every row of an organization, by table: to see that nothing of it has changed.
 * @param ignored columns that may change; every request may move `last_used_at` of its key
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
  const found: Record<string, unknown[]> = Object.fromEntries(names.map((name) => [name, []]));
  for (const { table, row } of rows) {
    found[table]?.push(row);
  }
  return found;
}

/** A digest of the rows of an organization, by table: the rows themselves can be more than one response holds. */
async function digestsOf(
  organizationId: string,
  ignored: readonly string[],
): Promise<Record<string, unknown>> {
  const selections = (await tableNames()).map(
    (table) => `
      select '${table}' as table, count(*) || ' rows, ' || coalesce(md5(string_agg(digest, '' order by digest)), '') as rows
      from (
        select md5((to_jsonb(record) - $2::text[])::text) as digest from "${table}" as record
        where ${table === "organizations" ? "id" : "organization_id"} = $1) as record`,
  );
  const rows = await sql.query(selections.join(" union all "), [organizationId, ignored]);
  return Object.fromEntries(rows.map(({ table, rows }) => [table, rows]));
}

/** The transactions that have written so far, in all of the cluster: one that only reads has no id. */
async function writesSoFar(): Promise<unknown> {
  const [row] = await sql`select pg_current_snapshot()::text as writes`;
  return row?.["writes"];
}

/** The last digests of each organization, and what had been written before they were taken. */
const last = new Map<string, { writes: unknown; digests: unknown }>();

/** Digests of an organization. They are taken again only if somebody has written since. */
async function currentDigestsOf(
  organizationId: string,
  ignored: readonly string[],
): Promise<unknown> {
  const key = [organizationId, ...ignored].join();
  const writes = await writesSoFar();
  const known = last.get(key);
  if (known?.writes === writes) {
    return known?.digests;
  }
  const digests = await digestsOf(organizationId, ignored);
  last.set(key, { writes, digests });
  return digests;
}

/**
 * Does something that must change nothing of an organization, except when its keys were used last.
 * @param ignored columns that may change
 * @returns what it returns
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

/** Whether a line of PEM distinguishes it from other PEM. */
const isTelling = (line: string) => line.length > 20 && !line.startsWith("-----");

/**
 * The rows, of all tables, that hold one of the secrets: as it is, line by line, in base64 or in
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
