import { expect, test } from "vitest";
import { sql } from "../helpers/database.ts";

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
