import { beforeAll, expect, test } from "vitest";
import { passedInstant } from "../helpers/binding-versions.ts";
import { sql } from "../helpers/database.ts";
import { openInventory } from "../helpers/inventory.ts";
import { openFreshDatabase } from "../helpers/poller.ts";
import { followChanges } from "./helpers.ts";
import { bucketsOf, histogramOf, sumOf } from "./histograms.ts";

let variables: Record<string, string>;

beforeAll(async () => {
  variables = await openFreshDatabase();
  // Affects only this database.
  await sql`create or replace function app.maximum_changes_of_histogram() returns integer
    language sql immutable parallel safe return 20`;
}, 60_000);

test("beyond the maximum number of changes, a histogram has transactions instead of counts", async () => {
  const { create, remove, send, network_id } = await openInventory(variables);
  const get = (path: string) => send("GET", path);
  const from = await passedInstant();
  const { id } = await create("hosts", {
    name: "switch",
    ports: Array.from({ length: 18 }, (_, at) => ({ number: 1 + at, protocol: "Tcp" })),
  });
  await create("hosts", { name: "last" });
  const exact = await histogramOf(get, { from, network_id, buckets: "4" });
  expect(exact.is_estimate).toBe(false);
  expect(sumOf(exact)).toBe(20);
  await remove("hosts", id);
  const { changes } = await followChanges(get, { since: from, network_id });
  expect(changes.length).toBe(39);
  for (const query of [{}, { network_id }]) {
    const estimate = await histogramOf(get, { from, ...query, buckets: "4" });
    const wanted = bucketsOf(changes, estimate);
    expect(estimate.is_estimate).toBe(true);
    expect(estimate.buckets).toEqual(
      wanted.map((bucket) => ({ ...bucket, begun: null, changed: null, ended: null })),
    );
  }
  expect(await histogramOf(get, { from, entity: "Host" })).toMatchObject({ is_estimate: false });
});
