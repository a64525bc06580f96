import { expect, test } from "vitest";
import { openInventory } from "../../helpers/inventory.ts";

async function openHosts() {
  const inventory = await openInventory();
  const host = await inventory.create("hosts", { name: "first" });
  const other = await inventory.create("hosts", { name: "second" });
  return { ...inventory, host, other };
}

test.each([
  [443, "Tcp", "Https"],
  [443, "Udp", "Custom"],
  [22, "Tcp", "Ssh"],
  [53, "Udp", "DnsUdp"],
  [53, "Tcp", "DnsTcp"],
  [161, "Udp", "Snmp"],
  [1, "Tcp", "Custom"],
  [65_535, "Udp", "Custom"],
])("port %i/%s has the type %s, regardless of the request", async (number, protocol, type) => {
  const { create, host, network_id } = await openHosts();
  const sent = { host_id: host.id, number, protocol, type: "Other" };
  expect(await create("ports", sent)).toMatchObject({ number, protocol, type, network_id });
});

test.each([
  ["number", { number: 0, protocol: "Tcp" }],
  ["number", { number: 65_536, protocol: "Tcp" }],
  ["number", { number: 1.5, protocol: "Tcp" }],
  ["protocol", { number: 1, protocol: "tcp" }],
  ["protocol", { number: 1 }],
])("rejects an invalid %s: %j", async (field, sent) => {
  const { send, host } = await openHosts();
  expect(await send("POST", "ports", { host_id: host.id, ...sent })).toMatchObject({
    status: 400,
    body: { params: { issues: [{ path: `body.${field}` }] } },
  });
});

test("rejects a live port that the host already has with the same protocol", async () => {
  const { create, send, remove, host, other } = await openHosts();
  const sent = { host_id: host.id, number: 53, protocol: "Tcp" };
  const first = await create("ports", sent);
  await create("ports", { ...sent, protocol: "Udp" });
  await create("ports", { ...sent, host_id: other.id });
  expect(await send("POST", "ports", sent)).toMatchObject({ status: 409 });
  const second = await create("ports", { ...sent, number: 54 });
  expect(await send("PUT", `ports/${second.id}`, sent)).toMatchObject({ status: 409 });
  await remove("ports", first.id);
  expect((await create("ports", sent)).id).not.toBe(first.id);
});

test("rejects a change to a port's host", async () => {
  const { create, send, host, other } = await openHosts();
  const { id } = await create("ports", { host_id: host.id, number: 53, protocol: "Tcp" });
  const sent = { host_id: other.id, number: 53, protocol: "Tcp" };
  expect(await send("PUT", `ports/${id}`, sent)).toMatchObject({
    status: 400,
    body: { params: { issues: [{ path: "body.host_id" }] } },
  });
});

test("filters select ports by host, number, protocol, ids and text, and order_by sorts them", async () => {
  const { create, list, host, other } = await openHosts();
  const add = (host_id: string, number: number, protocol: string) =>
    create("ports", { host_id, number, protocol });
  const a = await add(host.id, 443, "Tcp");
  const b = await add(host.id, 53, "Udp");
  const c = await add(other.id, 53, "Tcp");
  const names = new Map([a, b, c].map(({ id }, at) => [id, "abc"[at]]));
  const found = async (query: Record<string, string>) =>
    (await list("ports", query)).map(({ id }) => names.get(id)).join("");
  expect(await found({})).toBe("abc");
  expect(await found({ host_id: host.id })).toBe("ab");
  expect(await found({ number: "53" })).toBe("bc");
  expect(await found({ number: "53", protocol: "Udp" })).toBe("b");
  expect(await found({ protocol: "Tcp" })).toBe("ac");
  expect(await found({ ids: c.id })).toBe("c");
  expect(await found({ q: "443" })).toBe("a");
  expect(await found({ q: b.id })).toBe("b");
  expect(await found({ order_by: "number", order_direction: "desc" })).toMatch(/^a(bc|cb)$/);
});
