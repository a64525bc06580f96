import { expect, test } from "vitest";
import { changePage } from "../changes/helpers.ts";
import { sql } from "../helpers/database.ts";
import { openInventory } from "../helpers/inventory.ts";
import { hold } from "./held.ts";

// Needs a real Postgres: PGlite has one connection, so no other connection can wait.
test("a reader that has determined the settled instant does not block writers, however long it reads", async () => {
  const inventory = await openInventory();
  await inventory.create("hosts", { name: "before" });
  const held = sql.transaction([
    sql`select app.settled_of(${inventory.organization.id})`,
    sql`select pg_sleep(3)`,
  ]);
  await expect
    .poll(
      () => sql`select from pg_stat_activity where query like '%pg_sleep(3)%' and state = 'active'
        and datname = current_database() and pid <> pg_backend_pid()`,
    )
    .toHaveLength(1);
  const startedAt = Date.now();
  await inventory.create("hosts", { name: "meanwhile" });
  expect(Date.now() - startedAt).toBeLessThan(1000);
  await held;
});

/**
 * Holds a timestamp's lock, as would a change in another organization whose id has the same lock
 * bits (app.stamp_lock).
 */
const holdStampOfAnother = (organizationId: string, at: string) =>
  hold([sql`select pg_advisory_xact_lock(app.stamp_lock(${organizationId}, ${at}))`]);

test("settled changes stay settled during a long change in an organization with the same lock bits", async () => {
  const { organization, create, replace, send } = await openInventory();
  const host = await create("hosts", { name: "1" });
  for (const name of ["2", "3", "4"]) {
    await replace("hosts", host.id, { name });
  }
  const read = async (query: string) => {
    const { body } = await send("GET", `hosts/${host.id}/timeline?${query}`);
    return changePage.parse(body);
  };
  const { data: whole } = await read("limit=10");
  const another = await holdStampOfAnother(organization.id, whole.at(-1)?.at ?? "");
  const first = await read("limit=1");
  const own = await hold([
    sql`insert into hosts (organization_id, network_id, name)
      values (${organization.id}, ${host.network_id}, 'held')`,
  ]);
  const rest = await read(`limit=10&cursor=${first.meta.next_cursor}`);
  await own.commit();
  await another.commit();
  expect([...first.data, ...rest.data]).toEqual(whole);
});
