import { expect, inject, test } from "vitest";
import { sql } from "../helpers/database.ts";
import { openInventory } from "../helpers/inventory.ts";
import { passHours, sweepStaleAll } from "../helpers/stale.ts";
import { hold } from "./held.ts";
import { atOnce } from "./race.ts";

/**
 * An inventory with hosts that were last seen longer ago than their network's `stale_after_hours`.
 */
async function openUnseen(count = 1) {
  const inventory = await openInventory();
  const { api, organization, network_id, create } = inventory;
  const hosts = await atOnce(count, (number) =>
    create("hosts", {
      name: `host ${number + 1}`,
      ip_addresses: [{ ip_address: `192.0.2.${number + 1}` }],
    }),
  );
  await Promise.all(hosts.map(({ id }) => passHours(25, id)));
  const setHours = (stale_after_hours: number | null) =>
    api.send("PATCH", `/api/v1/networks/${network_id}`, {
      key: organization.keys.admin,
      json: { stale_after_hours },
    });
  expect(await setHours(24)).toMatchObject({ status: 200 });
  return {
    ...inventory,
    hosts,
    setHours,
    /** Imports hosts to give them a new sighting. */
    see: (seen: readonly (typeof hosts)[number][]) =>
      inventory.send("POST", `networks/${network_id}/imports`, {
        hosts: seen.map((host) => ({
          addresses: host.ip_addresses.map(({ ip_address }) => ({ ip_address })),
        })),
      }),
    staleOf: async () =>
      (await inventory.list("hosts", { stale: "true" })).map(({ name }) => name).sort(),
  };
}

test("the job skips a locked host and updates the others", async () => {
  const { hosts, staleOf } = await openUnseen(3);
  const held = await hold([sql`select from hosts where id = ${hosts[0]?.id} for no key update`]);
  await sweepStaleAll();
  expect(await staleOf()).toEqual(["host 2", "host 3"]);
  await held.commit();
  await sweepStaleAll();
  expect(await staleOf()).toEqual(["host 1", "host 2", "host 3"]);
});

test("a host that is seen while the job runs is not stale afterwards", async () => {
  const { hosts, staleOf } = await openUnseen(2);
  const held = await hold([sql`update hosts set last_seen_at = now() where id = ${hosts[0]?.id}`]);
  const swept = sweepStaleAll();
  await held.commit();
  await swept;
  expect(await staleOf()).toEqual(["host 2"]);
});

test("a stale_after_hours that is set while the job runs takes effect in the job's next run", async () => {
  const { organization, network_id, staleOf } = await openUnseen();
  const held = await hold([
    sql`update networks set stale_after_hours = null where id = ${network_id}`,
  ]);
  await sweepStaleAll();
  await held.commit();
  await sweepStaleAll();
  expect(await staleOf()).toEqual([]);
  expect(
    await sql`select from app.stale_sweeps where organization_id = ${organization.id}`,
  ).toEqual([]);
});

test("the job does not wait for the deletion of an organization, and processes other organizations", async () => {
  const [deleted, other] = [await openUnseen(), await openUnseen()];
  const held = await hold([sql`delete from organizations where id = ${deleted.organization.id}`]);
  await sweepStaleAll();
  expect(await other.staleOf()).toEqual(["host 1"]);
  await held.commit();
  await sweepStaleAll();
});

test("concurrent runs, imports, replacements and changes to stale_after_hours have the same result as sequential ones", async () => {
  const rounds = Math.ceil(inject("raceRounds") / 10);
  for (let round = 1; round <= rounds; round++) {
    const { hosts, setHours, see, replace, send, staleOf, organization } = await openUnseen(6);
    const seen = hosts.slice(0, 3);
    const [renamed] = hosts.slice(-1);
    const id = renamed?.id ?? "";
    const outcomes = await Promise.all([
      atOnce(2, sweepStaleAll).then(() => null),
      see(seen),
      send("PUT", `hosts/${id}`, { name: "renamed" }),
      setHours(23),
      sweepStaleAll().then(() => null),
    ]);
    for (const outcome of outcomes) {
      // A writer can get `request_conflict` because of another writer. Nothing else may fail.
      expect([undefined, 200, 409]).toContain(outcome?.status);
    }
    await see(seen);
    await replace("hosts", id, { name: "renamed" });
    await sweepStaleAll();
    expect(await staleOf()).toEqual(["host 4", "host 5", "renamed"]);
    const overlaps = await sql`
      select from hosts where organization_id = ${organization.id} and valid_from >= valid_to`;
    expect(overlaps).toEqual([]);
  }
}, 120_000);
