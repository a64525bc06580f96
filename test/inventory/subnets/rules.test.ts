import { expect, test } from "vitest";
import { openInventory } from "../../helpers/inventory.ts";

test("a subnet has every field of the contract, with its default", async () => {
  const { create, network_id, organization } = await openInventory();
  const { id, created_at, updated_at, last_seen_at, valid_from, ...rest } = await create(
    "subnets",
    { cidr: "192.0.2.0/24" },
  );
  expect([id, created_at, updated_at, last_seen_at, valid_from].every(Boolean)).toBe(true);
  expect(rest).toEqual({
    organization_id: organization.id,
    network_id,
    valid_to: null,
    lineage_id: null,
    first_discovery_id: null,
    last_discovery_id: null,
    cidr: "192.0.2.0/24",
    name: "192.0.2.0/24",
    description: null,
    external_id: null,
    metadata: {},
    subnet_type: "Unknown",
    tags: [],
    source: { type: "Manual" },
    parent_id: null,
    utilization: { addresses: 254, recorded: 0, seen_last_day: 0 },
  });
});

test.each([
  ["192.0.2.77/24", "192.0.2.0/24"],
  ["10.1.2.3/8", "10.0.0.0/8"],
  ["192.0.2.7/32", "192.0.2.7/32"],
  ["0.0.0.0/0", "0.0.0.0/0"],
  ["2001:DB8:0:0::/64", "2001:db8::/64"],
  ["2001:db8::1/64", "2001:db8::/64"],
])("normalizes the block %s to %s, which is also the default name", async (cidr, canonical) => {
  const { create } = await openInventory();
  expect(await create("subnets", { cidr })).toMatchObject({ cidr: canonical, name: canonical });
});

test.each(["192.0.2.0", "192.0.2.0/33", "192.0.2/24", "2001:db8::/129", "", "x"])(
  "rejects the block '%s'",
  async (cidr) => {
    const { send, network_id } = await openInventory();
    expect(await send("POST", "subnets", { network_id, cidr })).toMatchObject({
      status: 400,
      body: { code: "validation_failed", params: { issues: [{ path: "body.cidr" }] } },
    });
  },
);

test("rejects a block that a live subnet of the network already has, in any notation", async () => {
  const { create, replace, remove, send, network_id, organization } = await openInventory();
  const first = await create("subnets", { cidr: "192.0.2.0/24" });
  const taken = {
    status: 409,
    body: {
      code: "entity_already_exists",
      params: { entity: "Subnet", field: "body.cidr", id: first.id },
    },
  };
  const json = { network_id, cidr: "192.0.2.9/24" };
  expect(await send("POST", "subnets", json)).toMatchObject(taken);
  const second = await create("subnets", { cidr: "192.0.2.0/25" });
  expect(await send("PUT", `subnets/${second.id}`, json)).toMatchObject(taken);
  expect(await replace("subnets", first.id, { cidr: "192.0.2.9/24" })).toMatchObject({
    valid_from: first.valid_from,
  });
  await create("subnets", { ...json, network_id: organization.networks[0].id });
  await remove("subnets", first.id);
  expect((await create("subnets", { cidr: "192.0.2.0/24" })).id).not.toBe(first.id);
});

test("rejects a bulk create with a duplicate block, and creates nothing", async () => {
  const { send, list, network_id } = await openInventory();
  const twice = ["192.0.2.0/24", "198.51.100.0/24", "192.0.2.1/24"];
  const answer = await send(
    "POST",
    "subnets/bulk",
    twice.map((cidr) => ({ network_id, cidr })),
  );
  expect(answer).toMatchObject({ status: 400, body: { code: "validation_failed" } });
  expect(await list("subnets")).toEqual([]);
});

test("rejects a change to a subnet's network", async () => {
  const { create, send, organization } = await openInventory();
  const { id } = await create("subnets", { cidr: "192.0.2.0/24" });
  const json = { network_id: organization.networks[0].id, cidr: "192.0.2.0/24" };
  expect(await send("PUT", `subnets/${id}`, json)).toMatchObject({
    status: 400,
    body: { params: { issues: [{ path: "body.network_id" }] } },
  });
});

test("deleting a subnet keeps its addresses, which then have no subnet", async () => {
  const { create, read, remove, list } = await openInventory();
  const subnet = await create("subnets", { cidr: "192.0.2.0/24" });
  const host = await create("hosts", { name: "nas", ip_addresses: [{ ip_address: "192.0.2.7" }] });
  expect(host.ip_addresses).toMatchObject([{ subnet_id: subnet.id }]);
  await remove("subnets", subnet.id);
  const [after] = (await read("hosts", host.id)).ip_addresses;
  expect(after).toMatchObject({ id: host.ip_addresses[0]?.id, subnet_id: null });
  const before = { at: host.ip_addresses[0]?.valid_from ?? "" };
  expect(await list("ip-addresses", before)).toMatchObject([{ subnet_id: subnet.id }]);
  expect(await list("subnets", before)).toMatchObject([{ cidr: "192.0.2.0/24" }]);
});

/** Creates three subnets: a LAN with a tag, a smaller one inside it, and an IPv6 subnet. */
async function openSubnets() {
  const inventory = await openInventory();
  const { create, organization } = inventory;
  const [tag] = organization.tags;
  const lan = await create("subnets", { cidr: "192.0.2.0/24", name: "Lan", tags: [tag] });
  const dmz = await create("subnets", {
    cidr: "192.0.2.128/25",
    name: "Dmz",
    description: "Behind the firewall",
  });
  const six = await create("subnets", { cidr: "2001:db8::/64", name: "Six" });
  const names = { [lan.id]: "lan", [dmz.id]: "dmz", [six.id]: "six" };
  const found = async (query: Record<string, string>) =>
    (await inventory.list("subnets", query)).map(({ id }) => names[id]);
  return { ...inventory, lan, dmz, six, tag, found };
}

test("filters select subnets by a contained address, tags, ids and text", async () => {
  const { found, tag, six, dmz } = await openSubnets();
  expect(await found({})).toEqual(["lan", "dmz", "six"]);
  expect(await found({ contains: "192.0.2.200" })).toEqual(["lan", "dmz"]);
  expect(await found({ contains: "192.0.2.127" })).toEqual(["lan"]);
  expect(await found({ contains: "2001:DB8:0::1" })).toEqual(["six"]);
  expect(await found({ contains: "203.0.113.1" })).toEqual([]);
  expect(await found({ tag_ids: tag })).toEqual(["lan"]);
  expect(await found({ ids: six.id })).toEqual(["six"]);
  expect(await found({ q: "dM" })).toEqual(["dmz"]);
  expect(await found({ q: "firewall" })).toEqual(["dmz"]);
  expect(await found({ q: "192.0.2" })).toEqual(["lan", "dmz"]);
  expect(await found({ q: ":" })).toEqual(["six"]);
  expect(await found({ q: "/6" })).toEqual(["six"]);
  expect(await found({ q: "/" })).toEqual(["lan", "dmz", "six"]);
  expect(await found({ q: dmz.id.toUpperCase() })).toEqual(["dmz"]);
  expect(await found({ contains: "192.0.2.200", tag_ids: tag })).toEqual(["lan"]);
});

test("a search finds any character in the longest possible name and description", async () => {
  const { create, list } = await openInventory();
  const text = (from: number, length: number) =>
    Array.from({ length }, (_, at) => String.fromCodePoint(from + at)).join("");
  const { id } = await create("subnets", {
    cidr: "192.0.2.0/24",
    name: text(0x4e00, 100),
    description: text(0x5000, 500),
  });
  for (const q of [text(0x4e00, 1), text(0x4e40, 2), text(0x5000 + 499, 1)]) {
    expect(await list("subnets", { q }), q).toMatchObject([{ id }]);
  }
  expect(await list("subnets", { q: text(0x5000 + 499, 2) })).toEqual([]);
});

test("orders subnets by address, not as text", async () => {
  const { create, list } = await openInventory();
  for (const cidr of ["10.9.0.0/16", "10.10.0.0/16", "2001:db8::/64", "10.9.0.0/24"]) {
    await create("subnets", { cidr });
  }
  expect((await list("subnets", { order_by: "cidr" })).map(({ cidr }) => cidr)).toEqual([
    "10.9.0.0/16",
    "10.9.0.0/24",
    "10.10.0.0/16",
    "2001:db8::/64",
  ]);
});
