import { expect, test } from "vitest";
import { failed, seen } from "../../helpers/answers.ts";
import { type Inventory, openInventory } from "../../helpers/inventory.ts";
import { changingNothing } from "../../helpers/rows.ts";

const message = "must be a subnet of the same network that contains the address, or be omitted";
const strange = (...paths: string[]) =>
  failed("validation_failed", {
    issues: paths.map((path) => ({ path, message, code: "custom" })),
    issue_count: paths.length,
  });

type Requests = (
  inventory: Inventory,
  ids: { subnet_id: string; host_id: string; address_id: string },
) => [method: string, path: string, json: unknown, refusal: unknown];

const own = { ip_address: "172.16.0.1" };

test.each<[string, Requests]>([
  [
    "a new address",
    (_, { host_id, subnet_id }) => [
      "POST",
      "ip-addresses",
      { ...own, host_id, subnet_id },
      strange("body.subnet_id"),
    ],
  ],
  [
    "new addresses",
    (_, { host_id, subnet_id }) => [
      "POST",
      "ip-addresses/bulk",
      [
        { host_id, ip_address: "10.50.9.9", subnet_id },
        { ...own, host_id, subnet_id },
        { host_id, ip_address: "2001:db8::1", subnet_id },
      ],
      strange("body[1].subnet_id", "body[2].subnet_id"),
    ],
  ],
  [
    "a changed address",
    (_, { host_id, subnet_id, address_id }) => [
      "PUT",
      `ip-addresses/${address_id}`,
      { ...own, host_id, subnet_id },
      strange("body.subnet_id"),
    ],
  ],
  [
    "an address on a new host",
    ({ network_id }, { subnet_id }) => [
      "POST",
      "hosts/bulk",
      [
        { network_id, name: "None" },
        { network_id, name: "New", ip_addresses: [{ ...own, subnet_id }] },
      ],
      strange("body[1].ip_addresses[0].subnet_id"),
    ],
  ],
  [
    "an address on a changed host",
    ({ network_id }, { host_id, subnet_id }) => [
      "PUT",
      `hosts/${host_id}`,
      { network_id, name: "nas", ip_addresses: [{ ...own, subnet_id }] },
      strange("body.ip_addresses[0].subnet_id"),
    ],
  ],
])("rejects %s in a subnet that does not contain it", async (_, requestOf) => {
  const inventory = await openInventory();
  const { create, send, organization } = inventory;
  const subnet = await create("subnets", { cidr: "10.50.0.0/16" });
  const host = await create("hosts", { name: "nas", ip_addresses: [{ ip_address: "10.50.1.1" }] });
  const [method, path, json, refusal] = requestOf(inventory, {
    subnet_id: subnet.id,
    host_id: host.id,
    address_id: host.ip_addresses[0]?.id ?? "",
  });
  const request = () => send(method, path, json);
  expect(seen(await changingNothing(organization.id, request))).toEqual(refusal);
});

test("rejects a subnet of another network, even if it contains the address", async () => {
  const { create, send, organization } = await openInventory();
  const network_id = organization.networks[0].id;
  const subnet = await create("subnets", { cidr: "172.16.0.0/12", network_id });
  const host = await create("hosts", { name: "nas" });
  const sent = { ...own, host_id: host.id, subnet_id: subnet.id };
  expect(seen(await send("POST", "ip-addresses", sent))).toEqual(strange("body.subnet_id"));
});

test("a subnet whose block changes loses the addresses that it no longer contains", async () => {
  const { create, replace, read, list } = await openInventory();
  const wide = await create("subnets", { cidr: "10.50.0.0/20" });
  const narrow = await create("subnets", { cidr: "10.50.1.0/24" });
  const host = await create("hosts", {
    name: "nas",
    ip_addresses: ["10.50.1.1", "10.50.1.200"].map((ip_address, position) => ({
      ip_address,
      position,
    })),
  });
  const other = await create("hosts", {
    name: "printer",
    ip_addresses: [{ ip_address: "10.50.2.1", subnet_id: wide.id }],
  });
  expect(host.ip_addresses.map(({ subnet_id }) => subnet_id)).toEqual([narrow.id, narrow.id]);

  const moved = await replace("subnets", narrow.id, { cidr: "10.50.1.128/25" });
  const after = await read("hosts", host.id);
  expect(after.ip_addresses).toMatchObject([
    { subnet_id: wide.id, valid_from: moved.valid_from },
    { subnet_id: narrow.id, valid_from: host.ip_addresses[1]?.valid_from },
  ]);
  expect(await read("hosts", other.id)).toEqual(other);
  const at = host.ip_addresses[0]?.valid_from ?? "";
  expect(await list("ip-addresses", { at, subnet_id: narrow.id })).toHaveLength(2);

  await replace("subnets", wide.id, { cidr: "10.60.0.0/16" });
  expect((await read("hosts", host.id)).ip_addresses).toMatchObject([
    { subnet_id: null },
    { subnet_id: narrow.id },
  ]);
  expect((await read("hosts", other.id)).ip_addresses).toMatchObject([{ subnet_id: null }]);
});

test("an address that another host has in the new subnet is not assigned to any subnet", async () => {
  const { create, replace, read } = await openInventory();
  const wide = await create("subnets", { cidr: "10.50.0.0/16" });
  const host = await create("hosts", { name: "nas", ip_addresses: [{ ip_address: "10.50.1.1" }] });
  const narrow = await create("subnets", { cidr: "10.50.1.0/24" });
  const other = await create("hosts", {
    name: "printer",
    ip_addresses: [{ ip_address: "10.50.1.1" }],
  });
  expect(host.ip_addresses).toMatchObject([{ subnet_id: wide.id }]);
  expect(other.ip_addresses).toMatchObject([{ subnet_id: narrow.id }]);
  await replace("subnets", narrow.id, { cidr: "10.50.2.0/24" });
  expect((await read("hosts", host.id)).ip_addresses).toMatchObject([{ subnet_id: wide.id }]);
  expect((await read("hosts", other.id)).ip_addresses).toMatchObject([{ subnet_id: null }]);
});

test("refuses to delete a subnet if a host has the same address in it and outside subnets", async () => {
  const { create, send, network_id, organization, remove, read } = await openInventory();
  const host = await create("hosts", { name: "nas", ip_addresses: [{ ip_address: "10.50.1.1" }] });
  const subnet = await create("subnets", { cidr: "10.50.0.0/16" });
  const double = await create("ip-addresses", { host_id: host.id, ip_address: "10.50.1.1" });
  expect(double.subnet_id).toBe(subnet.id);
  const stuck = failed("entity_in_use", {
    entity: "Subnet",
    id: subnet.id,
    used_by: { addresses: 1 },
  });
  const requests = [
    ["DELETE", `subnets/${subnet.id}`, undefined],
    ["POST", "subnets/bulk-delete", [subnet.id]],
    ["PUT", `subnets/${subnet.id}`, { network_id, cidr: "10.60.0.0/16" }],
  ] as const;
  for (const [method, path, json] of requests) {
    const answer = await changingNothing(organization.id, () => send(method, path, json));
    expect(seen(answer)).toEqual(stuck);
    expect(answer.text).toContain(`still used by 1 address: delete or change them first`);
  }
  await remove("ip-addresses", double.id);
  await remove("subnets", subnet.id);
  expect((await read("hosts", host.id)).ip_addresses).toHaveLength(1);
});
