import { describe, expect, test } from "vitest";
import { openInventory } from "../../helpers/inventory.ts";

/** Creates a host with two addresses, the first of which is on an interface. */
async function openHost() {
  const inventory = await openInventory();
  const [first, second] = [crypto.randomUUID(), crypto.randomUUID()];
  const host = await inventory.create("hosts", {
    name: "switch",
    ip_addresses: [
      { id: first, ip_address: "192.0.2.1" },
      { id: second, ip_address: "192.0.2.2" },
    ],
    interfaces: [
      {
        if_index: 1,
        name: "ge-0/0/0",
        type: 6,
        speed_bps: 400_000_000_000,
        mac_address: "02005e000001",
        admin_status: "Up",
        oper_status: "LowerLayerDown",
        ip_address_ids: [first],
      },
    ],
  });
  const [own] = host.interfaces;
  if (!own) {
    throw new Error("The host has no interface.");
  }
  return { ...inventory, host, own, first, second };
}

test("a host contains its interfaces in order", async () => {
  const { host, own, first, create, read, list } = await openHost();
  expect(own).toMatchObject({
    host_id: host.id,
    network_id: host.network_id,
    if_index: 1,
    name: "ge-0/0/0",
    description: null,
    type: 6,
    speed_bps: 400_000_000_000,
    mac_address: "02:00:5E:00:00:01",
    admin_status: "Up",
    oper_status: "LowerLayerDown",
    ip_address_ids: [first],
  });
  const other = await create("interfaces", { host_id: host.id, if_index: 2_147_483_647 });
  const before = await create("interfaces", { host_id: host.id, if_index: 2, speed_bps: 0 });
  const current = await read("hosts", host.id);
  expect(current.interfaces).toEqual([own, before, other]);
  expect(await list("hosts")).toEqual([current]);
  expect(await list("interfaces", { order_by: "if_index" })).toEqual([own, before, other]);
});

test("a list without children has no interfaces", async () => {
  const { send, network_id } = await openHost();
  const answer = await send("GET", `hosts?network_id=${network_id}&include_children=false`);
  const { data } = answer.body as { data: object[] };
  expect(data).toHaveLength(1);
  expect(data[0]).not.toHaveProperty("interfaces");
});

test.each([
  { left: undefined, kept: "omitted" },
  { left: null, kept: "null" },
])("a PUT with $kept interfaces keeps them, and an empty list removes them", async ({ left }) => {
  const { host, own, read, replace } = await openHost();
  await replace("hosts", host.id, { name: "switch", interfaces: left });
  expect((await read("hosts", host.id)).interfaces).toEqual([own]);
  const emptied = await replace("hosts", host.id, { name: "switch", interfaces: [] });
  expect(emptied.interfaces).toEqual([]);
});

test("accepts interfaces in the form in which they were read, and two with swapped numbers", async () => {
  const { host, own, create, read, replace } = await openHost();
  const other = await create("interfaces", { host_id: host.id, if_index: 2 });
  const current = await read("hosts", host.id);
  expect((await replace("hosts", host.id, current)).interfaces).toEqual([own, other]);
  const exchanged = await replace("hosts", host.id, {
    ...current,
    interfaces: [
      { ...own, if_index: 2 },
      { ...other, if_index: 1 },
    ],
  });
  expect(exchanged.interfaces.map(({ id }) => id)).toEqual([other.id, own.id]);
});

test("a PATCH of a host replaces all of its interfaces, or keeps them", async () => {
  const { host, own, read, send } = await openHost();
  const patch = (fields: object) => send("PATCH", `hosts/${host.id}`, fields);
  expect(await patch({ description: "In the hall" })).toMatchObject({ status: 200 });
  expect((await read("hosts", host.id)).interfaces).toEqual([own]);
  expect(await patch({ interfaces: [{ if_index: 2 }] })).toMatchObject({
    status: 200,
    body: { data: { interfaces: [{ if_index: 2, name: null }] } },
  });
  expect(await patch({ interfaces: [] })).toMatchObject({ body: { data: { interfaces: [] } } });
});

test("a PATCH of an interface changes the fields in the request, and null clears a field", async () => {
  const { own, send } = await openHost();
  const { updated_at: _, valid_from: __, ...before } = own;
  expect(
    await send("PATCH", `interfaces/${own.id}`, { oper_status: "Up", speed_bps: null }),
  ).toMatchObject({
    status: 200,
    body: { data: { ...before, oper_status: "Up", speed_bps: null } },
  });
});

test("a change to an interface changes its host's entity tag", async () => {
  const { host, create, remove, replace, send } = await openHost();
  const tagOf = async () => (await send("GET", `hosts/${host.id}`)).headers.get("ETag") ?? "";
  const tags = [await tagOf()];
  const other = await create("interfaces", { host_id: host.id, if_index: 2 });
  tags.push(await tagOf());
  await replace("interfaces", other.id, { host_id: host.id, if_index: 3 });
  tags.push(await tagOf());
  await remove("interfaces", other.id);
  tags.push(await tagOf());
  expect(new Set(tags).size).toBe(4);
  expect(
    await send("PUT", `hosts/${host.id}`, host, { "If-Match": tags.at(-2) ?? "" }),
  ).toMatchObject({ status: 412, body: { params: { etag: tags.at(-1) } } });
});

test("an interface that is created again is another record with the same number", async () => {
  const { host, own, create, list, remove } = await openHost();
  await remove("interfaces", own.id);
  const again = await create("interfaces", { host_id: host.id, if_index: 1, name: "again" });
  expect(again.id).not.toBe(own.id);
  const at = async (instant: string) =>
    (await list("interfaces", { at: instant })).map((one) => [one.lineage_id ?? one.id, one.name]);
  expect(await at(own.valid_from)).toEqual([[own.id, "ge-0/0/0"]]);
  const [before] = await list("interfaces", { at: own.valid_from });
  expect(await at(before?.valid_to ?? "")).toEqual([]);
  expect(await at(again.valid_from)).toEqual([[again.id, "again"]]);
});

test("rejects a number that the host already has", async () => {
  const { host, own, send } = await openHost();
  const again = { host_id: host.id, if_index: 1 };
  expect(await send("POST", "interfaces", again)).toMatchObject({
    status: 409,
    body: {
      code: "entity_already_exists",
      params: { entity: "Interface", field: "body.if_index", id: own.id },
    },
  });
  expect(await send("POST", "interfaces/bulk", [again, again])).toMatchObject({ status: 400 });
});

describe("the addresses of an interface", () => {
  test("must belong to its host", async () => {
    const { host, own, create, send } = await openHost();
    const other = await create("hosts", {
      name: "other",
      ip_addresses: [{ ip_address: "192.0.2.3" }],
    });
    const strange = { ip_address_ids: [other.ip_addresses[0]?.id] };
    expect(await send("PATCH", `interfaces/${own.id}`, strange)).toMatchObject({
      status: 400,
      body: { code: "entity_reference_invalid", params: { field: "body.ip_address_ids" } },
    });
    const json = { ...host, interfaces: [{ if_index: 3, ...strange }] };
    expect(await send("PUT", `hosts/${host.id}`, json)).toMatchObject({
      status: 400,
      body: {
        code: "entity_reference_invalid",
        params: { field: "body.interfaces[0].ip_address_ids" },
      },
    });
  });

  test("are sorted", async () => {
    const { own, first, second, send, read } = await openHost();
    const sorted = [first, second].sort();
    const ip_address_ids = sorted.toReversed();
    expect(await send("PATCH", `interfaces/${own.id}`, { ip_address_ids })).toMatchObject({
      status: 200,
      body: { data: { ip_address_ids: sorted } },
    });
    expect((await read("interfaces", own.id)).ip_address_ids).toEqual(sorted);
  });

  test("are removed from it in a new version when they are deleted, and kept in history", async () => {
    const { host, own, first, read, remove, list } = await openHost();
    const before = await read("hosts", host.id);
    await remove("ip-addresses", first);
    const now = await read("interfaces", own.id);
    expect(now).toMatchObject({ ip_address_ids: [] });
    expect(now.valid_from > own.valid_from).toBe(true);
    const [past] = await list("hosts", { at: before.updated_at });
    expect(past?.interfaces).toMatchObject([
      { lineage_id: own.id, ip_address_ids: [first], valid_to: now.valid_from },
    ]);
    expect(past?.ip_addresses.map(({ lineage_id, id }) => lineage_id ?? id)).toContain(first);
  });

  test("are limited to 1,000, and one more is rejected", async () => {
    const { create, send } = await openInventory();
    const addresses = Array.from({ length: 1001 }, (_, at) => ({
      id: crypto.randomUUID(),
      ip_address: `10.0.${at >> 8}.${at & 255}`,
    }));
    const host = await create("hosts", { name: "router", ip_addresses: addresses.slice(0, 1000) });
    const on = { host_id: host.id };
    const last = await create("ip-addresses", { ...on, ...addresses[1000] });
    const ip_address_ids = addresses.slice(0, 1000).map(({ id }) => id);
    const full = await create("interfaces", { ...on, if_index: 1, ip_address_ids });
    expect(full.ip_address_ids).toEqual(ip_address_ids.toSorted());
    const beyond = [...ip_address_ids, last.id];
    expect(await send("PATCH", `interfaces/${full.id}`, { ip_address_ids: beyond })).toMatchObject({
      status: 400,
      body: { params: { issues: [{ path: "body.ip_address_ids" }] } },
    });
  });

  test("are removed from it when a PUT of the host deletes them", async () => {
    const { host, second, replace } = await openHost();
    const { interfaces: _, ...own } = host;
    const ip_addresses = host.ip_addresses.filter(({ id }) => id === second);
    expect((await replace("hosts", host.id, { ...own, ip_addresses })).interfaces).toMatchObject([
      { ip_address_ids: [] },
    ]);
  });
});

test("filters select interfaces by host, number, MAC address, and complete name", async () => {
  const { host, own, create, list } = await openHost();
  const other = await create("interfaces", { host_id: host.id, if_index: 20, name: "Eth20" });
  const found = async (query: Record<string, string>) =>
    (await list("interfaces", query)).map(({ id }) => id);
  expect(await found({ host_id: host.id, order_by: "if_index" })).toEqual([own.id, other.id]);
  expect(await found({ if_index: "20" })).toEqual([other.id]);
  expect(await found({ mac: "02-00-5e-00-00-01" })).toEqual([own.id]);
  expect(await found({ q: "02005E000001" })).toEqual([own.id]);
  expect(await found({ q: "20" })).toEqual([other.id]);
  expect(await found({ q: "Eth20" })).toEqual([other.id]);
  expect(await found({ q: "Eth2" })).toEqual([]);
  expect(await found({ q: own.id })).toEqual([own.id]);
  expect(await found({ q: "4294967296" })).toEqual([]);
});

test("consolidation moves interfaces, and merges interfaces with the same number", async () => {
  const { host, own, first, create, send, read, list } = await openHost();
  const [theirs, shared] = [crypto.randomUUID(), crypto.randomUUID()];
  const other = await create("hosts", {
    name: "other",
    ip_addresses: [
      { id: theirs, ip_address: "192.0.2.3", subnet_id: null },
      { id: shared, ip_address: "192.0.2.1", subnet_id: null },
    ],
    interfaces: [
      { if_index: 1, name: "weaker", description: "Uplink", ip_address_ids: [theirs] },
      { if_index: 7, name: "moves", ip_address_ids: [shared, theirs] },
    ],
  });
  const moved = other.interfaces[1];
  const answer = await send("PUT", `hosts/${host.id}/consolidate/${other.id}`);
  expect(answer).toMatchObject({ status: 200 });
  const { interfaces } = await read("hosts", host.id);
  expect(interfaces).toMatchObject([
    {
      id: own.id,
      name: "ge-0/0/0",
      description: "Uplink",
      ip_address_ids: [first, theirs].sort(),
    },
    { id: moved?.id, name: "moves", ip_address_ids: [first, theirs].sort() },
  ]);
  expect(await list("interfaces", { order_by: "if_index" })).toEqual(interfaces);
});

test("deleting a host deletes its interfaces", async () => {
  const { host, own, remove, list } = await openHost();
  await remove("hosts", host.id);
  expect(await list("interfaces")).toEqual([]);
  const [past] = await list("interfaces", { at: own.valid_from });
  expect(past).toMatchObject({ lineage_id: own.id, ip_address_ids: own.ip_address_ids });
});

test.each([
  { if_index: 0 },
  { if_index: 2_147_483_648 },
  { speed_bps: -1 },
  { speed_bps: Number.MAX_SAFE_INTEGER + 1 },
  { type: 0 },
  { admin_status: "Dormant" },
  { oper_status: "up" },
  { mac_address: "02:00" },
  { ip_address_ids: null },
])("rejects %o", async (field) => {
  const { host, send } = await openHost();
  expect(
    await send("POST", "interfaces", { host_id: host.id, if_index: 5, ...field }),
  ).toMatchObject({ status: 400, body: { code: "validation_failed" } });
});
