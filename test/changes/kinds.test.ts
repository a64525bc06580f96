import { expect, test } from "vitest";
import { hashApiKey } from "../../src/api-key.ts";
import { sql } from "../helpers/database.ts";
import { mintOrganization } from "../helpers/organization.ts";

const namesIn = (text: string, pattern: RegExp) =>
  [...new Set([...text.matchAll(pattern)].map(([, name = ""]) => name))].sort();

test("each kind shows all columns that begin a version", async () => {
  const kinds = await sql`
    select kind.relation, kind.fields, pg_get_triggerdef(version.oid) as version
    from app.change_kinds() as kind
    join pg_trigger as version
      on version.tgrelid = format('public.%I', kind.relation)::regclass
        and version.tgname = 'history_3_version'`;
  expect(kinds).toHaveLength(7);
  for (const { relation, fields, version } of kinds) {
    // Every change has the network.
    const shown = [...namesIn(String(fields), /version\.(\w+)/g), "network_id"].sort();
    expect(shown, String(relation)).toEqual(namesIn(String(version), /new\."?(\w+)/g));
  }
});

test("a change whose versions are not there is no change, and ends the transaction", async () => {
  const { keys } = await mintOrganization();
  const key = `(2026-01-01T00:00:00Z,Host,${crypto.randomUUID()})`;
  const read = sql.transaction([
    sql`select set_config('app.key_hash', ${await hashApiKey(keys.viewer)}, true)`,
    sql`select * from app.changes_of(array[${key}::app.change_key], false)`,
  ]);
  await expect(read).rejects.toMatchObject({ code: "40001" });
});
