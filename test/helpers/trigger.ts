import { onTestFinished } from "vitest";
import { sql } from "./database.ts";

/**
 * Until the test ends, runs statements in the database before any row of the given credential is
 * written.
 * @param action PL/pgSQL statements
 */
export async function beforeWrite(
  table: string,
  credentialId: string,
  action: string,
): Promise<void> {
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  const column = table === "credentials" ? "id" : "credential_id";
  await sql.transaction([
    sql.query(`
      create function ${name}() returns trigger language plpgsql security definer as $$
      begin ${action} return new; end $$`),
    sql.query(`
      create trigger ${name} before insert or update on ${table} for each row
      when (new.${column} = '${credentialId}') execute function ${name}()`),
  ]);
  onTestFinished(async () => {
    await sql.query(`drop function ${name}() cascade`);
  });
}
