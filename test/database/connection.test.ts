import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { connect } from "../../src/database/connection.ts";
import { settingsOf } from "../../src/env.ts";
import { openApi } from "../helpers/api.ts";

const open = () => connect(settingsOf(openApi().env), AbortSignal.timeout(5000));

test("a batch returns objects with fields in column order", async () => {
  const database = open();
  const [one, none] = await database.batch([
    database.execute(sql`select 1 as b, null as a, '{"c": [2]}'::jsonb as "__proto"`),
    database.execute(sql`select 1 as b where false`),
  ]);
  expect(one.rows.map(Object.entries)).toEqual([
    [
      ["b", 1],
      ["a", null],
      ["__proto", { c: [2] }],
    ],
  ]);
  expect(none.rows).toEqual([]);
});

test("a statement that is awaited outside a batch fails", async () => {
  await expect(open().execute(sql`select 1 as b`)).rejects.toMatchObject({
    cause: { message: expect.stringContaining("Only batches are sent") },
  });
});
