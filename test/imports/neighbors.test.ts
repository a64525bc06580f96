import { describe, expect, test } from "vitest";
import { importBody } from "../../src/imports/input.ts";
import { sql } from "../helpers/database.ts";
import { shifted } from "../helpers/inventory.ts";
import { at, type Imports, openImports } from "./helpers.ts";

const mac = (last: number) => `02:00:5E:00:00:${last.toString(16).padStart(2, "0").toUpperCase()}`;

const byLldp = (last: number, more: object = {}) => ({
  protocol: "Lldp",
  chassis_id: { subtype: "MacAddress", value: mac(last) },
  port_id: { subtype: "InterfaceName", value: "gi1/0/8" },
  ...more,
});

const byCdp = (device: string) => ({
  protocol: "Cdp",
  chassis_id: { subtype: "LocallyAssigned", value: device },
});

/** Functions that import the interfaces of one host. */
async function openSwitch() {
  const imports = await openImports();
  const see = (interfaces: readonly object[], more: object = {}) =>
    imports.take([at("10.0.0.1", { interfaces, ...more })]);
  const neighbors = () => namesOf(imports);
  return { ...imports, see, neighbors };
}

/** The live neighbors as `1 Lldp 02:…`: the number of the interface, the protocol and the chassis. */
async function namesOf({ list }: Pick<Imports, "list">) {
  const interfaces = await list("interfaces", { order_by: "if_index" });
  return interfaces.flatMap(({ if_index, neighbors }) =>
    neighbors
      .map(({ protocol, chassis_id: { value } }) => `${if_index} ${protocol} ${value}`)
      .toSorted(),
  );
}

test("an import stores the neighbors of interfaces, and when each part was read", async () => {
  const { see, list, network_id } = await openSwitch();
  const described = {
    system_name: "attic-switch",
    system_description: `${"An operating system ".repeat(13)}`,
    port_description: "Uplink",
    management_addresses: ["2001:0db8:0:0::3", "192.168.1.3"],
  };
  await see([
    { if_index: 1, neighbors: [byLldp(1, described), byCdp("sw.example")], complete: ["lldp"] },
    { if_index: 2 },
  ]);
  const [one, other] = await list("interfaces", { order_by: "if_index" });
  const neighbors = await list("neighbors", { order_by: "protocol" });
  expect(neighbors).toMatchObject([
    { protocol: "Cdp", chassis_id: byCdp("sw.example").chassis_id, port_id: null },
    {
      ...byLldp(1, described),
      system_description: described.system_description.slice(0, 255),
      management_addresses: ["192.168.1.3", "2001:db8::3"],
      network_id,
      interface_id: one?.id,
      host_id: one?.host_id,
      source: { type: "Import" },
      first_discovery_id: one?.first_discovery_id,
    },
  ]);
  expect(one?.neighbors).toHaveLength(2);
  expect(one?.read_at).toEqual({ lldp: one?.last_seen_at, cdp: null, fdb: null, vlans: null });
  expect(other?.read_at).toEqual({ lldp: null, cdp: null, fdb: null, vlans: null });
});

test("a repeated import changes no neighbor, even in another notation, and moves only the time of reading", async () => {
  const { see, list } = await openSwitch();
  const complete = ["lldp", "cdp", "fdb", "vlans"];
  const spelled = (chassis: string, address: string) => [
    {
      if_index: 1,
      complete,
      neighbors: [
        byLldp(1, { chassis_id: { subtype: "MacAddress", value: chassis } }),
        byLldp(1, { chassis_id: { subtype: "NetworkAddress", value: address } }),
      ],
    },
    { if_index: 2, complete, learned_macs: ["0200.5e00.0007"] },
  ];
  await see(spelled("02005e000001", "2001:db8::1"));
  const before = await list("interfaces", { order_by: "if_index" });
  const { counts } = await see(spelled("02-00-5e-00-00-01", "2001:0DB8::0:1"));
  expect(counts).toMatchObject({ unchanged: 1 });
  const after = await list("interfaces", { order_by: "if_index" });
  const lasting = ({ neighbors, ...one }: (typeof before)[number]) => [
    one.id,
    one.updated_at,
    one.valid_from,
    neighbors.map(({ last_seen_at: _, last_discovery_id: __, ...neighbor }) => neighbor),
  ];
  expect(after.map(lasting)).toEqual(before.map(lasting));
  expect(before[0]?.neighbors).toHaveLength(2);
  for (const [position, { read_at }] of after.entries()) {
    const earlier = before[position]?.read_at;
    for (const part of ["lldp", "cdp", "fdb", "vlans"] as const) {
      expect(read_at[part] ?? "").toMatch(/^2/);
      expect((read_at[part] ?? "") > (earlier?.[part] ?? "")).toBe(true);
    }
  }
});

test("the same report with the same time of observation changes no interface", async () => {
  const { take, list } = await openSwitch();
  const report = [at("10.0.0.1", { interfaces: [{ if_index: 1, complete: ["lldp"] }] })];
  const observed_at = new Date(Date.now() - 60_000).toISOString();
  await take(report, { observed_at });
  const before = await list("hosts");
  expect((await take(report, { observed_at })).counts).toMatchObject({ unchanged: 1 });
  expect(await list("hosts")).toEqual(before);
});

test("an older report does not move the time of reading back", async () => {
  const { take, list } = await openSwitch();
  const interfaces = [{ if_index: 1, complete: ["lldp"] }];
  await take([at("10.0.0.1", { interfaces })]);
  const [one] = await list("interfaces");
  await take([at("10.0.0.1", { interfaces: [{ if_index: 1, complete: ["lldp", "cdp"] }] })], {
    observed_at: shifted(one?.last_seen_at ?? "", -60_000),
  });
  const [same] = await list("interfaces");
  expect(same?.read_at.lldp).toBe(one?.read_at.lldp);
  expect(same?.read_at.cdp).toBe(shifted(one?.last_seen_at ?? "", -60_000));
});

test("a dry run reports that a neighbor would change the host, and changes nothing", async () => {
  const { take, see, list } = await openSwitch();
  await see([{ if_index: 1, neighbors: [byLldp(1)] }]);
  const before = await list("hosts");
  for (const changed of [
    { neighbors: [byLldp(1, { system_name: "attic" })] },
    { neighbors: [byLldp(1), byLldp(2)] },
    { complete: ["lldp"] },
    { learned_macs: [mac(7)], complete: ["lldp", "fdb"] },
  ]) {
    const { counts } = await take([at("10.0.0.1", { interfaces: [{ if_index: 1, ...changed }] })], {
      query: "?dry_run=true",
    });
    expect(counts).toMatchObject({ changed: 1 });
  }
  expect(await list("hosts")).toEqual(before);
});

describe("a neighbor that is not reported", () => {
  /** An interface with an LLDP neighbor and a CDP neighbor. */
  async function openHeard() {
    const opened = await openSwitch();
    await opened.see([{ if_index: 1, neighbors: [byLldp(1), byCdp("sw")] }, { if_index: 2 }]);
    const [host] = await opened.list("hosts");
    if (!host) {
      throw new Error("the import has made no host");
    }
    return { ...opened, host };
  }

  test("ends if the report contains all neighbors of its interface by its protocol", async () => {
    const { see, neighbors, list, host } = await openHeard();
    await see([{ if_index: 1 }, { if_index: 2, complete: ["lldp", "cdp"] }]);
    await see([{ if_index: 1, complete: ["fdb", "vlans"] }]);
    await see([], { interfaces_complete: true });
    expect(await neighbors()).toEqual(["1 Cdp sw", `1 Lldp ${mac(1)}`]);
    const { counts } = await see([{ if_index: 1, complete: ["lldp"] }]);
    expect(counts).toMatchObject({ changed: 1 });
    expect(await neighbors()).toEqual(["1 Cdp sw"]);
    await see([{ if_index: 1, neighbors: [byCdp("other")], complete: ["cdp"] }]);
    expect(await neighbors()).toEqual(["1 Cdp other"]);
    expect(await list("neighbors", { at: host.updated_at })).toHaveLength(2);
  });

  test("ends with its interface", async () => {
    const { see, neighbors } = await openHeard();
    const { counts } = await see([{ if_index: 2 }], { interfaces_complete: true });
    expect(counts).toMatchObject({ changed: 1 });
    expect(await neighbors()).toEqual([]);
  });

  test("is kept if a person created it, as is the name that a person gave a neighbor", async () => {
    const { see, create, send, list, host } = await openHeard();
    const [one] = host.interfaces;
    await create("neighbors", { ...byLldp(9), interface_id: one?.id });
    const [known] = await list("neighbors", { mac: mac(1) });
    await send("PATCH", `neighbors/${known?.id}`, { system_name: "attic" });
    const neighbors = [byLldp(1, { system_name: "other", port_description: "Port 8" })];
    await see([{ if_index: 1, neighbors, complete: ["lldp", "cdp"] }]);
    expect(await list("neighbors", { order_by: "system_name" })).toMatchObject([
      { ...byLldp(1), system_name: "attic", port_description: "Port 8" },
      { ...byLldp(9), system_name: null },
    ]);
  });

  test("is kept if it was seen after the report", async () => {
    const { take, neighbors, host } = await openHeard();
    await take([at("10.0.0.1", { interfaces: [{ if_index: 1, complete: ["lldp", "cdp"] }] })], {
      observed_at: shifted(host.last_seen_at, -60_000),
    });
    expect(await neighbors()).toHaveLength(2);
  });

  test("is kept if another entry in the report contradicts its host", async () => {
    const { take, neighbors, host } = await openHeard();
    const interfaces = [{ if_index: 1, complete: ["lldp", "cdp"] }];
    await take([
      { id: host.id, ...at("10.0.0.1", { interfaces }) },
      { id: host.id, ...at("10.0.0.9") },
    ]);
    expect(await neighbors()).toHaveLength(2);
  });

  test("is kept on a host that a person consolidated", async () => {
    const { take, send, neighbors, host } = await openHeard();
    const { hosts } = await take([at("10.0.0.2", { interfaces: [{ if_index: 9 }] })]);
    await send("PUT", `hosts/${host.id}/consolidate/${hosts[0]?.host_id}`);
    const interfaces = [{ if_index: 1, neighbors: [byLldp(3)], complete: ["lldp", "cdp"] }];
    await take([at("10.0.0.1", { interfaces })]);
    expect(await neighbors()).toEqual(["1 Cdp sw", `1 Lldp ${mac(1)}`, `1 Lldp ${mac(3)}`]);
  });

  test.each([
    ["without a chassis", { protocol: "Lldp" }],
    ["of an unknown protocol", byLldp(2, { protocol: "Fdb" })],
    ["with an invalid chassis", byLldp(2, { chassis_id: { subtype: "MacAddress", value: "x" } })],
    ["with an invalid port", byLldp(1, { port_id: { subtype: "MacAddress", value: "x" } })],
    ["that is not an object", 7],
  ])("is kept if the report contains a neighbor %s", async (_, invalid) => {
    const { see, neighbors } = await openHeard();
    const { hosts } = await see([
      { if_index: 0, neighbors: [byLldp(4)] },
      { if_index: 1, neighbors: [invalid, byLldp(3)], complete: ["lldp", "cdp"] },
    ]);
    const [, issue] = hosts[0]?.issues ?? [];
    expect(issue?.path).toMatch(/^hosts\[0\]\.interfaces\[1\]\.neighbors\[0\]/);
    expect(await neighbors()).toEqual(["1 Cdp sw", `1 Lldp ${mac(1)}`, `1 Lldp ${mac(3)}`]);
  });

  test("ends if the report contains a neighbor twice, or one with an invalid detail", async () => {
    const { see, neighbors } = await openHeard();
    const detail = byLldp(3, { system_name: 7, management_addresses: ["x", "192.168.1.3"] });
    const { hosts } = await see([
      { if_index: 1, neighbors: [byLldp(2), detail, byLldp(2)], complete: ["lldp"] },
    ]);
    expect(hosts[0]?.issues).toHaveLength(3);
    expect(await neighbors()).toEqual(["1 Cdp sw", `1 Lldp ${mac(2)}`, `1 Lldp ${mac(3)}`]);
  });
});

test("a complete report without tagged VLANs means that there are none, and one with an invalid VLAN is not complete", async () => {
  const { see, list } = await openSwitch();
  await see([{ if_index: 1, native_vlan: 7, tagged_vlans: [20] }]);
  await see([{ if_index: 1, tagged_vlans: [20, 5000], complete: ["vlans"] }]);
  expect(await list("interfaces")).toMatchObject([
    { tagged_vlans: [20], read_at: { vlans: null } },
  ]);
  await see([{ if_index: 1, complete: ["vlans"] }]);
  const [one] = await list("interfaces");
  expect(one).toMatchObject({ native_vlan: 7, tagged_vlans: [] });
  expect(one?.read_at.vlans).toBe(one?.last_seen_at);
});

describe("a forwarding table", () => {
  const table = (if_index: number, ...learned_macs: unknown[]) => ({
    if_index,
    learned_macs,
    complete: ["fdb"],
  });

  test("makes a neighbor of the only MAC address that an interface has learned", async () => {
    const { see, neighbors, list } = await openSwitch();
    await see([
      table(1, mac(1)),
      table(2, mac(2), mac(3)),
      table(3),
      { if_index: 4, learned_macs: [mac(4)] },
      table(5, mac(5), "not a MAC address"),
    ]);
    expect(await neighbors()).toEqual([`1 Fdb ${mac(1)}`]);
    expect(await list("neighbors")).toMatchObject([
      { chassis_id: { subtype: "MacAddress", value: mac(1) }, port_id: null, system_name: null },
    ]);
    const read = (await list("interfaces", { order_by: "if_index" })).map(({ read_at }) => read_at);
    expect(read.map(({ fdb }) => fdb !== null)).toEqual([true, true, true, false, false]);
  });

  test("does not count repeated and shared MAC addresses, and those of the device itself", async () => {
    const { take, neighbors, send, list } = await openSwitch();
    const [vrrp, group, none] = ["00:00:5E:00:01:07", "01:00:5E:00:00:01", "00:00:00:00:00:00"];
    await take([at("10.0.0.1", { interfaces: [{ if_index: 9, mac_address: mac(90) }] })]);
    const [host] = await list("hosts");
    await send("POST", "ip-addresses", {
      host_id: host?.id,
      ip_address: "10.0.0.2",
      mac_address: mac(91),
    });
    await take([
      {
        addresses: [{ ip_address: "10.0.0.1", mac_address: mac(92) }],
        interfaces: [
          { ...table(1, mac(1), mac(1).toLowerCase(), vrrp, group, none), mac_address: mac(93) },
          table(2, mac(2), mac(90), mac(91), mac(92), mac(93)),
          table(3, mac(93)),
          table(4, vrrp),
        ],
      },
    ]);
    expect(await neighbors()).toEqual([`1 Fdb ${mac(1)}`, `2 Fdb ${mac(2)}`]);
  });

  test("does not end a neighbor that is silent, or is no longer alone", async () => {
    const { see, neighbors } = await openSwitch();
    await see([table(1, mac(1))]);
    await see([table(1)]);
    await see([table(1, mac(1), mac(2))]);
    await see([table(1, mac(2), mac(3))]);
    await see([{ if_index: 1, learned_macs: [mac(2)] }]);
    await see([{ if_index: 2, learned_macs: [mac(1)] }]);
    expect(await neighbors()).toEqual([`1 Fdb ${mac(1)}`]);
  });

  test("replaces a neighbor by another MAC address that is alone on its interface", async () => {
    const { see, neighbors } = await openSwitch();
    await see([table(1, mac(1))]);
    const { counts } = await see([table(1, mac(2))]);
    expect(counts).toMatchObject({ changed: 1 });
    expect(await neighbors()).toEqual([`1 Fdb ${mac(2)}`]);
    expect((await see([table(1, mac(2))])).counts).toMatchObject({ unchanged: 1 });
  });

  test("ends a neighbor whose MAC address the device has learned on another interface instead", async () => {
    const { see, neighbors } = await openSwitch();
    await see([table(1, mac(1))]);
    await see([table(1, mac(1), mac(2)), table(2, mac(1), mac(3))]);
    expect(await neighbors()).toEqual([`1 Fdb ${mac(1)}`]);
    await see([table(1), table(2, mac(1), mac(3))]);
    expect(await neighbors()).toEqual([]);
    await see([table(1), table(2, mac(1))]);
    expect(await neighbors()).toEqual([`2 Fdb ${mac(1)}`]);
  });

  test("does not end a neighbor of another device that has learned the same MAC address", async () => {
    const { take, neighbors } = await openSwitch();
    await take([at("10.0.0.1", { interfaces: [table(1, mac(1))] })]);
    await take([at("10.0.0.2", { interfaces: [table(5, mac(1))] })]);
    expect(await neighbors()).toEqual([`1 Fdb ${mac(1)}`, `5 Fdb ${mac(1)}`]);
  });

  test("makes no neighbor where LLDP or CDP has one, and one that they hear of ends it", async () => {
    const { see, neighbors } = await openSwitch();
    await see([table(1, mac(1)), { ...table(2, mac(2)), neighbors: [byCdp("sw")] }]);
    expect(await neighbors()).toEqual([`1 Fdb ${mac(1)}`, "2 Cdp sw"]);
    await see([{ if_index: 1, neighbors: [byLldp(1)] }, table(2, mac(2))]);
    expect(await neighbors()).toEqual([`1 Lldp ${mac(1)}`, "2 Cdp sw"]);
    const silent = { ...table(2, mac(2)), complete: ["cdp", "fdb"] };
    await see([silent]);
    expect(await neighbors()).toEqual([`1 Lldp ${mac(1)}`, `2 Fdb ${mac(2)}`]);
    expect((await see([silent])).counts).toMatchObject({ unchanged: 1 });
  });

  test("does not end a neighbor that a person created", async () => {
    const { see, create, neighbors, list } = await openSwitch();
    await see([{ if_index: 1 }]);
    const [one] = await list("interfaces");
    const chassis_id = { subtype: "MacAddress", value: mac(1) };
    await create("neighbors", { protocol: "Fdb", chassis_id, interface_id: one?.id });
    await see([table(1, mac(2)), table(2, mac(1), mac(3))]);
    expect(await neighbors()).toEqual([`1 Fdb ${mac(1)}`, `1 Fdb ${mac(2)}`]);
  });
});

describe("limits", () => {
  test("a host whose interface has more than 64 neighbors, or 4,096 learned MAC addresses, fails", async () => {
    const { take } = await openSwitch();
    const neighbors = Array.from({ length: 65 }, (_, last) => byLldp(last));
    const learned_macs = Array.from(
      { length: 4097 },
      (_, number) => `02005e${(number + 0x10_0000).toString(16)}`,
    );
    const { hosts } = await take([
      at("10.0.0.1", { interfaces: [{ if_index: 1, neighbors }] }),
      at("10.0.0.2", { interfaces: [{ if_index: 1, learned_macs }] }),
      at("10.0.0.3", { interfaces: [{ if_index: 1, neighbors: neighbors.slice(1) }] }),
      at("10.0.0.4", { interfaces: [{ if_index: 1, learned_macs: learned_macs.slice(1) }] }),
    ]);
    expect(hosts).toMatchObject([
      { outcome: "failed", issues: [{ message: "must have at most 64 members" }] },
      { outcome: "failed", issues: [{ message: "must have at most 4096 members" }] },
      { outcome: "created", issues: [] },
      { outcome: "created", issues: [] },
    ]);
  });

  test("skips neighbors beyond an interface's maximum, and reports an issue", async () => {
    const { see, neighbors } = await openSwitch();
    const first = Array.from({ length: 63 }, (_, last) => byLldp(last));
    await see([{ if_index: 1, neighbors: first }]);
    const { hosts } = await see([
      { if_index: 1, neighbors: [byLldp(100), byLldp(101), byLldp(1)] },
      { if_index: 2, neighbors: [byLldp(1)] },
    ]);
    expect(hosts).toMatchObject([
      {
        outcome: "changed",
        issues: [
          {
            code: "too_many",
            message:
              "would exceed the maximum of 64 neighbors of one interface (omitted: 1): remove some first",
          },
        ],
      },
    ]);
    expect(await neighbors()).toHaveLength(65);
    expect(await neighbors()).toContain(`1 Lldp ${mac(100)}`);
  });

  test("neighbors that the import ends do not count toward an interface's maximum", async () => {
    const { see, neighbors } = await openSwitch();
    const some = (from: number) => Array.from({ length: 64 }, (_, more) => byLldp(from + more));
    await see([{ if_index: 1, neighbors: some(0) }]);
    const { hosts } = await see([{ if_index: 1, neighbors: some(100), complete: ["lldp"] }]);
    expect(hosts).toMatchObject([{ outcome: "changed", issues: [] }]);
    expect(await neighbors()).toHaveLength(64);
  });

  test("skips neighbors beyond a host's maximum, and reports an issue", {
    timeout: 60_000,
  }, async () => {
    const { see, organization, list } = await openSwitch();
    await see(Array.from({ length: 100 }, (_, number) => ({ if_index: number + 1 })));
    await sql`
      insert into neighbors (organization_id, interface_id, protocol, chassis_subtype, chassis_value)
      select organization_id, live_id, 'Cdp', 'LocallyAssigned', number::text
      from interfaces cross join generate_series(1, 50) as number
      where organization_id = ${organization.id} and valid_to is null and not (if_index = 1 and number = 1)`;
    const { hosts } = await see([
      { if_index: 7, neighbors: [byLldp(7)] },
      { if_index: 2, neighbors: [byLldp(2)] },
    ]);
    expect(hosts).toMatchObject([
      {
        outcome: "changed",
        issues: [
          {
            code: "too_many",
            message:
              "would exceed the maximum of 5,000 neighbors of one host (omitted: 1): remove some first",
          },
        ],
      },
    ]);
    expect(await list("neighbors", { protocol: "Lldp" })).toMatchObject([byLldp(2)]);
  });

  test("neighbors count toward the maximum number of records of a report", () => {
    const neighbors = Array.from({ length: 64 }, (_, last) => byCdp(String(last)));
    // Each host has 10,000 records: an address, 207 interfaces, and 153 times 64 neighbors.
    const interfaces = Array.from({ length: 207 }, (_, number) => ({
      if_index: number + 1,
      neighbors: number < 153 ? neighbors : [],
    }));
    const hosts = Array.from({ length: 10 }, (_, last) => at(`10.0.0.${last}`, { interfaces }));
    expect(importBody.safeParse({ hosts }).success).toBe(true);
    const { error } = importBody.safeParse({ hosts: [...hosts, at("10.0.0.99")] });
    expect(error?.issues).toMatchObject([{ path: ["hosts"] }]);
  });
});
