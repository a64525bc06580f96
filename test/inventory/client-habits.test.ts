import { beforeAll, expect, test } from "vitest";
import { type Inventory, openInventory } from "../helpers/inventory.ts";

/** The number of hosts. Each host has an address, a port, and a service that is bound to both. */
const hostCount = 410;

let inventory: Inventory;

beforeAll(async () => {
  inventory = await openInventory();
  const { send, network_id } = inventory;
  const hosts = Array.from({ length: hostCount }, (_, at) => {
    const [port_id, ip_address_id] = [crypto.randomUUID(), crypto.randomUUID()];
    return {
      network_id,
      name: `host ${at}`,
      ip_addresses: [{ id: ip_address_id, ip_address: `10.0.${at >> 8}.${at & 255}` }],
      ports: [{ id: port_id, number: 1000 + at, protocol: "Tcp" }],
      services: [{ name: `service ${at}`, bindings: [{ type: "Port", port_id, ip_address_id }] }],
    };
  });
  for (let from = 0; from < hostCount; from += 100) {
    const answer = await send("POST", "hosts/bulk", hosts.slice(from, from + 100));
    expect(answer.status).toBe(201);
  }
}, 60_000);

test("limit=0 lists every host with its children", async () => {
  const hosts = await inventory.list("hosts", { limit: "0" });
  expect(new Set(hosts.map(({ id }) => id)).size).toBe(hostCount);
  for (const { ip_addresses, ports, services } of hosts) {
    expect(services[0]?.bindings).toMatchObject([
      { port_id: ports[0]?.id, ip_address_id: ip_addresses[0]?.id },
    ]);
  }
  expect(await inventory.list("hosts", { limit: "0", at: "9999-01-01T00:00:00Z" })).toEqual(hosts);
});

test("clients can join services with their ports and addresses through bindings", async () => {
  const { list } = inventory;
  const [services, bindings, ports, addresses] = await Promise.all([
    list("services", { limit: "0" }),
    list("bindings", { limit: "0" }),
    list("ports", { limit: "0" }),
    list("ip-addresses", { limit: "0" }),
  ]);
  const portOf = new Map(ports.map((port) => [port.id, port.number]));
  const addressOf = new Map(addresses.map((one) => [one.id, one.ip_address]));
  const serviceOf = new Map(services.map((one) => [one.id, one.name]));
  const endpoints = bindings.map(
    ({ service_id, port_id, ip_address_id }) =>
      `${serviceOf.get(service_id)}: ${addressOf.get(ip_address_id ?? "")}:${portOf.get(port_id ?? "")}`,
  );
  const expected = Array.from(
    { length: hostCount },
    (_, at) => `service ${at}: 10.0.${at >> 8}.${at & 255}:${1000 + at}`,
  );
  expect(endpoints.sort()).toEqual(expected.sort());
});

test.each(["hosts", "services", "ports", "ip-addresses", "bindings"] as const)(
  "%s read in pages of 200, up to the first shorter page, are complete and without duplicates",
  async (name) => {
    const ids: string[] = [];
    const sizes: number[] = [];
    for (let offset = 0; sizes.at(-1) === undefined || sizes.at(-1) === 200; offset += 200) {
      const page = await inventory.list(name, { limit: "200", offset: String(offset) });
      sizes.push(page.length);
      ids.push(...page.map(({ id }) => id));
    }
    expect(sizes).toEqual([200, 200, 10]);
    expect(new Set(ids).size).toBe(hostCount);
  },
);
