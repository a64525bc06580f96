import { expect, test } from "vitest";
import { sql } from "../helpers/database.ts";

test("the first key of every GiST index is an expression on the organization that is used only by searches", async () => {
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
      first_column: "COALESCE(organization_id, id)",
      // Zeros, because every key is an expression and not a plain column.
      columns: [0, 0, 0],
    });
  }
});
