import { beforeEach, expect, test } from "vitest";
import { sql } from "../../helpers/database.ts";
import { type Inventory, mintEmptyNetwork, openInventory } from "../../helpers/inventory.ts";

let inventory: Inventory;

beforeEach(async () => {
  inventory = await openInventory();
});

const subnet = (cidr: string, of: object = {}) => inventory.create("subnets", { cidr, ...of });
const parentOf = async (id: string) => (await inventory.read("subnets", id)).parent_id;

async function cidrs(query: Record<string, string>): Promise<string[]> {
  return (await inventory.list("subnets", query)).map(({ cidr }) => cidr).sort();
}

const instant = () => new Date().toISOString();

test("the parent is the smallest other subnet that contains the block", async () => {
  const all = await subnet("0.0.0.0/0");
  const ten = await subnet("10.0.0.0/8");
  const first = await subnet("10.0.0.0/24");
  const half = await subnet("10.0.0.0/25");
  const one = await subnet("10.0.0.1/32");
  const v6 = await subnet("2001:db8::/64");
  expect(await Promise.all([all, ten, first, half, one, v6].map(({ id }) => parentOf(id)))).toEqual(
    [null, all.id, ten.id, first.id, half.id, null],
  );
  await inventory.remove("subnets", first.id);
  expect(await parentOf(half.id)).toBe(ten.id);
});

test("the parent is on the same network", async () => {
  const network_id = await mintEmptyNetwork(inventory.organization.id);
  await subnet("10.0.0.0/8", { network_id });
  const { id } = await subnet("10.0.0.0/24");
  expect(await parentOf(id)).toBeNull();
});

test("with at, the parent and the recorded addresses are those of that instant", async () => {
  const ten = await subnet("10.0.0.0/8");
  const { id } = await subnet("10.0.0.0/24");
  const host = await inventory.create("hosts", {
    name: "server",
    ip_addresses: [{ ip_address: "10.0.0.1" }, { ip_address: "10.0.0.2" }],
  });
  const before = instant();
  await inventory.remove("subnets", ten.id);
  await inventory.remove("hosts", host.id);
  expect(await inventory.read("subnets", id)).toMatchObject({
    parent_id: null,
    utilization: { recorded: 0, seen_last_day: 0 },
  });
  expect(await inventory.list("subnets", { at: before, ids: id })).toMatchObject([
    {
      parent_id: ten.id,
      utilization: { addresses: 254, recorded: 2, seen_last_day: null },
    },
  ]);
});

test("the utilization counts the subnet's own addresses, and those seen in the last 24 hours", async () => {
  const outer = await subnet("10.0.0.0/16");
  const inner = await subnet("10.0.0.0/24");
  const host = await inventory.create("hosts", {
    name: "server",
    ip_addresses: ["10.0.0.1", "10.0.0.2", "10.0.9.9"].map((ip_address) => ({ ip_address })),
  });
  await sql`update ip_addresses set last_seen_at = now() - interval '25 hours'
    where host_id = ${host.id} and address = '10.0.0.2'`;
  const utilizations = async (query: Record<string, string>) =>
    (await inventory.list("subnets", { order_by: "cidr", ...query })).map(
      ({ utilization }) => utilization,
    );
  const expected = [
    { addresses: 65_534, recorded: 1, seen_last_day: 1 },
    { addresses: 254, recorded: 2, seen_last_day: 1 },
  ];
  expect(await utilizations({})).toEqual(expected);
  expect(await utilizations({ limit: "0" })).toEqual(expected);
  expect((await inventory.read("subnets", outer.id)).utilization).toEqual(expected[0]);
  expect((await inventory.read("subnets", inner.id)).utilization).toEqual(expected[1]);
});

test.each([
  ["10.0.0.0/8", 16_777_214],
  ["0.0.0.0/0", 4_294_967_294],
  ["2001:db8::/120", 255],
  ["2001:db8::/76", 4_503_599_627_370_495],
  ["2001:db8::/75", 9_007_199_254_740_991],
  ["2001:db8::/74", null],
  ["2001:db8::/64", null],
])("%s has %s addresses that can be assigned", async (cidr, addresses) => {
  expect((await subnet(cidr)).utilization.addresses).toBe(addresses);
});

test("a subnet can be sent back as it was read, which does not start a version", async () => {
  await subnet("10.0.0.0/8");
  const read = await subnet("10.0.0.0/24");
  const again = await inventory.replace("subnets", read.id, read);
  expect(again).toMatchObject({ parent_id: read.parent_id, valid_from: read.valid_from });
});

test("contains finds the subnets around an address or a whole block, including the block itself", async () => {
  for (const cidr of ["10.0.0.0/8", "10.0.0.0/24", "10.0.0.0/25", "10.1.0.0/16", "2001:db8::/32"]) {
    await subnet(cidr);
  }
  expect(await cidrs({ contains: "10.0.0.200" })).toEqual(["10.0.0.0/24", "10.0.0.0/8"]);
  expect(await cidrs({ contains: "10.0.0.0/24" })).toEqual(["10.0.0.0/24", "10.0.0.0/8"]);
  expect(await cidrs({ contains: "10.0.0.9/23" })).toEqual(["10.0.0.0/8"]);
  expect(await cidrs({ contains: "2001:db8::/64" })).toEqual(["2001:db8::/32"]);
  expect(await cidrs({ contains: "10.0.0.0/24", at: instant() })).toHaveLength(2);
});

test("within finds the subnets inside a block, without the block itself", async () => {
  const blocks = ["10.0.0.0/8", "10.0.0.0/24", "10.0.0.0/25", "10.255.255.255/32", "11.0.0.0/8"];
  for (const cidr of [...blocks, "2001:db8::/32"]) {
    await subnet(cidr);
  }
  const inside = ["10.0.0.0/24", "10.0.0.0/25", "10.255.255.255/32"];
  expect(await cidrs({ within: "10.0.0.0/8" })).toEqual(inside);
  expect(await cidrs({ within: "10.0.0.0/8", at: instant() })).toEqual(inside);
  expect(await cidrs({ within: "10.0.0.77/24" })).toEqual(["10.0.0.0/25"]);
  expect(await cidrs({ within: "0.0.0.0/0" })).toHaveLength(5);
  expect(await cidrs({ within: "::/0" })).toEqual(["2001:db8::/32"]);
});

test.each(["contains", "within"])("rejects a %s that is neither", async (name) => {
  expect(await inventory.send("GET", `subnets?${name}=10.0.0.0/33`)).toMatchObject({
    status: 400,
    body: { params: { issues: [{ path: `query.${name}` }] } },
  });
});
