import { expect, test } from "vitest";
import { openInventory } from "../../helpers/inventory.ts";

async function openHosts() {
  const inventory = await openInventory();
  const host = await inventory.create("hosts", { name: "first" });
  const other = await inventory.create("hosts", { name: "second" });
  return { ...inventory, host, other };
}

test("a service's definition defaults to its name", async () => {
  const { create, replace, host } = await openHosts();
  const plain = await create("services", { host_id: host.id, name: "Web" });
  expect(plain).toMatchObject({ name: "Web", service_definition: "Web" });
  const defined = { host_id: host.id, name: "Web", service_definition: " Nginx " };
  expect(await replace("services", plain.id, defined)).toMatchObject({
    name: "Web",
    service_definition: "Nginx",
  });
});

test("stores every field of a service, and accepts two identical services on one host", async () => {
  const { create, read, replace, organization, host } = await openHosts();
  const sent = {
    host_id: host.id,
    name: "Web",
    service_definition: "Nginx",
    version: "nginx 1.24.0",
    position: 3,
    tags: [...organization.tags].sort(),
    virtualization: {
      type: "Docker",
      details: {
        container_name: "web",
        container_id: "1f",
        compose_project: "site",
        service_id: null,
      },
    },
  };
  const created = await create("services", sent);
  expect(created).toMatchObject(sent);
  await create("services", sent);
  const again = await replace("services", created.id, await read("services", created.id));
  expect({ ...again, updated_at: "" }).toEqual({ ...created, updated_at: "" });
});

test("rejects a change to a service's host", async () => {
  const { create, send, host, other } = await openHosts();
  const { id } = await create("services", { host_id: host.id, name: "Web" });
  expect(await send("PUT", `services/${id}`, { host_id: other.id, name: "Web" })).toMatchObject({
    status: 400,
    body: { params: { issues: [{ path: "body.host_id" }] } },
  });
});

test("filters select services by host, tags, port, ids and text", async () => {
  const { create, list, organization, host, other } = await openHosts();
  const snmp = await create("ports", { host_id: host.id, number: 161, protocol: "Udp" });
  const tcp = await create("ports", { host_id: other.id, number: 161, protocol: "Tcp" });
  const bound = ({ id: port_id }: { id: string }) => [{ type: "Port", port_id }];
  const a = await create("services", { host_id: host.id, name: "Agent", bindings: bound(snmp) });
  const b = await create("services", {
    host_id: host.id,
    name: "Web",
    service_definition: "Nginx",
    version: "OpenResty 1.25.3",
    tags: [organization.tags[0]],
  });
  const c = await create("services", { host_id: other.id, name: "Other", bindings: bound(tcp) });
  const names = new Map([a, b, c].map(({ id }, at) => [id, "abc"[at]]));
  const found = async (query: Record<string, string>) =>
    (await list("services", query)).map(({ id }) => names.get(id)).join("");
  expect(await found({})).toBe("abc");
  expect(await found({ host_id: host.id })).toBe("ab");
  expect(await found({ tag_ids: organization.tags[0] })).toBe("b");
  expect(await found({ port: "161" })).toBe("ac");
  expect(await found({ port: "161/Udp" })).toBe("a");
  expect(await found({ port: "162" })).toBe("");
  expect(await found({ ids: c.id })).toBe("c");
  expect(await found({ q: "nGiN" })).toBe("b");
  expect(await found({ q: "agent" })).toBe("a");
  expect(await found({ q: "resty 1.25" })).toBe("b");
  expect(await found({ q: "gI" })).toBe("b");
  expect(await found({ q: "X" })).toBe("b");
  expect(await found({ q: "%" })).toBe("");
  expect(await found({ q: c.id })).toBe("c");
  expect(await found({ order_by: "name", order_direction: "desc" })).toBe("bca");
});

test("exclude_categories omits the services of a category", async () => {
  const { create, list, send, host } = await openHosts();
  const web = await create("services", { host_id: host.id, name: "Web" });
  const open = await create("services", { host_id: host.id, name: "Unclaimed Open Ports" });
  const idsOf = async (query: Record<string, string> = {}) =>
    (await list("services", { host_id: host.id, ...query })).map(({ id }) => id).sort();
  const all = [web.id, open.id].sort();
  expect(await idsOf()).toEqual(all);
  expect(await idsOf({ exclude_categories: "OpenPorts" })).toEqual([web.id]);
  expect(await idsOf({ exclude_categories: "Media" })).toEqual(all);
  expect(await idsOf({ exclude_categories: "OpenPorts", q: "open" })).toEqual([]);
  expect(await idsOf({ exclude_categories: "OpenPorts", q: "web" })).toEqual([web.id]);
  const twice = "exclude_categories=Media&exclude_categories=OpenPorts";
  expect(await send("GET", `services?host_id=${host.id}&${twice}`)).toMatchObject({
    body: { data: [{ id: web.id }], meta: { pagination: { total_count: 1 } } },
  });
});
