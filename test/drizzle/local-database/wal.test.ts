import { expect, it } from "vitest";
import { startLocalDatabase } from "../../../drizzle/local/server.ts";

it("an embedded database's WAL stays small, however much is written", async () => {
  const database = await startLocalDatabase({});
  for (let use = 0; use < 3000; use++) {
    await database.withClient((client) =>
      client.query("select pg_logical_emit_message(false, 'test', repeat('x', 100000))"),
    );
  }
  const { rows } = await database.withClient((client) =>
    client.query("select sum(size)::int as bytes from pg_ls_waldir()"),
  );
  await database.close();
  // 300 MB were written.
  expect(rows[0]?.bytes).toBeLessThan(128 * 2 ** 20);
});
