import { sql } from "./database.ts";

/** The names of all tables, from the catalog: a new one is in every test that uses this. */
export async function tenantTables(): Promise<string[]> {
  const rows = await sql`
    select table_name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' order by table_name`;
  return rows.map(({ table_name }) => String(table_name));
}

/**
 * Every row of an organization, as text, by table: to see that nothing of it has changed.
 * @param ignored columns that may change
 */
export async function everythingOf(organizationId: string, ignored: readonly string[] = []) {
  const tables = await tenantTables();
  const answers = await sql.transaction(
    tables.map((table) => {
      const owner = table === "organizations" ? "id" : "organization_id";
      return sql.query(
        `select (to_jsonb(record) - $2::text[])::text as record from ${table} as record
         where ${owner} = $1 order by 1`,
        [organizationId, ignored],
      );
    }),
  );
  return Object.fromEntries(
    tables.map((table, position) => [table, answers[position]?.map(({ record }) => record)]),
  );
}
