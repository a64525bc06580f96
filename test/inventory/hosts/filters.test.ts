import { beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { type Inventory, openInventory } from "../../helpers/inventory.ts";
import { mintKey } from "../../helpers/organization.ts";

/**
 * Creates three hosts: a NAS with children of every kind, a printer with some, and a host without
 * children.
 */
async function openHosts() {
  const inventory = await openInventory();
  const [tag, rare] = inventory.organization.tags;
  const ids = {
    https: crypto.randomUUID(),
    snmp: crypto.randomUUID(),
    other: crypto.randomUUID(),
  };
  const nas = await inventory.create("hosts", {
    name: "Nas",
    hostname: "storage.example.com",
    operating_system: "FreeBSD 14.1",
    tags: [tag],
    ip_addresses: [
      { ip_address: "192.0.2.7", mac_address: "00:00:5E:00:53:01" },
      { ip_address: "2001:db8::7" },
    ],
    ports: [
      { id: ids.https, number: 443, protocol: "Tcp" },
      { id: ids.snmp, number: 161, protocol: "Udp" },
    ],
    services: [
      {
        name: "Files",
        service_definition: "Samba",
        version: "4.18",
        bindings: [{ type: "Port", port_id: ids.https }],
      },
      { name: "Time Machine", bindings: [{ type: "Port", port_id: ids.snmp }] },
    ],
  });
  const printer = await inventory.create("hosts", {
    name: "Printer",
    tags: [tag, rare],
    ip_addresses: [{ ip_address: "198.51.100.7", mac_address: "00:00:5E:00:53:02" }],
    ports: [{ id: ids.other, number: 161, protocol: "Tcp" }],
    services: [{ name: "Samba", bindings: [{ type: "Port", port_id: ids.other }] }],
  });
  const bare = await inventory.create("hosts", { name: "50%_off\\ (ÉÉ日) ☃" });
  return { ...inventory, nas, printer, bare, tag, rare };
}

let scene: Inventory & Awaited<ReturnType<typeof openHosts>>;

beforeAll(async () => {
  scene = await openHosts();
});

const found = async (query: Record<string, string>) => {
  const names = new Map([
    [scene.nas.id, "nas"],
    [scene.printer.id, "printer"],
    [scene.bare.id, "bare"],
  ]);
  return (await scene.list("hosts", query)).map(({ id }) => names.get(id));
};

const cases: [Record<string, string>, string[]][] = [
  [{}, ["nas", "printer", "bare"]],
  [{ ip: "192.0.2.7" }, ["nas"]],
  [{ ip: "2001:DB8:0::7" }, ["nas"]],
  [{ ip: "192.0.2.8" }, []],
  [{ cidr: "198.51.100.99/24" }, ["printer"]],
  [{ cidr: "0.0.0.0/0" }, ["nas", "printer"]],
  [{ cidr: "2001:db8::/32" }, ["nas"]],
  [{ mac: "0000.5e00.5302" }, ["printer"]],
  [{ port: "443" }, ["nas"]],
  [{ port: "161" }, ["nas", "printer"]],
  [{ port: "161/Udp" }, ["nas"]],
  [{ port: "161/Tcp" }, ["printer"]],
  [{ service: "samba" }, ["nas", "printer"]],
  [{ service: "Files" }, ["nas"]],
  [{ service: "File" }, []],
  [{ q: "nAs" }, ["nas"]],
  [{ q: "storage.exam" }, ["nas"]],
  [{ q: "freebsd 14" }, ["nas"]],
  [{ q: "192.0.2.7" }, ["nas"]],
  [{ q: "2001:DB8:0::7" }, ["nas"]],
  [{ q: "198.51.100.0/24" }, ["printer"]],
  [{ q: "00-00-5e-00-53-01" }, ["nas"]],
  [{ q: "00005e005302" }, ["printer"]],
  [{ q: "192.0" }, ["nas"]],
  [{ q: "192.0.2." }, ["nas"]],
  [{ q: "198.5" }, ["printer"]],
  [{ q: "198.5." }, []],
  [{ q: "192.0.2.70" }, []],
  [{ q: "2001:db8" }, ["nas"]],
  [{ q: "2001:0DB8:" }, ["nas"]],
  [{ q: "2001:db8::" }, ["nas"]],
  [{ q: "2001:db9" }, []],
  [{ q: "00:00:5e:00:53" }, ["nas", "printer"]],
  [{ q: "00-00-5E-00-53-02" }, ["printer"]],
  [{ q: "0000.5e00.530" }, ["nas", "printer"]],
  [{ q: "00005e" }, ["nas", "printer"]],
  [{ q: "00:00:5f" }, []],
  [{ q: "samba" }, ["nas", "printer"]],
  [{ q: "amb" }, []],
  [{ q: "machin" }, ["nas"]],
  [{ q: "files" }, ["nas"]],
  [{ q: "4.18" }, []],
  [{ q: "161" }, ["nas", "printer"]],
  [{ q: "443" }, ["nas"]],
  [{ q: "99999999" }, []],
  [{ q: "50%_" }, ["bare"]],
  [{ q: "%" }, ["bare"]],
  [{ q: "n_s" }, []],
  [{ q: "N" }, ["nas", "printer"]],
  [{ q: "rI" }, ["printer"]],
  [{ q: "ss" }, []],
  [{ q: "ff" }, ["bare"]],
  [{ q: "sn" }, []],
  [{ q: "." }, ["nas"]],
  [{ q: "E." }, ["nas"]],
  [{ q: ".e" }, ["nas"]],
  [{ q: "e-" }, []],
  [{ q: "_" }, ["bare"]],
  [{ q: "__" }, []],
  [{ q: "%_" }, ["bare"]],
  [{ q: "_%" }, []],
  [{ q: "\\" }, ["bare"]],
  [{ q: "\\ (" }, ["bare"]],
  [{ q: "é" }, ["bare"]],
  [{ q: "éÉ" }, ["bare"]],
  [{ q: "e" }, ["nas", "printer"]],
  [{ q: "日" }, ["bare"]],
  [{ q: "日)" }, ["bare"]],
  [{ q: "日(" }, []],
  [{ q: "☃" }, ["bare"]],
  [{ q: ") ☃" }, ["bare"]],
  [{ q: "ᛪ" }, []],
  [{ q: " nas " }, ["nas"]],
  [{ order_by: "name" }, ["bare", "nas", "printer"]],
  [{ order_by: "name", order_direction: "desc" }, ["printer", "nas", "bare"]],
  [{ ip: "192.0.2.7", port: "161/Tcp" }, []],
  [{ q: "161", service: "Files" }, ["nas"]],
];

test.each(cases)("%j lists %j", async (query, expected) => {
  expect(await found(query)).toEqual(expected);
  expect((await found({ ...query, limit: "0" })).sort()).toEqual([...expected].sort());
});

test("tag_ids lists the hosts with any of the tags, and ids lists the hosts with the given ids", async () => {
  const { tag, rare, send, network_id, nas, bare, printer } = scene;
  expect(await found({ tag_ids: tag })).toEqual(["nas", "printer"]);
  expect(await found({ tag_ids: rare })).toEqual(["printer"]);
  expect(await found({ ids: bare.id })).toEqual(["bare"]);
  expect(await found({ q: printer.id.toUpperCase() })).toEqual(["printer"]);
  expect(await found({ network_id: crypto.randomUUID() })).toEqual([]);
  const both = `hosts?network_id=${network_id}&ids=${nas.id}&ids=${bare.id}`;
  expect(await send("GET", both)).toMatchObject({
    body: { data: [{ id: nas.id }, { id: bare.id }] },
  });
  const either = `hosts?network_id=${network_id}&tag_ids=${tag}&tag_ids=${rare}`;
  expect(await send("GET", either)).toMatchObject({
    body: { data: [{ id: nas.id }, { id: printer.id }] },
  });
});

test.each([
  "port=0",
  "port=65536",
  "port=443/tcp",
  "port=443/",
  "port=",
  "ip=x",
  "ip=192.0.2.7/24",
  "cidr=192.0.2.7",
  "mac=x",
  "at=now",
  "include_children=no",
])("rejects '%s'", async (query) => {
  const path = `query.${query.split("=")[0]}`;
  expect(await scene.send("GET", `hosts?${query}`)).toMatchObject({
    status: 400,
    body: { code: "validation_failed", params: { issues: [{ path }] } },
  });
});

test.each(["50", "0"])(
  "include_children=false omits the children, with limit=%s",
  async (limit) => {
    const { send, network_id, list } = scene;
    const query = `hosts?network_id=${network_id}&limit=${limit}`;
    const without = await send("GET", `${query}&include_children=false`);
    const whole = await list("hosts", { include_children: "true", limit });
    expect(await list("hosts", { limit })).toEqual(whole);
    expect(without.body).toHaveProperty(
      "data",
      whole.map(({ ip_addresses: _, ports: __, services: ___, interfaces: ____, ...host }) => host),
    );
    expect(whole[0]?.ports).toHaveLength(2);
  },
);

test("a PUT of a host that was listed without its children keeps them", async () => {
  const { create, list, read, send, network_id } = await openInventory();
  const { id } = await create("hosts", {
    name: "nas",
    ip_addresses: [{ ip_address: "192.0.2.7" }],
    ports: [{ number: 443, protocol: "Tcp" }],
    services: [{ name: "Web" }],
  });
  const before = await read("hosts", id);
  const listed = await send("GET", `hosts?network_id=${network_id}&include_children=false`);
  const [host] = z.object({ data: z.array(z.unknown()) }).parse(listed.body).data;
  expect(await send("PUT", `hosts/${id}`, host)).toMatchObject({ status: 200 });
  const { ip_addresses, ports, services } = before;
  expect(await list("hosts")).toMatchObject([{ id, ip_addresses, ports, services }]);
});

test("a key limited to specific networks sees and changes only the hosts in them", async () => {
  const { organization, network_id, nas, api } = scene;
  const elsewhere = await mintKey(organization.id, { role: "Member" }, [
    organization.networks[0].id,
  ]);
  const inside = await mintKey(organization.id, { role: "Member" }, [network_id]);
  const get = (key: string, path: string) => api.send("GET", `/api/v1/${path}`, { key });
  expect(await get(elsewhere, `hosts?network_id=${network_id}`)).toMatchObject({
    body: { data: [] },
  });
  expect(await get(elsewhere, `hosts/${nas.id}`)).toMatchObject({ status: 404 });
  expect(await get(inside, "hosts")).toMatchObject({
    body: { meta: { pagination: { total_count: 3 } } },
  });
  const json = { network_id, name: "new" };
  const post = (key: string) => api.send("POST", "/api/v1/hosts", { key, json });
  expect(await post(elsewhere)).toMatchObject({
    status: 400,
    body: { code: "entity_reference_invalid", params: { entity: "Network" } },
  });
});
