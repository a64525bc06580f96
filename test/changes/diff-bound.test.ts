import { beforeAll, expect, test } from "vitest";
import { passedInstant } from "../helpers/binding-versions.ts";
import { sql } from "../helpers/database.ts";
import { openInventory } from "../helpers/inventory.ts";
import { openFreshDatabase } from "../helpers/poller.ts";

let variables: Record<string, string>;

beforeAll(async () => {
  variables = await openFreshDatabase();
  // Affects only this database.
  await sql`create or replace function app.maximum_versions_of_diff() returns integer
    language sql immutable parallel safe return 20`;
}, 60_000);

const from = "2020-01-01T00:00:00Z";

/** An inventory of 15 hosts with one port each. */
async function openLarge() {
  const inventory = await openInventory(variables);
  const hosts: string[] = [];
  for (let nth = 0; nth < 15; nth++) {
    const { id } = await inventory.create("hosts", { name: `host ${nth}` });
    await inventory.create("ports", { host_id: id, number: 443, protocol: "Tcp" });
    hosts.push(id);
  }
  return { ...inventory, hosts, diff: (query: string) => inventory.send("GET", `diff?${query}`) };
}

test("rejects a comparison of too many versions, and suggests how to narrow it", async () => {
  const { diff, hosts, network_id } = await openLarge();
  const refused = {
    status: 409,
    body: {
      code: "range_too_large",
      params: { versions: 21, maximum: 20 },
      error: expect.stringMatching(/choose a narrower interval.*network_id, host_id or entity/),
    },
  };
  for (const query of [
    "",
    "&limit=1",
    "&limit=0",
    "&include=records",
    `&network_id=${network_id}`,
  ]) {
    expect(await diff(`from=${from}${query}`), query).toMatchObject(refused);
  }
  expect(await diff(`from=${from}&entity=Host`)).toMatchObject({
    status: 200,
    body: { meta: { pagination: { total_count: 17 } } },
  });
  expect(await diff(`from=${from}&host_id=${hosts[3]}`)).toMatchObject({
    status: 200,
    body: { meta: { pagination: { total_count: 2 } } },
  });
});

test("accepts a comparison of exactly the maximum number of versions", async () => {
  const { create, remove, diff } = await openInventory(variables).then((inventory) => ({
    ...inventory,
    diff: (query: string) => inventory.send("GET", `diff?${query}`),
  }));
  const since = await passedInstant();
  const made = [];
  for (let nth = 0; nth < 20; nth++) {
    made.push(await create("hosts", { name: `host ${nth}` }));
  }
  expect(await diff(`from=${since}&limit=1`)).toMatchObject({
    status: 200,
    body: { data: { counts: { Host: { added: 20 } } } },
  });
  // A deletion ends a version and does not start another one.
  await remove("hosts", made[0]?.id ?? "");
  expect(await diff(`from=${since}&limit=1`)).toMatchObject({ status: 200 });
  await create("hosts", { name: "one more" });
  expect(await diff(`from=${since}&limit=1`)).toMatchObject({ status: 409 });
});
