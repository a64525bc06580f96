import { expect, test } from "vitest";
import { importResult } from "../../src/imports/model.ts";
import { at, openImports } from "./helpers.ts";

/** A neighbor, as `lldpcli show neighbors details -f json` writes it. */
const neighbor = (system: string, more: object = {}) => ({
  via: "LLDP",
  rid: "1",
  age: "0 day, 00:12:40",
  chassis: {
    [system]: {
      id: { type: "mac", value: "02:00:5e:00:00:01" },
      descr: "Debian GNU/Linux 12",
      "mgmt-ip": ["192.168.1.3", "fe80::200:5eff:fe00:1"],
      "mgmt-iface": "2",
      capability: [{ type: "Bridge", enabled: true }],
    },
  },
  port: { id: { type: "ifname", value: "gi1/0/8" }, descr: "Uplink", ttl: "120" },
  ...more,
});

const byCdp = {
  via: "CDPv2",
  chassis: { "sw2.example.com": { id: { type: "local", value: "sw2" } } },
  port: { id: { type: "ifname", value: "Gi0/1" } },
};

/** A host with the interfaces eth0 and eth1, and functions that import lldpcli's output from it. */
async function openHost(names = ["eth0", "eth1"]) {
  const imports = await openImports();
  const interfaces = names.map((name, position) => ({ if_index: position + 10, name }));
  const { hosts } = await imports.take([at("10.0.0.1", { interfaces })]);
  const id = hosts[0]?.host_id;
  const post = (body: unknown, query = "") =>
    imports.send("POST", `hosts/${id}/imports${query}`, body);
  const take = async (interface_: unknown, query = "") => {
    const answer = await post({ lldp: { interface: interface_ } }, query);
    expect(answer).toMatchObject({ status: 200 });
    return importResult.parse((answer.body as { data: unknown }).data);
  };
  const neighbors = async () =>
    (await imports.list("interfaces", { order_by: "if_index" })).map((one) =>
      one.neighbors.map(({ protocol, chassis_id }) => `${protocol} ${chassis_id.value}`).toSorted(),
    );
  return { ...imports, id, post, take, neighbors };
}

test("stores the neighbors of the interface with the printed name, and nothing else of the host", async () => {
  const { id, take, list } = await openHost();
  const [before] = await list("hosts");
  const versions = async () =>
    (await list("interfaces", { order_by: "if_index" })).map(({ valid_from }) => valid_from);
  const versionsBefore = await versions();
  const result = await take({ eth1: neighbor("attic-switch") });
  expect(result).toMatchObject({
    dry_run: false,
    counts: { created: 0, changed: 1, unchanged: 0, failed: 0 },
    hosts: [{ index: 0, outcome: "changed", host_id: id, matched_by: "id", issues: [] }],
  });
  const [eth0, eth1] = await list("interfaces", { order_by: "if_index" });
  expect([eth0?.neighbors, eth0?.read_at.lldp]).toEqual([[], null]);
  expect(eth1).toMatchObject({ if_index: 11, name: "eth1", read_at: { lldp: null } });
  expect(eth1?.neighbors).toMatchObject([
    {
      protocol: "Lldp",
      chassis_id: { subtype: "MacAddress", value: "02:00:5E:00:00:01" },
      port_id: { subtype: "InterfaceName", value: "gi1/0/8" },
      system_name: "attic-switch",
      system_description: "Debian GNU/Linux 12",
      port_description: "Uplink",
      management_addresses: ["192.168.1.3", "fe80::200:5eff:fe00:1"],
      source: { type: "Import" },
      last_discovery_id: result.discovery_id,
    },
  ]);
  const [after] = await list("hosts");
  const lasting = ({ name, valid_from, ip_addresses }: NonNullable<typeof after>) => [
    name,
    valid_from,
    ip_addresses.map((one) => one.id),
  ];
  expect(after && lasting(after)).toEqual(before && lasting(before));
  expect(await versions()).toEqual(versionsBefore);
  expect(await take({ eth1: neighbor("attic-switch") })).toMatchObject({
    counts: { unchanged: 1 },
  });
});

test("reads every form in which lldpcli prints neighbors", async () => {
  const { take, post, neighbors } = await openHost(["eth0", "eth1", "name", "via"]);
  const unnamed = neighbor("", { chassis: { id: { type: "ip", value: "192.168.1.9" } } });
  await take([
    { eth0: neighbor("id") },
    { eth0: byCdp },
    { eth1: unnamed },
    { name: neighbor("name") },
    { via: neighbor("via", { port: {} }) },
    { eth1: { ...byCdp, via: "EDP" } },
  ]);
  const read = [
    ["Cdp sw2", "Lldp 02:00:5E:00:00:01"],
    ["Lldp 192.168.1.9"],
    ["Lldp 02:00:5E:00:00:01"],
    ["Lldp 02:00:5E:00:00:01"],
  ];
  expect(await neighbors()).toEqual(read);
  const json0 = {
    lldp: [
      {
        interface: [
          {
            name: "eth1",
            via: "CDPv1",
            chassis: [
              {
                id: [{ type: "local", value: "sw3" }],
                name: [{ value: "sw3.example.com" }],
                descr: [{ value: "IOS" }],
                "mgmt-ip": [{ value: "192.168.1.4" }, { value: "192.168.1.5" }],
              },
            ],
            port: [{ id: [{ type: "ifname", value: "Gi0/2" }], descr: [{ value: "Attic" }] }],
          },
        ],
      },
    ],
  };
  expect(await post(json0)).toMatchObject({ status: 200 });
  expect(await neighbors()).toEqual(read.with(1, ["Cdp sw3", "Lldp 192.168.1.9"]));
  // An output without neighbors.
  expect(await post({ lldp: {} })).toMatchObject({ body: { data: { counts: { unchanged: 1 } } } });
});

test("ignores an interface unless its name is that of exactly one interface of the host", async () => {
  const { take, neighbors } = await openHost(["eth0", "bond0", "bond0"]);
  const printed = ["eth7", "bond0", "eth0"].map((name) => ({ [name]: neighbor("attic-switch") }));
  const { hosts } = await take(printed);
  const message =
    "is not the name of exactly one of the host's interfaces: import the host's interfaces with their names first";
  expect(hosts[0]?.issues).toEqual([
    { path: "hosts[0].interfaces[0].name", message, code: "unknown_interface" },
    { path: "hosts[0].interfaces[1].name", message, code: "unknown_interface" },
  ]);
  expect(await neighbors()).toEqual([["Lldp 02:00:5E:00:00:01"], [], []]);
});

test("ends a neighbor only if the output is complete and contains others of its protocol", async () => {
  const { take, neighbors } = await openHost();
  const other = (value: string) =>
    neighbor("other", { chassis: { other: { id: { type: "local", value } } } });
  await take([{ eth0: other("one") }, { eth0: byCdp }, { eth1: other("three") }]);
  await take({ eth0: other("two") });
  expect(await neighbors()).toEqual([["Cdp sw2", "Lldp one", "Lldp two"], ["Lldp three"]]);
  // A neighbor without a chassis makes its part of the output incomplete.
  await take([{ eth0: other("two") }, { eth0: neighbor("", { chassis: {} }) }], "?complete=true");
  expect(await neighbors()).toEqual([["Cdp sw2", "Lldp one", "Lldp two"], ["Lldp three"]]);
  await take({ eth0: other("two") }, "?complete=true");
  expect(await neighbors()).toEqual([["Cdp sw2", "Lldp two"], ["Lldp three"]]);
});

test("treats interfaces whose names are equal without control characters and spaces as one", async () => {
  const { take, neighbors } = await openHost();
  const other = (value: string) =>
    neighbor("other", { chassis: { other: { id: { type: "local", value } } } });
  await take([{ eth0: other("one") }]);
  // The part of the output that lacks a chassis is incomplete, under either name.
  const incomplete = [
    { eth0: neighbor("", { chassis: {} }) },
    { " eth0": other("two") },
    { "eth0\u0001": other("three") },
  ];
  await take(incomplete, "?complete=true");
  expect(await neighbors()).toEqual([["Lldp one", "Lldp three", "Lldp two"], []]);
});

test("imports the first 8 management addresses of a neighbor", async () => {
  const { take, list } = await openHost();
  const addresses = Array.from({ length: 9 }, (_, index) => `192.168.1.${index + 1}`);
  const chassis = {
    one: { id: { type: "local", value: "one" }, "mgmt-ip": addresses },
  };
  await take({ eth0: neighbor("one", { chassis }) });
  const [stored] = await list("neighbors");
  expect(stored?.management_addresses).toEqual(addresses.slice(0, 8));
});

test("an interface that ended is unknown, and its name can belong to another one", async () => {
  const { id, take, list, send, neighbors } = await openHost();
  const [eth0] = await list("interfaces", { order_by: "if_index" });
  await send("DELETE", `interfaces/${eth0?.id}`);
  const { hosts } = await take({ eth0: neighbor("attic-switch") });
  expect(hosts[0]?.issues).toMatchObject([{ code: "unknown_interface" }]);
  await send("POST", "interfaces", { host_id: id, if_index: 7, name: "eth0" });
  await take({ eth0: neighbor("attic-switch") });
  expect(await neighbors()).toEqual([["Lldp 02:00:5E:00:00:01"], []]);
});

test("a complete output ends no neighbor of a host that was consolidated from two", async () => {
  const { id, take, create, send, network_id, neighbors } = await openHost();
  await take({ eth0: neighbor("attic-switch") });
  const ip_addresses = [{ ip_address: "10.0.0.2" }];
  const other = await create("hosts", { network_id, name: "other", ip_addresses });
  expect(await send("PUT", `hosts/${id}/consolidate/${other.id}`)).toMatchObject({ status: 200 });
  const changed = { chassis: { other: { id: { type: "local", value: "other" } } } };
  await take({ eth0: neighbor("other", changed) }, "?complete=true");
  expect(await neighbors()).toEqual([["Lldp 02:00:5E:00:00:01", "Lldp other"], []]);
});

test("a dry run returns the same outcome and changes nothing", async () => {
  const { take, neighbors } = await openHost();
  expect(await take({ eth0: neighbor("attic-switch") }, "?dry_run=true")).toMatchObject({
    discovery_id: null,
    dry_run: true,
    counts: { changed: 1 },
  });
  expect(await neighbors()).toEqual([[], []]);
});

test.each([
  [
    "what lldpcli show interfaces prints",
    { lldp: { interface: { eth0: { status: "RX and TX" } } } },
  ],
  ["what lldpcli show chassis prints", { "local-chassis": { chassis: {} } }],
  ["text instead of neighbors", { lldp: "eth0" }],
  ["a number instead of an interface", { lldp: { interface: [7] } }],
  [
    "several interfaces in one object",
    { lldp: { interface: { eth0: neighbor("one"), eth1: neighbor("two") } } },
  ],
  ["several outputs", { lldp: [{}, { interface: { eth0: neighbor("one") } }] }],
  ["a protocol that is not text", { lldp: { interface: { eth0: neighbor("one", { via: 1 }) } } }],
  ["more fields", { lldp: {}, hosts: [] }],
])("rejects %s", async (_, body) => {
  const { post, neighbors } = await openHost();
  expect(await post(body)).toMatchObject({
    status: 400,
    body: { code: "validation_failed" },
  });
  expect(await neighbors()).toEqual([[], []]);
});

test("responds with 404 for a host that does not exist, or no longer exists", async () => {
  const { id, send, post } = await openHost();
  const body = { lldp: {} };
  const absent = "0f0a4f0e-0000-4000-8000-000000000001";
  expect(await send("POST", `hosts/${absent}/imports`, body)).toMatchObject({ status: 404 });
  await send("DELETE", `hosts/${id}`);
  for (const query of ["", "?dry_run=true"]) {
    expect(await post(body, query)).toMatchObject({
      status: 404,
      body: { code: "entity_not_found", params: { entity: "Host", id } },
    });
  }
});

test("a neighbor that cannot be read is listed in the issues, and the others are stored", async () => {
  const { take, neighbors } = await openHost();
  const unhandled = neighbor("one", { chassis: { one: { id: { type: "unhandled", value: "" } } } });
  const { hosts } = await take([{ eth0: unhandled }, { eth0: byCdp }]);
  expect(hosts[0]?.issues.map(({ path }) => path)).toEqual([
    "hosts[0].interfaces[0].neighbors[0].chassis_id.subtype",
    "hosts[0].interfaces[0].neighbors[0].chassis_id.value",
  ]);
  expect(await neighbors()).toEqual([["Cdp sw2"], []]);
  const many = Array.from({ length: 65 }, (_, port) => ({
    eth1: neighbor("one", { port: { id: { type: "local", value: `${port}` } } }),
  }));
  expect(await take(many)).toMatchObject({ counts: { failed: 1 } });
  await take(many.slice(1));
  expect((await neighbors())[1]).toHaveLength(64);
});
