import { expect, test } from "vitest";
import { sql } from "../helpers/database.ts";
import { openInventory } from "../helpers/inventory.ts";
import { endedUntil, keepFor, limitOf, moveIntoPast, sweepAll } from "../helpers/retention.ts";
import { hold } from "./held.ts";

const days = 30;
const limit = limitOf(days);

/** An organization with limited history and a host that was deleted before the limit. */
async function openDue() {
  const { organization, create, remove } = await openInventory();
  const { id } = organization;
  await remove("hosts", (await create("hosts", { name: "gone" })).id);
  const [newest] =
    await sql`select max(changed_at) as at from transactions where organization_id = ${id}`;
  await moveIntoPast(id, newest?.["at"], days);
  await keepFor(id, days);
  return { id, left: () => endedUntil(id, limit) };
}

test("a sweep uses a retention that is set while it runs, and does not delete history that must be kept", async () => {
  const { id, left } = await openDue();
  expect(await left()).toBe(1);
  const held = await hold([keepFor(id, null)]);
  const swept = sweepAll();
  await held.commit();
  await swept;
  await sweepAll();
  const [organization] = await sql`select history_from from organizations where id = ${id}`;
  expect(organization?.["history_from"]).toBeNull();
  expect(await left()).toBe(1);
});

test("a sweep does not wait for the deletion of an organization, and processes other organizations", async () => {
  const deleted = await openDue();
  const other = await openDue();
  const held = await hold([sql`delete from organizations where id = ${deleted.id}`]);
  await sweepAll();
  expect([await deleted.left(), await other.left()]).toEqual([1, 0]);
  await held.commit();
  await sweepAll();
  expect(await sql`select from organizations where id = ${deleted.id}`).toEqual([]);
});

test("an organization that was locked during a sweep is swept by the next one", async () => {
  const { id, left } = await openDue();
  const held = await hold([sql`update organizations set name = 'Renamed' where id = ${id}`]);
  await sweepAll();
  expect(await left()).toBe(1);
  await held.commit();
  await sweepAll();
  expect(await left()).toBe(0);
});
