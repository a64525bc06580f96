import { describe, expect, test } from "vitest";
import * as z from "zod";
import { type Vlan, vlanSchema } from "../../../src/inventory/vlans/model.ts";
import { linesOf } from "../../helpers/csv.ts";
import { type Inventory, openInventory } from "../../helpers/inventory.ts";
import { mintKey } from "../../helpers/organization.ts";

const page = z.object({
  data: z.array(vlanSchema),
  meta: z.object({
    pagination: z.object({ total_count: z.number(), has_more: z.boolean() }),
  }),
});

/** A page of VLANs, as read with this key. */
async function pageOf({ api, organization }: Inventory, query = "", key?: string) {
  const answer = await api.send("GET", `/api/v1/vlans?${query}`, {
    key: key ?? organization.keys.viewer,
  });
  expect(answer, query).toMatchObject({ status: 200 });
  return page.parse(answer.body);
}

/** The numbers of VLANs with their interfaces and hosts. */
const counts = (vlans: readonly Vlan[]) =>
  vlans.map(({ vlan_number, interfaces, hosts }) => [vlan_number, interfaces, hosts]);

/** A switch with a trunk and two access ports, and a host with an address on one of its ports. */
async function openScene() {
  const inventory = await openInventory();
  const { create } = inventory;
  const subnet = await create("subnets", { cidr: "10.20.0.0/24" });
  await create("hosts", {
    name: "switch",
    interfaces: [
      { if_index: 1, native_vlan: 1, tagged_vlans: [20, 30] },
      { if_index: 2, native_vlan: 20, tagged_vlans: [] },
      { if_index: 3, native_vlan: 20 },
      { if_index: 4 },
    ],
  });
  const address = crypto.randomUUID();
  const server = await create("hosts", {
    name: "server",
    ip_addresses: [{ id: address, ip_address: "10.20.0.7" }],
    interfaces: [{ if_index: 1, native_vlan: 20, ip_address_ids: [address] }],
  });
  return { ...inventory, subnet, server };
}

test("lists the VLANs of interfaces, each once per network, with their subnets", async () => {
  const inventory = await openScene();
  const { data, meta } = await pageOf(inventory);
  expect(counts(data)).toEqual([
    [1, 1, 1],
    [20, 4, 2],
    [30, 1, 1],
  ]);
  expect(meta.pagination).toMatchObject({ total_count: 3, has_more: false });
  expect(data[1]).toEqual({
    id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-a[\da-f]{3}-[\da-f]{12}$/),
    created_at: expect.any(String),
    updated_at: expect.any(String),
    organization_id: inventory.organization.id,
    network_id: inventory.network_id,
    vlan_number: 20,
    interfaces: 4,
    hosts: 2,
    name: "VLAN 20",
    subnet_ids: [inventory.subnet.id],
    tags: [],
  });
  expect(data[0]?.subnet_ids).toEqual([]);
});

test("fields chooses the fields, and include=labels adds the names of networks and subnets", async () => {
  const { api, organization, network_id, subnet } = await openScene();
  const list = (query: string, headers: Record<string, string> = {}) =>
    api.send("GET", `/api/v1/vlans?${query}`, { key: organization.keys.viewer, headers });
  expect(await list("fields=vlan_number,network_id&limit=1&include=labels")).toMatchObject({
    status: 200,
    body: {
      data: [{ vlan_number: 1, network_id }],
      meta: { labels: { [network_id]: expect.any(String) } },
    },
  });
  const { body } = await list("include=labels&limit=2");
  expect(body).toMatchObject({ meta: { labels: { [subnet.id]: subnet.cidr } } });
  const table = await list("fields=vlan_number,hosts", { Accept: "text/csv" });
  expect(linesOf(table.text)).toEqual([
    ["vlan_number", "hosts"],
    ["1", "1"],
    ["20", "2"],
    ["30", "1"],
  ]);
  expect(await list("include=labels", { Accept: "text/csv" })).toMatchObject({ status: 400 });
  expect(await list("include=labels&limit=0")).toMatchObject({ status: 400 });
  expect(await list("fields=number")).toMatchObject({ status: 400 });
});

test("the same number on two networks is two VLANs, each with the same id in every response", async () => {
  const inventory = await openScene();
  const { create, organization } = inventory;
  const other = organization.networks[1].id;
  await create("hosts", {
    network_id: other,
    name: "far switch",
    interfaces: [{ if_index: 1, native_vlan: 20 }],
  });
  const { data } = await pageOf(inventory);
  const twenties = data.filter(({ vlan_number }) => vlan_number === 20);
  expect(twenties.map(({ network_id }) => network_id).sort()).toEqual(
    [inventory.network_id, other].sort(),
  );
  expect(new Set(data.map(({ id }) => id)).size).toBe(data.length);
  const only = await pageOf(inventory, `network_id=${other}`);
  expect(only.data).toEqual(twenties.filter(({ network_id }) => network_id === other));
  const limited = await mintKey(organization.id, { role: "Viewer" }, [other]);
  expect((await pageOf(inventory, "", limited)).data).toEqual(only.data);
});

test("pages are parts of the whole list, in its order", async () => {
  const inventory = await openScene();
  const whole = await pageOf(inventory, "limit=0");
  const parts = [];
  for (let offset = 0; offset < 4; offset++) {
    const part = await pageOf(inventory, `limit=1&offset=${offset}`);
    expect(part.meta.pagination).toEqual(
      expect.objectContaining({ total_count: 3, has_more: offset < 2 }),
    );
    parts.push(...part.data);
  }
  expect(parts).toEqual(whole.data);
});

test("at an instant, lists the VLANs of that instant", async () => {
  const inventory = await openScene();
  const before = (await pageOf(inventory)).data;
  const { server } = inventory;
  const at = new Date(Date.parse(server.updated_at) + 1).toISOString();
  await inventory.remove("hosts", server.id);
  expect(counts((await pageOf(inventory)).data)[1]).toEqual([20, 3, 1]);
  const then = (await pageOf(inventory, `at=${at}`)).data;
  expect(counts(then)).toEqual(counts(before));
  expect(then.map(({ id, subnet_ids }) => ({ id, subnet_ids }))).toEqual(
    before.map(({ id, subnet_ids }) => ({ id, subnet_ids })),
  );
});

test("a trunk with every VLAN is listed as 4,094 VLANs", async () => {
  const inventory = await openInventory();
  const every = Array.from({ length: 4094 }, (_, index) => index + 1);
  await inventory.create("hosts", {
    name: "core",
    interfaces: [1, 2].map((if_index) => ({ if_index, tagged_vlans: every })),
  });
  const { data, meta } = await pageOf(inventory, "limit=1000&offset=3094");
  expect(meta.pagination.total_count).toBe(4094);
  expect(data.at(-1)).toMatchObject({ vlan_number: 4094, interfaces: 2, hosts: 1 });
});

test("a limit of 0 returns the maximum of a computed list, and says that there is more", async () => {
  const inventory = await openInventory();
  const every = Array.from({ length: 4094 }, (_, index) => index + 1);
  for (const name of ["One", "Two", "Three"]) {
    const { body } = await inventory.api.send("POST", "/api/v1/networks", {
      key: inventory.organization.keys.owner,
      json: { name },
    });
    const network = z.object({ data: z.object({ id: z.string() }) }).parse(body).data;
    await inventory.create("hosts", {
      network_id: network.id,
      name: "core",
      interfaces: [{ if_index: 1, tagged_vlans: every }],
    });
  }
  const { data, meta } = await pageOf(inventory, "limit=0");
  expect(data).toHaveLength(10_000);
  expect(meta.pagination).toMatchObject({ total_count: 3 * 4094, has_more: true });
});

describe("formats", () => {
  test.each([
    ["text/csv", /^id,created_at,updated_at,organization_id,network_id,vlan_number,.*\r\n/],
    ["application/x-ndjson", /^\{"id":.*\n\{"end":\{"count":3/s],
  ])("lists VLANs as %s", async (accept, expected) => {
    const { api, organization } = await openScene();
    const answer = await api.send("GET", "/api/v1/vlans", {
      key: organization.keys.viewer,
      headers: { Accept: accept },
    });
    expect(answer.status).toBe(200);
    expect(answer.text).toMatch(expected);
  });
});
