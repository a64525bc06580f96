import { getTableName, is, sql } from "drizzle-orm";
import { PgTable } from "drizzle-orm/pg-core";
import * as tables from "../../src/database/tables/index.ts";
import type { CommandDatabase } from "./database.ts";

/** Tables that are never exported: key hashes, ciphertext, and request digests. */
const secretTables: readonly string[] = [
  tables.userApiKeySecrets,
  tables.userApiTokens,
  tables.credentialSecrets,
  tables.daemonSecrets,
  tables.webhookSecrets,
  tables.idempotencyKeys,
].map((table) => getTableName(table));

/** The exported tables of an organization, sorted by name. */
const exported = Object.values<unknown>(tables)
  .flatMap((table) => (is(table, PgTable) ? [getTableName(table)] : []))
  .filter((name) => name !== "organizations" && !secretTables.includes(name))
  .sort();

/**
 * Writes a consistent snapshot of an organization as one JSON document: `exported_at`,
 * `organization`, and the rows of every table, including history. The document is written row by
 * row, since it may be too long for one string.
 * @param write receives the document, except for its end
 * @returns the end of the document
 */
export async function exportOrganization(
  database: CommandDatabase,
  id: string,
  write: (text: string) => void,
): Promise<string> {
  const selections = [
    sql`select 'organization' as name, to_jsonb(record)::text as row, '' as position
      from organizations as record where id = ${id}`,
    ...exported.map(
      (name) => sql`
      select ${name}, to_jsonb(record)::text, to_jsonb(record) ->> 'id'
      from ${sql.identifier(name)} as record where organization_id = ${id}`,
    ),
  ];
  // A single statement, so that the snapshot is consistent.
  const rows = await database
    .select({ name: sql<string>`name`, row: sql<string>`row` })
    .from(sql`(${sql.join(selections, sql` union all `)}) as part`)
    .orderBy(sql`name, position, row`);
  const byTable = Map.groupBy(rows, ({ name }) => name);
  const [organization] = byTable.get("organization") ?? [];
  write(`{\n"exported_at": ${JSON.stringify(new Date())},\n"organization": ${organization?.row}`);
  for (const name of exported) {
    write(`,\n"${name}": [`);
    for (const [position, { row }] of (byTable.get(name) ?? []).entries()) {
      write(`${position === 0 ? "" : ","}\n${row}`);
    }
    write("]");
  }
  return "\n}";
}
