import { beforeEach, expect, test } from "vitest";
import { openInventory } from "../../helpers/inventory.ts";

const newId = () => crypto.randomUUID();

/**
 * Creates a host with two addresses, two ports and two services without bindings, and another host.
 */
async function openScene() {
  const inventory = await openInventory();
  const [one, two, http, https] = [newId(), newId(), newId(), newId()];
  const [web, admin] = [newId(), newId()];
  const host = await inventory.create("hosts", {
    name: "first",
    ip_addresses: [
      { id: one, ip_address: "192.0.2.1" },
      { id: two, ip_address: "192.0.2.2" },
    ],
    ports: [
      { id: http, number: 80, protocol: "Tcp" },
      { id: https, number: 443, protocol: "Tcp" },
    ],
    services: [
      { id: web, name: "Web" },
      { id: admin, name: "Admin" },
    ],
  });
  const other = await inventory.create("hosts", {
    name: "second",
    ip_addresses: [{ ip_address: "192.0.2.3" }],
    ports: [{ number: 80, protocol: "Tcp" }],
    services: [{ name: "Web" }],
  });
  return { ...inventory, host, other, one, two, http, https, web, admin };
}

let scene: Awaited<ReturnType<typeof openScene>>;

beforeEach(async () => {
  scene = await openScene();
});

type Name = "one" | "two" | "all";
const ipOf = (name: Name) => (name === "all" ? null : scene[name]);

const port = (service: "web" | "admin", name: "http" | "https", ip: Name) => ({
  type: "Port",
  service_id: scene[service],
  port_id: scene[name],
  ip_address_id: ipOf(ip),
});
const address = (service: "web" | "admin", ip: "one" | "two") => ({
  type: "IPAddress",
  service_id: scene[service],
  ip_address_id: scene[ip],
});

type Bound = () => object;

test.each<[string, Bound, Bound]>([
  [
    "an address and a port on it, for one service",
    () => address("web", "one"),
    () => port("web", "http", "one"),
  ],
  [
    "a port on an address and that address, for one service",
    () => port("web", "http", "one"),
    () => address("web", "one"),
  ],
  [
    "an address and a port on all, for one service",
    () => address("web", "one"),
    () => port("web", "http", "all"),
  ],
  [
    "a port on all and an address, for one service",
    () => port("web", "http", "all"),
    () => address("web", "one"),
  ],
  [
    "one port on one address, for two services",
    () => port("web", "http", "one"),
    () => port("admin", "http", "one"),
  ],
  [
    "one port on one address, for one service",
    () => port("web", "http", "one"),
    () => port("web", "http", "one"),
  ],
  [
    "a port on all and on one address, for two services",
    () => port("web", "http", "all"),
    () => port("admin", "http", "one"),
  ],
  [
    "a port on one address and on all, for two services",
    () => port("web", "http", "one"),
    () => port("admin", "http", "all"),
  ],
  [
    "a port on all, for two services",
    () => port("web", "http", "all"),
    () => port("admin", "http", "all"),
  ],
])("conflict: %s", async (_, first, second) => {
  const { create, send, list } = scene;
  const { id } = await create("bindings", first());
  expect(await send("POST", "bindings", second())).toMatchObject({
    status: 409,
    body: { code: "binding_conflict", params: { id } },
  });
  expect((await list("bindings")).map((binding) => binding.id)).toEqual([id]);
});

test.each<[string, Bound, Bound]>([
  [
    "an address and a port on another address, for one service",
    () => address("web", "one"),
    () => port("web", "http", "two"),
  ],
  ["two addresses, for one service", () => address("web", "one"), () => address("web", "two")],
  ["one address, for two services", () => address("web", "one"), () => address("admin", "one")],
  [
    "an address and a port on it, for two services",
    () => address("web", "one"),
    () => port("admin", "http", "one"),
  ],
  [
    "one port on two addresses, for one service",
    () => port("web", "http", "one"),
    () => port("web", "http", "two"),
  ],
  [
    "one port on two addresses, for two services",
    () => port("web", "http", "one"),
    () => port("admin", "http", "two"),
  ],
  [
    "two ports on one address, for two services",
    () => port("web", "http", "one"),
    () => port("admin", "https", "one"),
  ],
  [
    "two ports on all, for one service",
    () => port("web", "http", "all"),
    () => port("web", "https", "all"),
  ],
])("no conflict: %s", async (_, first, second) => {
  const { create, list } = scene;
  await create("bindings", first());
  await create("bindings", second());
  expect(await list("bindings")).toHaveLength(2);
});

test("a service's binding to a port on all addresses replaces its bindings to that port on individual addresses", async () => {
  const { create, list } = scene;
  const single = await create("bindings", port("web", "http", "one"));
  await create("bindings", port("web", "http", "two"));
  const other = await create("bindings", port("web", "https", "one"));
  const all = await create("bindings", port("web", "http", "all"));
  const ids = (await list("bindings")).map(({ id }) => id);
  expect(ids).toEqual([other.id, all.id]);
  expect(
    (await list("bindings", { at: other.valid_from })).map(
      ({ lineage_id, id }) => lineage_id ?? id,
    ),
  ).toContain(single.id);
});

test("a PUT that moves a binding to all addresses replaces the other bindings of its port", async () => {
  const { create, replace, list } = scene;
  const kept = await create("bindings", port("web", "http", "one"));
  await create("bindings", port("web", "http", "two"));
  await replace("bindings", kept.id, port("web", "http", "all"));
  expect(await list("bindings")).toMatchObject([{ id: kept.id, ip_address_id: null }]);
});

test("a conflicting PUT of a binding changes nothing", async () => {
  const { create, send, read } = scene;
  const first = await create("bindings", port("web", "http", "one"));
  const second = await create("bindings", port("admin", "https", "one"));
  expect(await send("PUT", `bindings/${second.id}`, port("admin", "http", "one"))).toMatchObject({
    status: 409,
    body: { code: "binding_conflict", params: { id: first.id } },
  });
  expect(await read("bindings", second.id)).toEqual(second);
});

test("bindings in one request can conflict with each other, even as children of a host", async () => {
  const { send, host, web, admin, http, network_id } = scene;
  const bindings = [{ type: "Port", port_id: http }];
  const services = [
    { id: web, name: "Web", bindings },
    { id: admin, name: "Admin", bindings },
  ];
  const conflict = { status: 409, body: { code: "binding_conflict" } };
  const json = { network_id, name: "first", services };
  expect(await send("PUT", `hosts/${host.id}`, json)).toMatchObject(conflict);
  const twice = [port("web", "http", "all"), port("admin", "http", "one")];
  expect(await send("POST", "bindings/bulk", twice)).toMatchObject(conflict);
});

test("rejects a change to a binding's service", async () => {
  const { create, send } = scene;
  const { id } = await create("bindings", port("web", "http", "one"));
  expect(await send("PUT", `bindings/${id}`, port("admin", "http", "one"))).toMatchObject({
    status: 400,
    body: { params: { issues: [{ path: "body.service_id" }] } },
  });
});

test.each([
  ["no port", () => ({ type: "Port", service_id: scene.web })],
  ["an address with a port", () => ({ ...address("web", "one"), port_id: scene.http })],
  ["no address", () => ({ type: "IPAddress", service_id: scene.web })],
  ["another type", () => ({ ...address("web", "one"), type: "Host" })],
])("rejects a binding with %s", async (_, sent) => {
  expect(await scene.send("POST", "bindings", sent())).toMatchObject({
    status: 400,
    body: { code: "validation_failed" },
  });
});

test("rejects an invalid binding type and lists the valid types", async () => {
  for (const type of ["Host", "port", undefined, null]) {
    expect(await scene.send("POST", "bindings", { ...address("web", "one"), type })).toMatchObject({
      status: 400,
      body: { error: "body.type must be Port or IPAddress." },
    });
  }
});

const strange: [string, "port_id" | "ip_address_id", () => string | undefined][] = [
  ["a port of another host", "port_id", () => scene.other.ports[0]?.id],
  ["an address of another host", "ip_address_id", () => scene.other.ip_addresses[0]?.id],
  ["an unknown port", "port_id", newId],
  ["an unknown address", "ip_address_id", newId],
];

test.each(strange)("rejects %s in every request", async (_, field, idOf) => {
  const { create, send, list, host, web, network_id } = scene;
  const id = idOf();
  const bound = { ...port("web", "http", "one"), [field]: id };
  const [entity, noun] = field === "port_id" ? ["Port", "port"] : ["IPAddress", "IP address"];
  const refused = (path: string) => ({
    status: 400,
    body: {
      code: "entity_reference_invalid",
      error: expect.stringContaining(`: its host has no ${noun} ${id}: send one of the same host.`),
      params: { entity, field: path, id },
    },
  });
  // A new host has no ports.
  const onNewHost = (path: string) => ({
    status: 400,
    body: { code: "entity_reference_invalid", params: { entity: "Port", field: path } },
  });
  expect(await send("POST", "bindings", bound)).toMatchObject(refused(`body.${field}`));
  expect(await send("POST", "bindings/bulk", [port("web", "https", "two"), bound])).toMatchObject(
    refused(`body[1].${field}`),
  );
  const own = await create("bindings", port("web", "https", "two"));
  expect(await send("PUT", `bindings/${own.id}`, bound)).toMatchObject(refused(`body.${field}`));
  const { service_id: _service, ...inService } = bound;
  const service = { id: web, name: "Web", bindings: [inService] };
  expect(await send("PUT", `services/${web}`, { ...service, host_id: host.id })).toMatchObject(
    refused(`body.bindings[0].${field}`),
  );
  expect(
    await send("POST", "services", { host_id: host.id, name: "New", bindings: [inService] }),
  ).toMatchObject(refused(`body.bindings[0].${field}`));
  expect(
    await send("PUT", `hosts/${host.id}`, { network_id, name: "first", services: [service] }),
  ).toMatchObject(refused(`body.services[0].bindings[0].${field}`));
  expect(
    await send("POST", "hosts", {
      network_id,
      name: "new",
      services: [{ name: "Web", bindings: [inService] }],
    }),
  ).toMatchObject(onNewHost("body.services[0].bindings[0].port_id"));
  const [none, two] = [
    { network_id, name: "none" },
    {
      network_id,
      name: "new",
      services: [{ name: "Idle" }, { name: "Web", bindings: [inService] }],
    },
  ];
  expect(await send("POST", "hosts/bulk", [none, two])).toMatchObject(
    onNewHost("body[1].services[1].bindings[0].port_id"),
  );
  expect(await list("bindings")).toEqual([own]);
});

test("rejects a binding to a port that the same request removes", async () => {
  const { send, host, web, http, network_id } = scene;
  const services = [{ id: web, name: "Web", bindings: [{ type: "Port", port_id: http }] }];
  const json = { network_id, name: "first", ports: [], services };
  expect(await send("PUT", `hosts/${host.id}`, json)).toMatchObject({
    status: 400,
    body: { code: "entity_reference_invalid" },
  });
});
