import { expect, test } from "vitest";
import { sql } from "../helpers/database.ts";

// Each version of a record has an entry in most of these indexes. drizzle/indexes.md lists the
// statements that need them.
test("hosts, ports, services and bindings have the indexes that statements need, and no others", async () => {
  const numbers = await sql`
    select indrelid::regclass::text as table, count(*)::int as indexes from pg_index
    where indrelid in ('hosts'::regclass, 'ports'::regclass, 'services'::regclass, 'bindings'::regclass)
    group by indrelid order by indrelid::regclass::text`;
  expect(numbers).toEqual([
    { table: "bindings", indexes: 16 },
    { table: "hosts", indexes: 17 },
    { table: "ports", indexes: 13 },
    { table: "services", indexes: 20 },
  ]);
});
