import { expect, test } from "vitest";
import { openInventory } from "../../helpers/inventory.ts";

const newId = () => crypto.randomUUID();

/**
 * Creates a host with two addresses, two ports, an interface, and two services with a binding each.
 */
async function openScene() {
  const inventory = await openInventory();
  const [first, second, http, https] = [newId(), newId(), newId(), newId()];
  const [web, admin] = [newId(), newId()];
  const host = await inventory.create("hosts", {
    name: "nas",
    ip_addresses: [
      { id: first, ip_address: "192.0.2.1" },
      { id: second, ip_address: "192.0.2.2", position: 1 },
    ],
    ports: [
      { id: http, number: 80, protocol: "Tcp" },
      { id: https, number: 443, protocol: "Tcp" },
    ],
    interfaces: [{ if_index: 1 }],
    services: [
      { id: web, name: "Web", bindings: [{ type: "Port", port_id: http, ip_address_id: first }] },
      { id: admin, name: "Admin", position: 1, bindings: [{ type: "Port", port_id: https }] },
    ],
  });
  return { ...inventory, host, first, second, http, https, web, admin };
}

test("one request creates a host and its children with caller-supplied ids, in one database call", async () => {
  const { api, host, first, second, http, https, web, admin, network_id } = await openScene();
  expect(await api.calls()).toBe(1);
  expect(host.ip_addresses.map(({ id }) => id)).toEqual([first, second]);
  expect(host.ports.map(({ id }) => id)).toEqual([http, https]);
  expect(host.services.map(({ id }) => id)).toEqual([web, admin]);
  expect(host.services.map(({ bindings }) => bindings)).toMatchObject([
    [{ service_id: web, port_id: http, ip_address_id: first, network_id }],
    [{ service_id: admin, port_id: https, ip_address_id: null, network_id }],
  ]);
});

test("a PUT without children keeps them, without new versions", async () => {
  const { replace, host } = await openScene();
  const replaced = await replace("hosts", host.id, { name: "renamed" });
  const { ip_addresses, ports, interfaces, services } = host;
  expect(replaced).toMatchObject({ name: "renamed", ip_addresses, ports, interfaces, services });
});

test("a PUT of the unchanged host keeps its children, without new versions", async () => {
  const { replace, host } = await openScene();
  const { ip_addresses, ports, interfaces, services } = await replace("hosts", host.id, host);
  expect({ ip_addresses, ports, interfaces, services }).toEqual({
    ip_addresses: host.ip_addresses,
    ports: host.ports,
    interfaces: host.interfaces,
    services: host.services,
  });
});

test("a list in a PUT replaces the children, adding, changing, keeping or deleting each as needed", async () => {
  const { replace, list, host, http } = await openScene();
  const added = newId();
  const replaced = await replace("hosts", host.id, {
    name: "nas",
    ports: [
      { id: http, number: 8080, protocol: "Tcp" },
      { id: added, number: 53, protocol: "Udp" },
    ],
  });
  const expected = [
    { id: added, number: 53, protocol: "Udp", type: "DnsUdp" },
    { id: http, number: 8080, protocol: "Tcp", type: "Http8080" },
  ];
  expect(replaced.ports).toMatchObject(expected);
  expect(await list("ports", { order_by: "number" })).toMatchObject(expected);
  expect(replaced.ip_addresses).toEqual(host.ip_addresses);
});

test.each([["ip_addresses"], ["ports"], ["interfaces"], ["services"]] as const)(
  "an empty list of %s deletes all of them, and the bindings that need them",
  async (name) => {
    const { replace, list, host } = await openScene();
    const replaced = await replace("hosts", host.id, { name: "nas", [name]: [] });
    expect(replaced[name]).toEqual([]);
    const bindings = replaced.services.flatMap((service) => service.bindings);
    const kept = { ip_addresses: 1, ports: 0, interfaces: 2, services: 0 };
    expect(bindings).toHaveLength(kept[name]);
    const ids = (records: readonly { id: string }[]) => records.map(({ id }) => id).sort();
    expect(ids(await list("bindings"))).toEqual(ids(bindings));
  },
);

test("a PUT of a host replaces the bindings of a service, and keeps them if they are omitted", async () => {
  const { replace, host, web, admin, https, second } = await openScene();
  const replaced = await replace("hosts", host.id, {
    name: "nas",
    services: [
      { id: web, name: "Web", bindings: [{ type: "IPAddress", ip_address_id: second }] },
      { id: admin, name: "Admin", position: 1 },
    ],
  });
  expect(replaced.services).toMatchObject([
    { bindings: [{ type: "IPAddress", ip_address_id: second, port_id: null }] },
    { bindings: [{ type: "Port", port_id: https }] },
  ]);
});

test("a PUT of a service replaces its bindings, and keeps them if they are omitted", async () => {
  const { replace, host, web, http, second, send } = await openScene();
  const bound = { type: "Port", port_id: http, ip_address_id: second };
  const kept = await replace("services", web, { host_id: host.id, name: "Web 2" });
  expect(kept.bindings).toEqual(host.services[0]?.bindings);
  const replaced = await replace("services", web, {
    host_id: host.id,
    name: "Web 2",
    bindings: [bound],
  });
  expect(replaced.bindings).toMatchObject([bound]);
  expect(await send("GET", `services/${web}`)).toMatchObject({
    body: { data: { service_definition: "Web 2", bindings: [bound] } },
  });
});

test("two bindings of a service can swap their ports", async () => {
  const { replace, host, web, http, https } = await openScene();
  const bindings = [http, https].map((port_id) => ({ id: newId(), type: "Port", port_id }));
  const first = await replace("hosts", host.id, {
    name: "nas",
    services: [{ id: web, name: "Web", bindings }],
  });
  expect(first.services[0]?.bindings).toHaveLength(2);
  const swapped = bindings.map((one, at) => ({ ...one, port_id: [https, http][at] }));
  const second = await replace("hosts", host.id, {
    name: "nas",
    services: [{ id: web, name: "Web", bindings: swapped }],
  });
  expect(second.services[0]?.bindings.map(({ id, port_id }) => [id, port_id]).sort()).toEqual(
    swapped.map(({ id, port_id }) => [id, port_id]).sort(),
  );
});

test("a binding keeps its id when it moves to another service in the request", async () => {
  const { replace, host, web, admin } = await openScene();
  const bindings = host.services.flatMap((service) => service.bindings);
  const replaced = await replace("hosts", host.id, {
    name: "nas",
    services: [
      { id: web, name: "Web", bindings: [] },
      { id: admin, name: "Admin", position: 1, bindings },
    ],
  });
  expect(replaced.services.map((service) => service.bindings.map(({ id }) => id).sort())).toEqual([
    [],
    bindings.map(({ id }) => id).sort(),
  ]);
});

test.each(["ip_addresses", "ports", "interfaces", "services"] as const)(
  "rejects a repeated id in %s with its path",
  async (name) => {
    const { send, host, network_id } = await openScene();
    const child = host[name][0];
    const json = { network_id, name: "nas", [name]: [child, child] };
    const answer = await send("PUT", `hosts/${host.id}`, json);
    expect(answer).toMatchObject({ status: 400, body: { code: "validation_failed" } });
    expect(answer.text).toContain(`"body.${name}[1].id"`);
  },
);

test.each(["ip_addresses", "ports", "interfaces", "services"] as const)(
  "rejects the id of another host's %s",
  async (name) => {
    const { send, host, network_id } = await openScene();
    const id = host[name][0]?.id;
    const pick = {
      ip_addresses: { id, ip_address: "192.0.2.99" },
      ports: { id, number: 99, protocol: "Tcp" },
      interfaces: { id, if_index: 99 },
      services: { id, name: "Other" },
    }[name];
    const json = { network_id, name: "other", [name]: [pick] };
    expect(await send("POST", "hosts", json)).toMatchObject({
      status: 409,
      body: { code: "entity_already_exists", params: { field: `body.${name}[0].id`, id } },
    });
  },
);

test("accepts 1,000 children of one kind in a request, and rejects 1,001", async () => {
  const { send, network_id } = await openScene();
  const ports = Array.from({ length: 1001 }, (_, at) => ({ number: at + 1, protocol: "Tcp" }));
  const taken = await send("POST", "hosts", { network_id, name: "many", ports: ports.slice(1) });
  expect(taken.status).toBe(201);
  expect(await send("POST", "hosts", { network_id, name: "many", ports })).toMatchObject({
    status: 400,
    body: { params: { issues: [{ path: "body.ports" }] } },
  });
});

test("a host's entity tag changes with every change to its children, and only then", async () => {
  const { send, host, http, first, web, remove } = await openScene();
  const etag = async () => (await send("GET", `hosts/${host.id}`)).headers.get("etag");
  const seen = [await etag()];
  expect(await etag()).toBe(seen[0]);
  const changes = [
    () => send("PUT", `ports/${http}`, { host_id: host.id, number: 81, protocol: "Tcp" }),
    () => send("PUT", `ip-addresses/${first}`, { host_id: host.id, ip_address: "192.0.2.3" }),
    () => send("PUT", `services/${web}`, { host_id: host.id, name: "Other" }),
    () => send("POST", "ports", { host_id: host.id, number: 82, protocol: "Tcp" }),
    () => remove("bindings", host.services[0]?.bindings[0]?.id ?? ""),
    () => remove("services", web),
    () => remove("ports", http),
    () => remove("ip-addresses", first),
  ];
  for (const change of changes) {
    await change();
    const next = await etag();
    expect(seen).not.toContain(next);
    seen.push(next);
  }
  expect(await send("PUT", `hosts/${host.id}`, host, { "If-Match": seen[0] ?? "" })).toMatchObject({
    status: 412,
  });
});
