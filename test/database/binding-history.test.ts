import { expect, test } from "vitest";
import { passedInstant, versionsOf } from "../helpers/binding-versions.ts";
import { sql } from "../helpers/database.ts";
import { mintBinding, mintNetwork, mintOrganization } from "../helpers/organization.ts";

const past = "2026-01-01T00:00:00.000Z";
const times = { created_at: past, updated_at: past, last_seen_at: past, valid_from: past };

async function mintOldBinding() {
  const { id: organizationId, networks } = await mintOrganization();
  const [network] = networks;
  const id = await mintBinding(organizationId, network, times);
  return { organizationId, network, id };
}

test("a change adds a closed copy with a new id, and the live version keeps its id", async () => {
  const { network, id } = await mintOldBinding();
  const [before] = await versionsOf(id);
  const earliest = await passedInstant();
  await sql`update bindings set ip_address_id = ${network.ip_address_ids[0]} where id = ${id}`;
  const latest = await passedInstant();
  const [closed, live, ...more] = await versionsOf(id);
  expect(more).toEqual([]);
  expect(closed).toEqual({
    ...before,
    id: closed?.id,
    lineage_id: id,
    valid_to: live?.valid_from,
    current_id: null,
    live_host_id: null,
    live_service_id: null,
    live_port_id: null,
    live_ip_address_id: null,
  });
  expect(closed?.id).not.toBe(id);
  expect(live).toEqual({
    ...before,
    ip_address_id: network.ip_address_ids[0],
    live_ip_address_id: network.ip_address_ids[0],
    updated_at: live?.updated_at,
    revision: Number(before?.revision) + 1,
    valid_from: live?.valid_from,
  });
  const changedAt = live?.valid_from ?? "";
  expect([earliest, changedAt, latest].sort()).toEqual([earliest, changedAt, latest]);
  expect(live?.updated_at).toBe(changedAt);
});

test("every change to a binding's target starts a new version", async () => {
  const { organizationId, network, id } = await mintOldBinding();
  const other = await mintNetwork(organizationId);
  const changes = [
    sql`update bindings set ip_address_id = ${network.ip_address_ids[0]} where id = ${id}`,
    sql`update bindings set ip_address_id = ${network.ip_address_ids[1]} where id = ${id}`,
    sql`update bindings set type = 'IPAddress', port_id = null where id = ${id}`,
    sql`update bindings set network_id = ${other.id}, service_id = ${other.service_id},
      ip_address_id = ${other.ip_address_ids[0]} where id = ${id}`,
    sql`update bindings set type = 'Port', port_id = ${other.port_id}, ip_address_id = null
      where id = ${id}`,
  ];
  for (const [position, change] of changes.entries()) {
    await change;
    await passedInstant();
    const versions = await versionsOf(id);
    expect(versions).toHaveLength(position + 2);
    expect(versions.map(({ valid_to }) => valid_to)).toEqual([
      ...versions.slice(1).map(({ valid_from }) => valid_from),
      null,
    ]);
    expect(versions.at(-1)).toMatchObject({ id, lineage_id: null, created_at: past });
    expect(versions.slice(0, -1).every(({ lineage_id }) => lineage_id === id)).toBe(true);
  }
});

test("other changes to a binding do not start a new version", async () => {
  const { network, id } = await mintOldBinding();
  const discovery = crypto.randomUUID();
  const [before] = await versionsOf(id);
  await sql`update bindings set last_seen_at = now() where id = ${id}`;
  await sql`update bindings set updated_at = now() where id = ${id}`;
  await sql`update bindings set first_discovery_id = ${discovery} where id = ${id}`;
  await sql`update bindings set last_discovery_id = ${discovery} where id = ${id}`;
  await sql`update bindings set port_id = ${network.port_id} where id = ${id}`;
  const [after, ...more] = await versionsOf(id);
  expect(more).toEqual([]);
  expect(after).toEqual({
    ...before,
    first_discovery_id: discovery,
    last_discovery_id: discovery,
    last_seen_at: after?.last_seen_at,
    updated_at: after?.updated_at,
    // Seeing the binding again is not a change.
    revision: Number(before?.revision) + 3,
  });
  expect((after?.last_seen_at ?? "") > past).toBe(true);
});

test("two changes in one transaction start one new version, with the values of the last change", async () => {
  const { network, id } = await mintOldBinding();
  const [first, second] = network.ip_address_ids;
  await sql.transaction([
    sql`update bindings set ip_address_id = ${first} where id = ${id}`,
    sql`select pg_sleep(0.005)`,
    sql`update bindings set ip_address_id = ${second} where id = ${id}`,
  ]);
  const versions = await versionsOf(id);
  expect(versions.map(({ ip_address_id }) => ip_address_id)).toEqual([null, second]);
  expect(versions.map(({ valid_to }) => valid_to)).toEqual([versions[1]?.valid_from, null]);
  expect(versions[1]).toMatchObject({ id });
});

test("a zero-length version leaves no row", async () => {
  const { id: organizationId, networks } = await mintOrganization();
  const [network] = networks;
  // As if written while the clock was ahead: the version starts later than the current time.
  const future = "2999-01-01T00:00:00.000Z";
  const id = await mintBinding(organizationId, network, { valid_from: future });
  await sql`update bindings set ip_address_id = ${network.ip_address_ids[0]} where id = ${id}`;
  const [live, ...more] = await versionsOf(id);
  expect(more).toEqual([]);
  expect(live).toMatchObject({
    id,
    valid_from: future,
    valid_to: null,
    ip_address_id: network.ip_address_ids[0],
  });
  await sql`delete from bindings where id = ${id}`;
  expect(await versionsOf(id)).toEqual([]);
});

test("a transaction that is rolled back leaves the history unchanged", async () => {
  const { network, id } = await mintOldBinding();
  const before = await versionsOf(id);
  await expect(
    sql.transaction([
      sql`update bindings set ip_address_id = ${network.ip_address_ids[0]} where id = ${id}`,
      sql`select 1 / 0`,
    ]),
  ).rejects.toMatchObject({ code: "22012" });
  expect(await versionsOf(id)).toEqual(before);
});
