import { expect, test } from "vitest";
import { openInventory } from "../../helpers/inventory.ts";

const numbered = <Child>(count: number, child: (at: number) => Child) =>
  Array.from({ length: count }, (_, at) => child(at));

const port = (at: number) => ({ number: at + 1, protocol: "Tcp" });
const address = (at: number) => ({ ip_address: `10.0.${at >> 8}.${at & 255}` });

/**
 * Sets of children that the contract allows, including the largest set of each kind that fits in 1
 * MiB.
 */
const many: [what: string, children: () => object][] = [
  ["700 ports", () => ({ ports: numbered(700, port) })],
  ["1,000 ports", () => ({ ports: numbered(1000, port) })],
  ["1,000 addresses", () => ({ ip_addresses: numbered(1000, address) })],
  [
    "1,000 interfaces",
    () => ({
      interfaces: numbered(1000, (at) => ({ if_index: at + 1, name: `Ethernet1/0/${at}` })),
    }),
  ],
  ["1,000 services", () => ({ services: numbered(1000, (at) => ({ name: `service ${at}` })) })],
  [
    "200 ports and 200 services bound to them",
    () => {
      const ports = numbered(200, (at) => ({ id: crypto.randomUUID(), ...port(at) }));
      const services = ports.map(({ id: port_id }, at) => ({
        name: `service ${at}`,
        bindings: [{ type: "Port", port_id }],
      }));
      return { ports, services };
    },
  ],
];

test.each(many)("accepts a host with %s in the form in which it was read", async (_, children) => {
  const { create, read, replace } = await openInventory();
  const created = await create("hosts", { name: "nas", ...children() });
  const { updated_at: before, ...host } = await read("hosts", created.id);
  const { updated_at: after, ...again } = await replace("hosts", created.id, host);
  expect(again).toEqual(host);
  expect(after > before).toBe(true);
});

test("accepts a service with 1,000 bindings in the form in which it was read", async () => {
  const { create, read, replace } = await openInventory();
  const ports = numbered(1000, (at) => ({ id: crypto.randomUUID(), ...port(at) }));
  const host = await create("hosts", { name: "nas", ports });
  const bindings = ports.map(({ id: port_id }) => ({ type: "Port", port_id }));
  const { id } = await create("services", { host_id: host.id, name: "Proxy", bindings });
  const { updated_at: _, ...service } = await read("services", id);
  expect(await replace("services", id, service)).toMatchObject(service);
});

test("creates a host with 1,000 children of each kind", async () => {
  const { create } = await openInventory();
  const ports = numbered(1000, (at) => ({ id: crypto.randomUUID(), ...port(at) }));
  const host = await create("hosts", {
    name: "nas",
    ip_addresses: numbered(1000, address),
    ports,
    interfaces: numbered(1000, (at) => ({ if_index: at + 1 })),
    services: ports.map(({ id: port_id }, at) => ({
      name: `service ${at}`,
      bindings: [{ type: "Port", port_id }],
    })),
  });
  const { ip_addresses, interfaces, services } = host;
  expect([ip_addresses, host.ports, interfaces, services].map(({ length }) => length)).toEqual([
    1000, 1000, 1000, 1000,
  ]);
});

test.each<[string, (at: number) => object]>([
  ["ip_addresses", address],
  ["ports", port],
  ["interfaces", (at: number) => ({ if_index: at + 1 })],
  ["services", (at: number) => ({ name: `service ${at}` })],
])("accepts at most 1,000 %s for a host in a request", async (name, child) => {
  const { send, network_id } = await openInventory();
  const answer = await send("POST", "hosts", {
    network_id,
    name: "nas",
    [name]: numbered(1001, child),
  });
  expect(answer).toMatchObject({
    status: 400,
    body: {
      params: { issues: [{ path: `body.${name}`, message: "must have at most 1000 members" }] },
    },
  });
});

test.each([
  ["POST", "hosts"],
  ["POST", "hosts/bulk"],
  ["PUT", `hosts/${crypto.randomUUID()}`],
  ["POST", "services"],
  ["POST", "services/bulk"],
  ["PUT", `services/${crypto.randomUUID()}`],
])("%s %s accepts at most 40,000 members in total", async (method, path) => {
  const { send } = await openInventory();
  const sent = (members: number) => send(method, path, { x: Array(members - 1).fill(0) });
  const tooMany = "must have at most 40000 array members and object fields in total";
  expect((await sent(40_000)).text).not.toContain(tooMany);
  expect(await sent(40_001)).toMatchObject({
    status: 400,
    body: { params: { issues: [{ path: "body", message: tooMany }] } },
  });
});
