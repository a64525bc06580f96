import { beforeAll, describe, expect, test } from "vitest";
import {
  type Inventory,
  type InventoryCollection,
  inventoryCollections,
  openInventory,
  shifted,
} from "../helpers/inventory.ts";
import { mintDaemon } from "../helpers/organization.ts";

/** Creates an inventory with one record per collection, each changed once and then deleted. */
async function openStory() {
  const inventory = await openInventory();
  const { create, replace, remove, read, send } = inventory;
  const subnet = await create("subnets", { cidr: "192.0.2.0/24" });
  const host = await create("hosts", { name: "before" });
  const on = { host_id: host.id };
  const address = await create("ip-addresses", { ...on, ip_address: "192.0.2.1" });
  const port = await create("ports", { ...on, number: 80, protocol: "Tcp" });
  const one = await create("interfaces", { ...on, if_index: 1, name: "before" });
  const neighbor = await create("neighbors", {
    interface_id: one.id,
    protocol: "Lldp",
    chassis_id: { subtype: "MacAddress", value: "02:00:5E:00:00:01" },
    system_name: "before",
  });
  const service = await create("services", { ...on, name: "before" });
  const bound = { type: "Port", service_id: service.id, port_id: port.id };
  const binding = await create("bindings", bound);
  const created = {
    subnets: subnet,
    hosts: host,
    "ip-addresses": address,
    ports: port,
    interfaces: one,
    neighbors: neighbor,
    services: service,
    bindings: binding,
  };
  const heard = { interface_id: one.id, protocol: "Lldp", chassis_id: neighbor.chassis_id };
  const changed = {
    neighbors: await replace("neighbors", neighbor.id, { ...heard, system_name: "after" }),
    bindings: await replace("bindings", binding.id, { ...bound, ip_address_id: address.id }),
    services: await replace("services", service.id, { ...on, name: "after" }),
    interfaces: await replace("interfaces", one.id, { ...on, if_index: 1, name: "after" }),
    ports: await replace("ports", port.id, { ...on, number: 81, protocol: "Tcp" }),
    "ip-addresses": await replace("ip-addresses", address.id, { ...on, ip_address: "192.0.2.2" }),
    hosts: await replace("hosts", host.id, { name: "after" }),
    subnets: await replace("subnets", subnet.id, { cidr: "192.0.2.0/24", name: "after" }),
  };
  const lived = await read("hosts", host.id);
  await send("DELETE", `hosts/${host.id}`);
  await remove("subnets", subnet.id);
  return { ...inventory, created, changed, lived };
}

let story: Inventory & Awaited<ReturnType<typeof openStory>>;

beforeAll(async () => {
  story = await openStory();
});

/** The field that is changed in each collection's record. */
const changedFields: Record<InventoryCollection, string> = {
  subnets: "name",
  hosts: "name",
  "ip-addresses": "ip_address",
  ports: "number",
  interfaces: "name",
  neighbors: "system_name",
  services: "name",
  bindings: "ip_address_id",
};

describe.each(inventoryCollections)("%s", (name) => {
  describe.each(["50", "0"])("with limit=%s", (limit) => {
    const field = changedFields[name];
    const valueAt = async (at: string) => {
      const records = await story.list(name, { at, limit });
      expect(records.length).toBeLessThanOrEqual(1);
      return records.map((record) => Reflect.get(record, field));
    };
    const of = (record: object) => [Reflect.get(record, field)];

    test("show the state at each timestamp, to the millisecond", async () => {
      const { [name]: created } = story.created;
      const { [name]: changed } = story.changed;
      expect(changed.valid_from > created.valid_from).toBe(true);
      expect(changed.id).toBe(created.id);
      expect(of(changed)).not.toEqual(of(created));
      expect(await valueAt("2001-01-01T00:00:00Z")).toEqual([]);
      expect(await valueAt(shifted(created.valid_from, -1))).toEqual([]);
      expect(await valueAt(created.valid_from)).toEqual(of(created));
      expect(await valueAt(shifted(changed.valid_from, -1))).toEqual(of(created));
      expect(await valueAt(changed.valid_from)).toEqual(of(changed));
      expect(await valueAt(shifted(changed.valid_from, 1))).toEqual(of(changed));
      const [last] = await story.list(name, { at: changed.valid_from, limit });
      const ended = last?.valid_to ?? "";
      expect(last).toMatchObject({ lineage_id: created.id });
      expect(await valueAt(shifted(ended, -1))).toHaveLength(1);
      expect(await valueAt(ended)).toEqual([]);
      expect(await story.list(name, { limit })).toEqual([]);
      expect(await valueAt("9999-01-01T00:00:00Z")).toEqual([]);
    });

    test("find a past record by its live id", async () => {
      const { id, valid_from: at } = story.changed[name];
      // Bindings are looked up by their service.
      const { service_id } = story.changed.bindings;
      const query = name === "bindings" ? { service_id } : { ids: id };
      expect(await story.list(name, { at, limit, ...query })).toMatchObject([{ lineage_id: id }]);
      const other = name === "bindings" ? { service_id: id } : { ids: crypto.randomUUID() };
      expect(await story.list(name, { at, limit, ...other })).toEqual([]);
    });
  });
});

test.each(["50", "0"])(
  "a past host has the children that it had at that time, with limit=%s",
  async (limit) => {
    const { created, changed, lived, list } = story;
    const ids = (records: readonly { id: string; lineage_id: string | null }[] = []) =>
      records.map(({ id, lineage_id }) => lineage_id ?? id);
    const [young] = await list("hosts", { at: created.hosts.valid_from, limit });
    expect(young).toMatchObject({ name: "before", ip_addresses: [], ports: [], services: [] });
    const [middle] = await list("hosts", { at: created.bindings.valid_from, limit });
    expect(middle).toMatchObject({
      name: "before",
      ip_addresses: [{ ip_address: "192.0.2.1" }],
      ports: [{ number: 80 }],
      services: [{ name: "before", bindings: [{ ip_address_id: null }] }],
    });
    const [old] = await list("hosts", { at: changed.subnets.valid_from, limit });
    expect(old).toMatchObject({
      name: "after",
      ip_addresses: [{ ip_address: "192.0.2.2" }],
      ports: [{ number: 81 }],
      services: [{ name: "after", bindings: [{ ip_address_id: created["ip-addresses"].id }] }],
    });
    expect(ids(old?.ports)).toEqual(ids(lived.ports));
    expect(ids(old?.ip_addresses)).toEqual(ids(lived.ip_addresses));
  },
);

test("filters combined with `at` apply to the children at that time", async () => {
  const { created, changed, list } = story;
  const before = created.bindings.valid_from;
  const after = changed.hosts.valid_from;
  for (const [query, now, then] of [
    [{ port: "80" }, 0, 1],
    [{ port: "81" }, 1, 0],
    [{ ip: "192.0.2.1" }, 0, 1],
    [{ q: "192.0.2.2" }, 1, 0],
    [{ q: "before" }, 0, 1],
    [{ service: "after" }, 1, 0],
  ] as const) {
    expect(await list("hosts", { ...query, at: after })).toHaveLength(now);
    expect(await list("hosts", { ...query, at: before })).toHaveLength(then);
  }
  expect(await list("services", { port: "80", at: before })).toHaveLength(1);
  expect(await list("services", { port: "80", at: after })).toHaveLength(0);
});

test("deleting a host closes all of its children at one timestamp and keeps their history", async () => {
  const { list, changed } = story;
  const at = changed.subnets.valid_from;
  const ends = await Promise.all(
    inventoryCollections.slice(1).map(async (name) => (await list(name, { at }))[0]?.valid_to),
  );
  expect(new Set(ends).size).toBe(1);
  expect(ends[0]).toMatch(/Z$/);
});

test("changes to hidden, position and tags, and unchanged values, do not start a version", async () => {
  const { create, replace, organization, list, network_id } = await openInventory();
  const tags = [organization.tags[0]];
  const host = await create("hosts", {
    name: "nas",
    ip_addresses: [{ ip_address: "192.0.2.1" }],
    services: [{ name: "Web" }],
  });
  const replaced = await replace("hosts", host.id, {
    name: "nas",
    hidden: true,
    tags,
    ip_addresses: host.ip_addresses.map((address) => ({ ...address, position: 9 })),
    services: host.services.map((service) => ({ ...service, position: 9, tags })),
  });
  expect(replaced).toMatchObject({
    hidden: true,
    tags,
    valid_from: host.valid_from,
    ip_addresses: [{ position: 9, valid_from: host.valid_from }],
    services: [{ position: 9, tags, valid_from: host.valid_from }],
  });
  const subnet = await create("subnets", { cidr: "192.0.2.0/24", network_id });
  const tagged = await replace("subnets", subnet.id, { cidr: "192.0.2.0/24", tags });
  expect(tagged).toMatchObject({ tags, valid_from: subnet.valid_from });
  const at = shifted(subnet.valid_from, 0);
  expect(await list("hosts", { at })).toMatchObject([{ id: host.id, lineage_id: null }]);
});

test("refuses to delete a daemon's host, alone or in bulk", async () => {
  const { create, send, read, network_id, organization } = await openInventory();
  const host = await create("hosts", { name: "nas", ports: [{ number: 1, protocol: "Tcp" }] });
  await mintDaemon(organization.id, network_id, { host_id: host.id });
  const refused = {
    status: 409,
    body: {
      code: "entity_in_use",
      params: { entity: "Host", id: host.id, used_by: { daemons: 1 } },
    },
  };
  expect(await send("DELETE", `hosts/${host.id}`)).toMatchObject(refused);
  expect(await send("POST", "hosts/bulk-delete", [host.id])).toMatchObject(refused);
  expect((await read("hosts", host.id)).ports).toHaveLength(1);
});

describe("records are listed from the timestamp of their creation onwards:", () => {
  /** Expects each record to have one version, and to be listed from its `created_at` onwards. */
  const expectSince = async (
    { list }: Inventory,
    name: InventoryCollection,
    records: readonly { id: string; created_at: string; valid_from: string; updated_at: string }[],
  ) => {
    for (const { id, created_at, valid_from, updated_at } of records) {
      expect(valid_from, name).toBe(created_at);
      expect(updated_at >= created_at, name).toBe(true);
      for (const limit of ["50", "0"]) {
        const idsAt = async (at: string) =>
          (await list(name, { at, limit })).map((record) => record.lineage_id ?? record.id);
        expect(await idsAt(created_at), `${name} with limit=${limit}`).toContain(id);
        expect(await idsAt(shifted(created_at, -1))).not.toContain(id);
      }
    }
  };

  test("a host with its children", async () => {
    const inventory = await openInventory();
    const [address, port] = [crypto.randomUUID(), crypto.randomUUID()];
    const host = await inventory.create("hosts", {
      name: "nas",
      ip_addresses: [{ id: address, ip_address: "192.0.2.1" }],
      ports: [{ id: port, number: 443, protocol: "Tcp" }],
      services: [{ name: "Web", bindings: [{ type: "Port", port_id: port }] }],
    });
    await expectSince(inventory, "hosts", [host]);
    await expectSince(inventory, "ip-addresses", host.ip_addresses);
    await expectSince(inventory, "ports", host.ports);
    await expectSince(inventory, "services", host.services);
    await expectSince(
      inventory,
      "bindings",
      host.services.flatMap(({ bindings }) => bindings),
    );
    const [then] = await inventory.list("hosts", { at: host.created_at });
    expect(then).toMatchObject({
      ip_addresses: [{ id: address }],
      ports: [{ id: port }],
      services: [{ bindings: [{ port_id: port }] }],
    });
  });

  test("each record that is created alone", async () => {
    const inventory = await openInventory();
    const { create } = inventory;
    await expectSince(inventory, "subnets", [await create("subnets", { cidr: "192.0.2.0/24" })]);
    const host = await create("hosts", { name: "nas" });
    const on = { host_id: host.id };
    const address = await create("ip-addresses", { ...on, ip_address: "192.0.2.1" });
    await expectSince(inventory, "ip-addresses", [address]);
    const port = await create("ports", { ...on, number: 80, protocol: "Tcp" });
    await expectSince(inventory, "ports", [port]);
    const service = await create("services", { ...on, name: "Web" });
    await expectSince(inventory, "services", [service]);
    const bound = { type: "Port", service_id: service.id, port_id: port.id };
    await expectSince(inventory, "bindings", [await create("bindings", bound)]);
    const later = await inventory.read("hosts", host.id);
    expect(later.created_at).toBe(host.created_at);
  });

  test("each record in a bulk create", async () => {
    const inventory = await openInventory();
    const { network_id, list, send } = inventory;
    for (const [name, records] of [
      ["subnets", ["192.0.2.0/24", "198.51.100.0/24"].map((cidr) => ({ network_id, cidr }))],
      ["hosts", ["nas", "web"].map((name) => ({ network_id, name, services: [{ name }] }))],
    ] as const) {
      expect(await send("POST", `${name}/bulk`, records)).toMatchObject({ status: 201 });
      const created = await list(name);
      expect(created).toHaveLength(2);
      await expectSince(inventory, name, created);
    }
    await expectSince(inventory, "services", await list("services"));
  });

  test("the records that an import creates", async () => {
    const inventory = await openInventory();
    const { network_id, list, send } = inventory;
    const port = { number: 443, protocol: "Tcp", service: { name: "Web" } };
    const hosts = [
      {
        hostname: "nas",
        addresses: [{ ip_address: "192.0.2.1" }],
        ports: [port],
        interfaces: [{ if_index: 1 }],
      },
    ];
    const source = { name: "script", version: "1" };
    expect(await send("POST", `networks/${network_id}/imports`, { source, hosts })).toMatchObject({
      status: 200,
      body: { data: { counts: { created: 1 } } },
    });
    // Imports do not create subnets, and this one does not contain neighbors.
    const imported = inventoryCollections.filter(
      (name) => name !== "subnets" && name !== "neighbors",
    );
    for (const name of imported) {
      const created = await list(name);
      expect(created).toHaveLength(1);
      await expectSince(inventory, name, created);
    }
  });
});
