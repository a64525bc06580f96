import { expect, test } from "vitest";
import { openInventory } from "../../helpers/inventory.ts";

const newId = () => crypto.randomUUID();

async function openHosts() {
  const inventory = await openInventory();
  const host = await inventory.create("hosts", { name: "first" });
  const other = await inventory.create("hosts", { name: "second" });
  return { ...inventory, host, other };
}

test.each([
  ["192.0.2.7", "192.0.2.7"],
  ["2001:DB8:0:0:0:0:0:1", "2001:db8::1"],
  ["2001:db8::0001", "2001:db8::1"],
  ["::ffff:192.0.2.7", "::ffff:192.0.2.7"],
])("normalizes the address %s to %s", async (ip_address, canonical) => {
  const { create, host } = await openHosts();
  expect(await create("ip-addresses", { host_id: host.id, ip_address })).toMatchObject({
    ip_address: canonical,
  });
});

test.each(["192.0.2.7/24", "192.0.2.256", "192.0.2", "fe80::1%eth0", "", "nas"])(
  "rejects the address '%s'",
  async (ip_address) => {
    const { send, host } = await openHosts();
    expect(await send("POST", "ip-addresses", { host_id: host.id, ip_address })).toMatchObject({
      status: 400,
      body: { code: "validation_failed", params: { issues: [{ path: "body.ip_address" }] } },
    });
  },
);

test.each([
  "00:00:5e:00:53:af",
  "00-00-5E-00-53-AF",
  "0000.5e00.53af",
  "0000-5e00-53AF",
  "00005e-0053af",
  "00005E0053AF",
  "0:0:5e:0:53:af",
  "0-0-5E-0-53-af",
  "00 00 5E 00 53 AF ",
  " 0000.5E00.53AF\t",
])("normalizes the MAC address %s to 00:00:5E:00:53:AF", async (mac_address) => {
  const { create, list, host } = await openHosts();
  const sent = { host_id: host.id, ip_address: "192.0.2.7", mac_address };
  const created = await create("ip-addresses", sent);
  expect(created.mac_address).toBe("00:00:5E:00:53:AF");
  expect(await list("ip-addresses", { mac: mac_address })).toEqual([created]);
});

test.each(["", "  "])("treats the MAC address '%s' as null", async (mac_address) => {
  const { create, host } = await openHosts();
  const sent = { host_id: host.id, ip_address: "192.0.2.7", mac_address };
  expect((await create("ip-addresses", sent)).mac_address).toBeNull();
});

test.each([
  "00:00:5e:00:53",
  "00:00:5e:00:53:ag",
  "00:00:5e:00:53:af:00",
  "00:00:5e:ff:fe:00:53:af",
  "0:0:5e:0:53:",
  "000:0:5e:0:53:a",
])("rejects the MAC address '%s'", async (mac_address) => {
  const { send, host } = await openHosts();
  const sent = { host_id: host.id, ip_address: "192.0.2.7", mac_address };
  expect(await send("POST", "ip-addresses", sent)).toMatchObject({
    status: 400,
    body: { params: { issues: [{ path: "body.mac_address" }] } },
  });
});

test("assigns an address to the smallest subnet of its network that contains it, unless the request has one", async () => {
  const { create, replace, organization, host } = await openHosts();
  const lan = await create("subnets", { cidr: "192.0.2.0/24" });
  const dmz = await create("subnets", { cidr: "192.0.2.128/25" });
  await create("subnets", { cidr: "192.0.2.192/26", network_id: organization.networks[0].id });
  const add = (ip_address: string, more: object = {}) =>
    create("ip-addresses", { host_id: host.id, ip_address, ...more });
  expect((await add("192.0.2.7")).subnet_id).toBe(lan.id);
  const inside = await add("192.0.2.200");
  expect(inside.subnet_id).toBe(dmz.id);
  expect((await add("203.0.113.1")).subnet_id).toBeNull();
  expect((await add("192.0.2.201", { subnet_id: lan.id })).subnet_id).toBe(lan.id);
  expect((await add("192.0.2.202", { subnet_id: null })).subnet_id).toBeNull();
  const sent = { host_id: host.id, ip_address: "192.0.2.8" };
  expect(await replace("ip-addresses", inside.id, sent)).toMatchObject({ subnet_id: lan.id });
});

test("rejects a subnet of another network", async () => {
  const { create, send, organization, host } = await openHosts();
  const network_id = organization.networks[0].id;
  const subnet = await create("subnets", { cidr: "192.0.2.0/24", network_id });
  const sent = { host_id: host.id, ip_address: "192.0.2.7", subnet_id: subnet.id };
  const refused = {
    status: 400,
    body: { code: "validation_failed", params: { issues: [{ path: "body.subnet_id" }] } },
  };
  expect(await send("POST", "ip-addresses", sent)).toMatchObject(refused);
});

test("the network of an address is its host's, regardless of the request", async () => {
  const { create, host, network_id } = await openHosts();
  const sent = { host_id: host.id, ip_address: "192.0.2.7", network_id: newId() };
  expect(await create("ip-addresses", sent)).toMatchObject({ network_id, host_id: host.id });
});

test("rejects a change to an address's host", async () => {
  const { create, send, host, other } = await openHosts();
  const address = await create("ip-addresses", { host_id: host.id, ip_address: "192.0.2.7" });
  const sent = { host_id: other.id, ip_address: "192.0.2.7" };
  expect(await send("PUT", `ip-addresses/${address.id}`, sent)).toMatchObject({
    status: 400,
    body: { params: { issues: [{ path: "body.host_id" }] } },
  });
});

test("rejects a duplicate address on one host or in one subnet, but not outside subnets", async () => {
  const { create, send, host, other, remove } = await openHosts();
  const loose = { ip_address: "198.51.100.7" };
  await create("ip-addresses", { host_id: host.id, ...loose });
  await create("ip-addresses", { host_id: other.id, ...loose });
  const twice = await send("POST", "ip-addresses", { host_id: host.id, ...loose });
  expect(twice).toMatchObject({ status: 409, body: { success: false } });
  await create("subnets", { cidr: "192.0.2.0/24" });
  const first = await create("ip-addresses", { host_id: host.id, ip_address: "192.0.2.7" });
  const sent = { host_id: other.id, ip_address: "192.0.2.7" };
  expect(await send("POST", "ip-addresses", sent)).toMatchObject({ status: 409 });
  await remove("ip-addresses", first.id);
  await create("ip-addresses", sent);
});

test("filters select addresses by host, subnet, address, block, MAC, ids and text", async () => {
  const { create, list, host, other } = await openHosts();
  const subnet = await create("subnets", { cidr: "192.0.2.0/24" });
  const add = (host_id: string, ip_address: string, more: object = {}) =>
    create("ip-addresses", { host_id, ip_address, ...more });
  const a = await add(host.id, "192.0.2.7", { mac_address: "00:00:5E:00:53:01", name: "eth0" });
  const b = await add(host.id, "198.51.100.7");
  const c = await add(other.id, "2001:db8::7");
  const names = new Map([a, b, c].map(({ id }, at) => [id, "abc"[at]]));
  const found = async (query: Record<string, string>) =>
    (await list("ip-addresses", query)).map(({ id }) => names.get(id)).join("");
  expect(await found({})).toBe("abc");
  expect(await found({ host_id: host.id })).toBe("ab");
  expect(await found({ subnet_id: subnet.id })).toBe("a");
  expect(await found({ ip: "2001:DB8:0::7" })).toBe("c");
  expect(await found({ cidr: "198.51.100.200/24" })).toBe("b");
  expect(await found({ cidr: "192.0.2.7/32" })).toBe("a");
  expect(await found({ cidr: "2001:db8::/32" })).toBe("c");
  expect(await found({ mac: "0000.5e00.5301" })).toBe("a");
  expect(await found({ ids: b.id })).toBe("b");
  expect(await found({ q: "ETH" })).toBe("a");
  expect(await found({ q: "100.7" })).toBe("b");
  expect(await found({ q: "H0" })).toBe("a");
  expect(await found({ q: "::" })).toBe("c");
  expect(await found({ q: "1." })).toBe("b");
  expect(await found({ q: "_" })).toBe("");
  expect(await found({ q: "2001:DB8:0::7" })).toBe("c");
  expect(await found({ q: "00-00-5e-00-53-01" })).toBe("a");
  expect(await found({ q: "192.0.2.0/24" })).toBe("a");
  expect(await found({ q: c.id })).toBe("c");
});

test.each([100, 101])("accepts names of at most 100 characters (%i)", async (length) => {
  const { send, create, network_id } = await openInventory();
  const { id: host_id } = await create("hosts", { name: "nas" });
  const address = { ip_address: "192.0.2.1", name: "a".repeat(length) };
  const own = await send("POST", "ip-addresses", { ...address, host_id });
  const child = await send("POST", "hosts", { network_id, name: "b", ip_addresses: [address] });
  const expected = (path: string) =>
    length <= 100
      ? { status: 201 }
      : { status: 400, body: { code: "validation_failed", params: { issues: [{ path }] } } };
  expect(own).toMatchObject(expected("body.name"));
  expect(child).toMatchObject(expected("body.ip_addresses[0].name"));
});

test("an address has a status and a role, which start versions and can be filtered by, also at an instant", async () => {
  const { create, replace, list, send, host } = await openHosts();
  const sent = { host_id: host.id, ip_address: "192.0.2.7" };
  const created = await create("ip-addresses", sent);
  expect(created).toMatchObject({ status: "Active", role: null });
  const before = new Date().toISOString();
  const changed = await replace("ip-addresses", created.id, {
    ...sent,
    status: "Reserved",
    role: "Gateway",
  });
  expect(changed).toMatchObject({ status: "Reserved", role: "Gateway" });
  expect(changed.valid_from > created.valid_from).toBe(true);
  for (const [query, at] of [
    [{ status: "Reserved" }, { status: "Active" }],
    [{ role: "Gateway" }, { ids: created.id }],
  ] as const) {
    expect(await list("ip-addresses", query)).toEqual([changed]);
    expect(await list("ip-addresses", { ...query, at: before })).toEqual([]);
    expect(await list("ip-addresses", { ...at, at: before })).toMatchObject([
      { status: "Active", role: null },
    ]);
  }
  const { body } = await send("GET", `changes?entity=IPAddress&entity_id=${created.id}`);
  expect(Object(body).data.at(-1)).toMatchObject({
    changed: ["status", "role"],
    before: { status: "Active", role: null },
    after: { status: "Reserved", role: "Gateway" },
  });
});

test("rejects another status or role", async () => {
  const { send, host } = await openHosts();
  for (const field of ["status", "role"]) {
    const sent = { host_id: host.id, ip_address: "192.0.2.7", [field]: "Free" };
    expect(await send("POST", "ip-addresses", sent)).toMatchObject({
      status: 400,
      body: { params: { issues: [{ path: `body.${field}` }] } },
    });
  }
});

test("an import of the address does not change its status and role", async () => {
  const { create, read, send, network_id, host } = await openHosts();
  const sent = { host_id: host.id, ip_address: "192.0.2.7", status: "Deprecated", role: "Vip" };
  const { id } = await create("ip-addresses", sent);
  const hosts = [{ addresses: [{ ip_address: "192.0.2.7", mac_address: "00:00:5E:00:53:01" }] }];
  expect(await send("POST", `networks/${network_id}/imports`, { hosts })).toMatchObject({
    status: 200,
  });
  expect(await read("ip-addresses", id)).toMatchObject({
    status: "Deprecated",
    role: "Vip",
    mac_address: "00:00:5E:00:53:01",
  });
});

test("a consolidated host keeps the role that only the other host's address has", async () => {
  const { create, list, send, host, other } = await openHosts();
  await create("ip-addresses", { host_id: host.id, ip_address: "192.0.2.7", subnet_id: null });
  await create("ip-addresses", {
    host_id: other.id,
    ip_address: "192.0.2.7",
    subnet_id: null,
    role: "Vip",
  });
  expect(await send("PUT", `hosts/${host.id}/consolidate/${other.id}`)).toMatchObject({
    status: 200,
  });
  expect(await list("ip-addresses", { host_id: host.id })).toMatchObject([{ role: "Vip" }]);
});
