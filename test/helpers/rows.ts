import { sql } from "./database.ts";

async function tables(): Promise<string[]> {
  const rows = await sql`
    select relname from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' order by relname`;
  return rows.map(({ relname }) => String(relname));
}

/**
 * Everything that the database holds of an organization, by table. Without `last_used_at` of its
 * keys, which every request may move.
 */
export async function rowsOf(organizationId: string): Promise<Record<string, unknown[]>> {
  const selections = (await tables()).map(
    (table) => `
      select '${table}' as table, to_jsonb(record) - 'last_used_at' as row from "${table}" as record
      where ${table === "organizations" ? "id" : "organization_id"} = $1`,
  );
  const rows = await sql.query(`${selections.join(" union all ")} order by 1, 2`, [organizationId]);
  const found: Record<string, unknown[]> = {};
  for (const { table, row } of rows) {
    const ofTable = found[table] ?? [];
    ofTable.push(row);
    found[table] = ofTable;
  }
  return found;
}

/** Whether a line of PEM tells it from other PEM. */
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
  const selections = (await tables()).map(
    (table) => `
      select '${table}' as table, left(line.text, 300) as row
      from "${table}" as record cross join lateral (select record::text as text offset 0) as line
      where exists (select from unnest($1::text[]) as form where strpos(line.text, form) > 0)`,
  );
  return sql.query(selections.join(" union all "), [forms]);
}
