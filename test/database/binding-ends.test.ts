import { expect, test } from "vitest";
import { passedInstant, versionsOf } from "../helpers/binding-versions.ts";
import { sql } from "../helpers/database.ts";
import { mintBinding, mintOrganization } from "../helpers/organization.ts";
import { rowsOf } from "../helpers/rows.ts";

const past = "2026-01-01T00:00:00.000Z";

/** A binding with one closed version and a live one. */
async function mintChangedBinding() {
  const { id: organizationId, networks } = await mintOrganization();
  const [network] = networks;
  const [first, second] = network.ip_address_ids;
  const values = { created_at: past, valid_from: past, ip_address_id: first };
  const id = await mintBinding(organizationId, network, values);
  await sql`update bindings set ip_address_id = ${second} where id = ${id}`;
  await passedInstant();
  const [closed, live, ...more] = await versionsOf(id);
  if (!closed || !live || more.length > 0) {
    throw new Error("expected one closed version and one live");
  }
  return { organizationId, network, address: second, id, closed, live };
}

test.each([
  ["the binding itself", "bindings", ({ id }) => id],
  ["its service", "services", ({ network }) => network.service_id],
  ["its port", "ports", ({ network }) => network.port_id],
  ["its address", "ip_addresses", ({ address }) => address],
  ["its host", "hosts", ({ network }) => network.host_id],
  ["its network", "networks", ({ network }) => network.id],
] satisfies [string, string, (minted: Awaited<ReturnType<typeof mintChangedBinding>>) => string][])(
  "deleting %s closes the live version and keeps the history",
  async (_, table, idOf) => {
    const minted = await mintChangedBinding();
    const { id, closed, live } = minted;
    const earliest = await passedInstant();
    await sql.query(`delete from ${table} where id = $1`, [idOf(minted)]);
    const latest = await passedInstant();
    const [first, second, ...more] = await versionsOf(id);
    expect(more).toEqual([]);
    expect(first).toEqual(closed);
    expect(second).toEqual({
      ...live,
      id: second?.id,
      lineage_id: id,
      valid_to: second?.valid_to,
      current_id: null,
      live_host_id: null,
      live_service_id: null,
      live_port_id: null,
      live_ip_address_id: null,
    });
    expect(second?.id).not.toBe(id);
    const closedAt = second?.valid_to ?? "";
    expect([earliest, closedAt, latest].sort()).toEqual([earliest, closedAt, latest]);
  },
);

test("deleting a record to which only a closed version was bound changes nothing", async () => {
  const { network, id, closed, live } = await mintChangedBinding();
  await sql`delete from ip_addresses where id = ${network.ip_address_ids[0]}`;
  expect(await versionsOf(id)).toEqual([closed, live]);
});

test("deleting an organization deletes only its own history", async () => {
  const { organizationId, id } = await mintChangedBinding();
  const other = await mintChangedBinding();
  const before = await rowsOf(other.organizationId);
  await sql`delete from organizations where id = ${organizationId}`;
  expect(await versionsOf(id)).toEqual([]);
  const left = Object.values(await rowsOf(organizationId)).flat();
  expect(left).toEqual([]);
  expect(await rowsOf(other.organizationId)).toEqual(before);
});

test("an organization with only closed bindings can be deleted", async () => {
  const { organizationId, network, id } = await mintChangedBinding();
  await sql`delete from networks where id = ${network.id}`;
  expect(await versionsOf(id)).toHaveLength(2);
  await sql`delete from organizations where id = ${organizationId}`;
  expect(await versionsOf(id)).toEqual([]);
});
