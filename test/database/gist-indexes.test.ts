import { expect, test } from "vitest";
import { sql } from "../helpers/database.ts";

test("every key of a GiST index is an expression, and the first one is used only by searches or by no query", async () => {
  const indexes = await sql`
    select relname as name, pg_get_indexdef(indexrelid, 1, false) as first_column,
      array(select key from unnest(indkey) as key) as columns
    from pg_index
    join pg_class on pg_class.oid = indexrelid
    join pg_am on pg_am.oid = relam
    where amname = 'gist' and relnamespace = 'public'::regnamespace`;
  expect(indexes.length).toBeGreaterThan(10);
  for (const { name, first_column, columns } of indexes) {
    expect({ name, first_column, columns }).toEqual({
      name,
      first_column: name.endsWith("_one_version_at_a_time")
        ? "COALESCE(lineage_id, id)"
        : "COALESCE(organization_id, id)",
      // Zeros, because every key is an expression and not a plain column.
      columns: [0, 0, 0],
    });
  }
});
