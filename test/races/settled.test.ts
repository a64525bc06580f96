import { expect, test } from "vitest";
import { sql } from "../helpers/database.ts";
import { openInventory } from "../helpers/inventory.ts";

// Only on a real Postgres: PGlite has one connection, and so nobody who could wait.
test("who has learned up to where all is settled keeps no writer waiting, however long it reads on", async () => {
  const inventory = await openInventory();
  await inventory.create("hosts", { name: "before" });
  const held = sql.transaction([
    sql`select app.settled_of(${inventory.organization.id})`,
    sql`select pg_sleep(3)`,
  ]);
  await expect
    .poll(
      () => sql`select from pg_stat_activity where query like '%pg_sleep(3)%' and state = 'active'
        and pid <> pg_backend_pid()`,
    )
    .toHaveLength(1);
  const startedAt = Date.now();
  await inventory.create("hosts", { name: "meanwhile" });
  expect(Date.now() - startedAt).toBeLessThan(1000);
  await held;
});
