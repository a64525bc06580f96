import { describe, expect, test } from "vitest";
import { refusalOf, sql } from "../../helpers/database.ts";
import { openInventory } from "../../helpers/inventory.ts";

const mac = (value: string) => ({ subtype: "MacAddress", value });
const portOf = (value: string) => ({ subtype: "InterfaceName", value });

/** Creates a host with two interfaces, the first of which has a neighbor. */
async function openHost() {
  const inventory = await openInventory();
  const { create } = inventory;
  const host = await create("hosts", {
    name: "nas",
    interfaces: [{ if_index: 1 }, { if_index: 2 }],
  });
  const [first, second] = host.interfaces;
  if (!first || !second) {
    throw new Error("The host lacks interfaces.");
  }
  const heard = {
    interface_id: first.id,
    protocol: "Lldp",
    chassis_id: mac("02005e000001"),
    port_id: portOf("gi1/0/7"),
    system_name: "switch",
    management_addresses: ["2001:DB8:0::1", "192.0.2.1"],
  };
  return { ...inventory, host, first, second, heard, neighbor: await create("neighbors", heard) };
}

const failure = (status: number, code: string, details: object = {}) => ({
  status,
  body: { success: false, code, params: details },
});

test("a neighbor has the host and network of its interface and canonical addresses", async () => {
  const { host, first, neighbor, read } = await openHost();
  expect(neighbor).toMatchObject({
    host_id: host.id,
    network_id: host.network_id,
    interface_id: first.id,
    protocol: "Lldp",
    chassis_id: mac("02:00:5E:00:00:01"),
    port_id: portOf("gi1/0/7"),
    system_name: "switch",
    system_description: null,
    port_description: null,
    management_addresses: ["192.0.2.1", "2001:db8::1"],
    source: { type: "Manual" },
  });
  const { neighbors } = await read("interfaces", first.id);
  expect(neighbors).toEqual([neighbor]);
  const current = await read("hosts", host.id);
  expect(current.interfaces.map((one) => one.neighbors)).toEqual([[neighbor], []]);
});

test.each([
  ["a chassis that is no MAC address", "chassis_value = 'attic'"],
  ["a port that is no MAC address", "port_subtype = 'MacAddress'"],
  ["a chassis that is no IP address", "chassis_subtype = 'NetworkAddress'"],
  ["a port that is no IP address", "port_subtype = 'NetworkAddress'"],
])("the database rejects %s although its subtype says so", async (_, assignment) => {
  const { neighbor, read } = await openHost();
  const change = sql.query(`update neighbors set ${assignment} where id = $1`, [neighbor.id]);
  // A map casts these values, so one such row would make every map of the network fail.
  expect((await refusalOf(change)).code).toBe("22P02");
  expect(await read("neighbors", neighbor.id)).toEqual(neighbor);
});

test("the longest chassis and port fit into the index that keeps them unique", async () => {
  const { heard, create, send } = await openHost();
  // Four bytes each in UTF-8, and hardly compressible.
  const longest = (from: number) =>
    Array.from({ length: 255 }, (_, last) =>
      String.fromCodePoint(0x20000 + ((from + last * 7919) % 40_000)),
    ).join("");
  const chassis_id = { subtype: "LocallyAssigned", value: longest(1) };
  const port_id = { subtype: "AgentCircuitId", value: longest(2) };
  const { chassis_id: stored } = await create("neighbors", { ...heard, chassis_id, port_id });
  expect(stored).toEqual(chassis_id);
  expect(await send("POST", "neighbors", { ...heard, chassis_id, port_id })).toMatchObject(
    failure(409, "entity_already_exists", { entity: "Neighbor" }),
  );
});

test("the address of a chassis is stored in its canonical form", async () => {
  const { create, first, send } = await openHost();
  const chassis_id = { subtype: "NetworkAddress", value: "2001:DB8:0:0::7" };
  const sent = { interface_id: first.id, protocol: "Lldp", chassis_id };
  const { chassis_id: stored } = await create("neighbors", sent);
  expect(stored.value).toBe("2001:db8::7");
  expect(await send("POST", "neighbors", sent)).toMatchObject(
    failure(409, "entity_already_exists", { entity: "Neighbor", field: "body.chassis_id" }),
  );
});

describe("rejects", () => {
  const cases: [string, object, string, string][] = [
    ["a chassis without a MAC address", { chassis_id: mac("switch") }, "chassis_id.value", "MAC"],
    [
      "a port that is not an address",
      { port_id: { subtype: "NetworkAddress", value: "gi1" } },
      "port_id.value",
      "IP address",
    ],
    [
      "an unknown subtype of a chassis",
      { chassis_id: { subtype: "AgentCircuitId", value: "7" } },
      "chassis_id.subtype",
      "must be one of ChassisComponent",
    ],
    [
      "more than 8 management addresses",
      { management_addresses: Array.from({ length: 9 }, (_, last) => `192.0.2.${last}`) },
      "management_addresses",
      "at most 8",
    ],
    [
      "the same management address twice",
      { management_addresses: ["2001:db8::1", "2001:DB8:0::1"] },
      "management_addresses[1]",
      "already an address",
    ],
    ["a system name of 256 characters", { system_name: "x".repeat(256) }, "system_name", "255"],
    [
      "a chassis of 256 characters",
      { chassis_id: { subtype: "LocallyAssigned", value: "x".repeat(256) } },
      "chassis_id.value",
      "255",
    ],
  ];
  test.each(cases)("%s", async (_, change, field, message) => {
    const { heard, send, list, neighbor } = await openHost();
    const answer = await send("POST", "neighbors", { ...heard, ...change });
    expect(answer).toMatchObject(failure(400, "validation_failed"));
    const { params } = answer.body as { params: { issues: { path: string; message: string }[] } };
    expect(params.issues).toMatchObject([
      { path: `body.${field}`, message: expect.stringContaining(message) },
    ]);
    expect(await list("neighbors")).toEqual([neighbor]);
  });

  test("a second neighbor with the same protocol, chassis and port on an interface", async () => {
    const { heard, send, neighbor, second, create } = await openHost();
    expect(await send("POST", "neighbors", heard)).toMatchObject(
      failure(409, "entity_already_exists", { entity: "Neighbor", id: neighbor.id }),
    );
    await create("neighbors", { ...heard, interface_id: second.id });
    await create("neighbors", { ...heard, protocol: "Cdp" });
    await create("neighbors", { ...heard, port_id: null });
    expect(await send("POST", "neighbors", { ...heard, port_id: null })).toMatchObject(
      failure(409, "entity_already_exists", { entity: "Neighbor" }),
    );
    const twice = await send("POST", "neighbors/bulk", [
      { ...heard, chassis_id: mac("02:00:5E:00:00:02") },
      { ...heard, chassis_id: mac("02-00-5e-00-00-02") },
    ]);
    expect(twice).toMatchObject(failure(400, "validation_failed"));
  });

  test("addresses that are not addresses, in one of several neighbors", async () => {
    const { heard, send } = await openHost();
    for (const change of [
      { chassis_id: { subtype: "NetworkAddress", value: "fe80::x" } },
      { management_addresses: ["fe80::x", "fe80::x"] },
    ]) {
      const answer = await send("POST", "neighbors/bulk", [heard, { ...heard, ...change }]);
      expect(answer).toMatchObject(failure(400, "validation_failed"));
    }
  });

  test("another interface in a replacement", async () => {
    const { heard, neighbor, second, send } = await openHost();
    const moved = { ...heard, interface_id: second.id };
    expect(await send("PUT", `neighbors/${neighbor.id}`, moved)).toMatchObject(
      failure(400, "validation_failed"),
    );
  });

  test("the 65th neighbor of an interface", async () => {
    const { heard, first, send, list } = await openHost();
    const many = (count: number) =>
      Array.from({ length: count }, (_, last) => ({ ...heard, port_id: portOf(`gi2/0/${last}`) }));
    expect(await send("POST", "neighbors/bulk", many(64))).toMatchObject(
      failure(400, "validation_failed", {
        issues: [
          {
            path: "body",
            message: "would exceed the maximum of 64 neighbors of one interface: remove some first",
          },
        ],
      }),
    );
    expect(await send("POST", "neighbors/bulk", many(63))).toMatchObject({ status: 201 });
    expect(await list("neighbors", { interface_id: first.id, limit: "0" })).toHaveLength(64);
  });
});

test("filters find neighbors by interface, host, protocol, MAC address and complete name", async () => {
  const { create, host, first, second, neighbor, list } = await openHost();
  const other = await create("neighbors", {
    interface_id: second.id,
    protocol: "Fdb",
    chassis_id: mac("02:00:5E:00:00:09"),
    port_id: mac("02:00:5E:00:00:01"),
  });
  const both = [neighbor, other];
  for (const [query, expected] of [
    [{ host_id: host.id }, both],
    [{ interface_id: first.id }, [neighbor]],
    [{ protocol: "Fdb" }, [other]],
    [{ mac: "0200.5e00.0001" }, both],
    [{ mac: "0200.5e00.0009" }, [other]],
    [{ q: "switch" }, [neighbor]],
    [{ q: "SWITCH" }, []],
    [{ q: "gi1/0/7" }, [neighbor]],
    [{ q: "2:0:5e:0:0:9" }, [other]],
    [{ q: other.id }, [other]],
  ] satisfies [Record<string, string>, object[]][]) {
    expect(await list("neighbors", query), JSON.stringify(query)).toEqual(expected);
    const past = await list("neighbors", { ...query, at: new Date().toISOString() });
    expect(past, JSON.stringify(query)).toEqual(expected);
  }
});

test("a changed neighbor starts a version, and changes the ETags of its interface and host", async () => {
  const { neighbor, first, host, send, list } = await openHost();
  const tagsOf = async () =>
    Promise.all(
      [`interfaces/${first.id}`, `hosts/${host.id}`].map(
        async (path) => (await send("GET", path)).headers.get("etag") ?? "",
      ),
    );
  const before = await tagsOf();
  const answer = await send("PATCH", `neighbors/${neighbor.id}`, { port_description: "to nas" });
  expect(answer).toMatchObject({ status: 200, body: { data: { id: neighbor.id } } });
  const after = await tagsOf();
  expect(after.filter((tag, at) => tag === before[at])).toEqual([]);
  expect(await list("interfaces", { at: neighbor.valid_from })).toHaveLength(2);
  expect(await list("neighbors", { at: neighbor.valid_from })).toMatchObject([
    { lineage_id: neighbor.id, port_description: null },
  ]);
  const { data } = (await send("GET", `neighbors/${neighbor.id}/timeline`)).body as {
    data: object[];
  };
  expect(data).toMatchObject([
    {
      change: "updated",
      label: "switch",
      before: { port_description: null },
      after: { port_description: "to nas" },
    },
    { change: "created", entity: "Neighbor", host_id: host.id },
  ]);
});

test("a deleted interface ends its neighbors, and a replaced host keeps them", async () => {
  const { host, second, neighbor, read, replace, list } = await openHost();
  const current = await read("hosts", host.id);
  await replace("hosts", host.id, current);
  expect(await list("neighbors")).toEqual([neighbor]);
  const { updated_at: at } = await read("hosts", host.id);
  await replace("hosts", host.id, { ...current, interfaces: [second] });
  expect(await list("neighbors")).toEqual([]);
  expect(await list("neighbors", { at })).toMatchObject([{ lineage_id: neighbor.id }]);
});

test("consolidation keeps the neighbors of both hosts, and those that both heard once", async () => {
  const { create, host, first, heard, neighbor, send, list } = await openHost();
  const other = await create("hosts", {
    name: "other",
    interfaces: [{ if_index: 1 }, { if_index: 3 }],
  });
  const [merged, moved] = other.interfaces;
  const same = await create("neighbors", { ...heard, interface_id: merged?.id });
  const more = await create("neighbors", { ...heard, interface_id: merged?.id, protocol: "Cdp" });
  const third = await create("neighbors", { ...heard, interface_id: moved?.id });
  expect(await send("PUT", `hosts/${host.id}/consolidate/${other.id}`)).toMatchObject({
    status: 200,
  });
  const kept = await list("neighbors");
  expect(kept.map(({ id, host_id, interface_id }) => ({ id, host_id, interface_id }))).toEqual([
    { id: neighbor.id, host_id: host.id, interface_id: first.id },
    { id: more.id, host_id: host.id, interface_id: first.id },
    { id: third.id, host_id: host.id, interface_id: moved?.id },
  ]);
  expect(await list("neighbors", { ids: same.id })).toEqual([]);
});

test("VLANs of an interface are sorted, and null differs from none", async () => {
  const { create, host, read, send } = await openHost();
  const vlans = { native_vlan: 4094, tagged_vlans: [30, 1, 20], alias: " Uplink " };
  const one = await create("interfaces", { host_id: host.id, if_index: 7, ...vlans });
  expect(one).toMatchObject({ native_vlan: 4094, tagged_vlans: [1, 20, 30], alias: "Uplink" });
  expect(one.read_at).toEqual({ lldp: null, cdp: null, fdb: null, vlans: null });
  await send("PATCH", `interfaces/${one.id}`, { tagged_vlans: [] });
  expect((await read("interfaces", one.id)).tagged_vlans).toEqual([]);
  for (const [field, value] of [
    ["native_vlan", 0],
    ["native_vlan", 4095],
    ["tagged_vlans", [4095]],
    ["tagged_vlans", [7, 7]],
  ] as const) {
    expect(await send("PATCH", `interfaces/${one.id}`, { [field]: value })).toMatchObject(
      failure(400, "validation_failed"),
    );
  }
  const all = Array.from({ length: 4094 }, (_, last) => last + 1);
  await send("PATCH", `interfaces/${one.id}`, { tagged_vlans: all });
  expect((await read("interfaces", one.id)).tagged_vlans).toEqual(all);
});
