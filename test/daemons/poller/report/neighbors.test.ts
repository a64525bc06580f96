import { expect, test } from "vitest";
import { sql } from "../../../helpers/database.ts";
import { mintCredential } from "../../../helpers/organization.ts";
import { raiseScanner, type Scanner, wireHost } from "../../../helpers/protocol.ts";
import { assignCredential, scan } from "../../../helpers/scans.ts";

const everything = { lldp: true, cdp: true, fdb: true, vlan_membership: true };

const lldp = (last: number, more: object = {}) => ({
  lldp_chassis_id: { subtype: "MacAddress", value: `00:1a:2b:00:11:0${last}` },
  lldp_port_id: { subtype: "InterfaceName", value: "Gi0/1" },
  ...more,
});

/** Runs a scan that finds one host with these interfaces. */
const see = (
  scanner: Scanner,
  interfaces: readonly object[],
  interface_data_complete: unknown = everything,
) => {
  const host = { ...wireHost(scanner.networkId, "10.77.0.3"), interfaces, interface_data_complete };
  return scan(scanner, { hosts: [host] });
};

const neighborsOf = async ({ organization }: Scanner) => {
  const rows = await sql`
    select if_index, protocol, chassis_value, coalesce(port_value, '') as port
    from neighbors as neighbor
    join interfaces as interface on interface.organization_id = neighbor.organization_id
      and interface.live_id = neighbor.interface_id
    where neighbor.organization_id = ${organization.id} and neighbor.valid_to is null
      and interface.valid_to is null
    order by if_index, protocol, chassis_value`;
  return rows.map((row) => Object.values(row).join(" ").trim());
};

test("a daemon reports the neighbors of an interface, by LLDP and by CDP, and its forwarding table", async () => {
  const scanner = await raiseScanner();
  const candidates = [
    lldp(1, {
      lldp_sys_name: "core-sw-01",
      lldp_port_desc: "uplink to access",
      lldp_sys_desc: "Cisco IOS",
      lldp_mgmt_addr: "192.168.1.1",
      cdp_device_id: "core-sw-01.example",
      cdp_port_id: "GigabitEthernet0/1",
      cdp_platform: "cisco WS-C2960",
      cdp_address: "192.168.1.1",
    }),
    { cdp_device_id: "phone" },
    {},
  ];
  await see(scanner, [
    { if_index: 1, neighbor_candidates: candidates, neighbor: null },
    { if_index: 2, fdb_macs: ["02:00:5e:00:00:07"] },
    { if_index: 3 },
  ]);
  const { id } = scanner.organization;
  const stored = await sql`
    select protocol, chassis_subtype, chassis_value, port_subtype, port_value, system_name,
      system_description, port_description, management_addresses::text[] as addresses
    from neighbors where organization_id = ${id} order by protocol, chassis_value`;
  const none = { port_subtype: null, port_value: null, system_name: null, port_description: null };
  expect(stored).toEqual([
    {
      ...none,
      protocol: "Cdp",
      chassis_subtype: "LocallyAssigned",
      chassis_value: "core-sw-01.example",
      port_subtype: "InterfaceName",
      port_value: "GigabitEthernet0/1",
      system_description: "cisco WS-C2960",
      addresses: ["192.168.1.1/32"],
    },
    {
      ...none,
      protocol: "Cdp",
      chassis_subtype: "LocallyAssigned",
      chassis_value: "phone",
      system_description: null,
      addresses: [],
    },
    {
      ...none,
      protocol: "Fdb",
      chassis_subtype: "MacAddress",
      chassis_value: "02:00:5E:00:00:07",
      system_description: null,
      addresses: [],
    },
    {
      protocol: "Lldp",
      chassis_subtype: "MacAddress",
      chassis_value: "00:1A:2B:00:11:01",
      port_subtype: "InterfaceName",
      port_value: "Gi0/1",
      system_name: "core-sw-01",
      system_description: "Cisco IOS",
      port_description: "uplink to access",
      addresses: ["192.168.1.1/32"],
    },
  ]);
  const [read] = await sql`
    select count(lldp_read_at)::int as lldp, count(cdp_read_at)::int as cdp,
      count(fdb_read_at)::int as fdb, count(vlans_read_at)::int as vlans
    from interfaces where organization_id = ${id} and valid_to is null`;
  // A daemon identifies VLANs by ids of its own server, so they are never read.
  expect(read).toEqual({ lldp: 3, cdp: 3, fdb: 3, vlans: 0 });
});

test("a daemon up to 0.17.14 reports one neighbor in the fields of the interface", async () => {
  const scanner = await raiseScanner();
  await see(scanner, [
    { if_index: 1, ...lldp(1), cdp_device_id: null, neighbor_seen_at: null },
    { if_index: 2, lldp_chassis_id: null, lldp_port_id: null, lldp_sys_name: null },
  ]);
  expect(await neighborsOf(scanner)).toEqual(["1 Lldp 00:1A:2B:00:11:01 Gi0/1"]);
});

test("a neighbor ends once a daemon has read its part completely without it", async () => {
  const scanner = await raiseScanner();
  const both = { if_index: 1, neighbor_candidates: [lldp(1), { cdp_device_id: "phone" }] };
  const stored = ["1 Cdp phone", "1 Lldp 00:1A:2B:00:11:01 Gi0/1"];
  await see(scanner, [both], null);
  expect(await neighborsOf(scanner)).toEqual(stored);
  const silent = { if_index: 1, neighbor_candidates: [] };
  for (const incomplete of [null, {}, "all", { lldp: "true", cdp: 1, fdb: true }]) {
    await see(scanner, [silent], incomplete);
  }
  await see(scanner, [silent, { if_index: 0 }], { lldp: false, vlan_membership: true });
  expect(await neighborsOf(scanner)).toEqual(stored);
  await see(scanner, [silent], { lldp: true });
  expect(await neighborsOf(scanner)).toEqual(["1 Cdp phone"]);
  await see(scanner, [silent]);
  expect(await neighborsOf(scanner)).toEqual([]);
});

test.each([
  ["a long text", "x".repeat(600)],
  ["a long list", Array.from({ length: 600 }, () => true)],
  ["many fields", Object.fromEntries(Array.from({ length: 600 }, (_, field) => [field, true]))],
])(
  "a host is stored, and no part of it is complete, if interface_data_complete is %s",
  async (_, complete) => {
    const scanner = await raiseScanner();
    await see(scanner, [{ if_index: 1, neighbor_candidates: [lldp(1)] }], complete);
    expect(await neighborsOf(scanner)).toEqual(["1 Lldp 00:1A:2B:00:11:01 Gi0/1"]);
    await see(scanner, [{ if_index: 1 }], complete);
    expect(await neighborsOf(scanner)).toHaveLength(1);
  },
);

test.each([
  ["an invalid chassis", { lldp_chassis_id: { subtype: "MacAddress", value: "x" } }],
  ["an invalid port", lldp(1, { lldp_port_id: { subtype: "MacAddress", value: "x" } })],
  ["an unknown subtype", { lldp_chassis_id: { subtype: "Another", value: "x" } }],
  ["no object", 7],
])("a part that contains a neighbor with %s is not complete", async (_, invalid) => {
  const scanner = await raiseScanner();
  await see(scanner, [{ if_index: 1, neighbor_candidates: [lldp(1)] }]);
  await see(scanner, [{ if_index: 1, neighbor_candidates: [invalid, lldp(2)] }]);
  expect(await neighborsOf(scanner)).toEqual([
    "1 Lldp 00:1A:2B:00:11:01 Gi0/1",
    "1 Lldp 00:1A:2B:00:11:02 Gi0/1",
  ]);
});

test("a list of neighbors or MAC addresses with a wrong shape is not complete, and the interface is stored", async () => {
  const scanner = await raiseScanner();
  await see(scanner, [{ if_index: 1, neighbor_candidates: [lldp(1)], fdb_macs: [] }]);
  await see(scanner, [
    {
      if_index: 1,
      if_name: "eth1",
      neighbor_candidates: "none",
      fdb_macs: ["02:00:5e:00:00:07", 7],
    },
    { if_index: 2, fdb_macs: { "02:00:5e:00:00:07": true } },
  ]);
  expect(await neighborsOf(scanner)).toEqual(["1 Lldp 00:1A:2B:00:11:01 Gi0/1"]);
  const names = await sql`
    select name, fdb_read_at = lldp_read_at as is_read from interfaces
    where organization_id = ${scanner.organization.id} and valid_to is null order by if_index`;
  expect(names).toEqual([
    { name: "eth1", is_read: true },
    { name: null, is_read: null },
  ]);
});

test("at most 64 neighbors of an interface and 256 of a host are stored, and the rest is not complete", async () => {
  const scanner = await raiseScanner();
  const { id } = scanner.organization;
  const some = (count: number) =>
    Array.from({ length: count }, (_, number) => ({ cdp_device_id: `phone ${number}` }));
  await see(scanner, [
    { if_index: 1, neighbor_candidates: some(65) },
    ...[2, 3, 4].map((if_index) => ({ if_index, neighbor_candidates: some(64) })),
    { if_index: 5, neighbor_candidates: some(1) },
    { if_index: 6 },
  ]);
  const counts = await sql`
    select if_index, count(neighbor.id)::int as neighbors, cdp_read_at is not null as is_read
    from interfaces as interface
    left join neighbors as neighbor on neighbor.interface_id = interface.live_id
    where interface.organization_id = ${id} and interface.valid_to is null
    group by if_index, cdp_read_at order by if_index`;
  expect(counts.map((row) => Object.values(row))).toEqual([
    [1, 64, false],
    [2, 64, true],
    [3, 64, true],
    [4, 64, true],
    [5, 0, false],
    [6, 0, true],
  ]);
});

test("a scan without a credential does not end neighbors that were found with it", async () => {
  const scanner = await raiseScanner();
  const { organization, networkId } = scanner;
  const snmp = await mintCredential(organization.id, {
    settings: { type: "SnmpV2c", community: { mode: "FilePath", path: "/run/community" } },
  });
  await assignCredential(organization.id, snmp, { network_id: networkId });
  await see(scanner, [{ if_index: 1, neighbor_candidates: [lldp(1)] }]);
  await sql`delete from credential_networks where organization_id = ${organization.id}`;
  await see(scanner, [{ if_index: 1 }]);
  expect(await neighborsOf(scanner)).toHaveLength(1);
  await assignCredential(organization.id, snmp, { network_id: networkId });
  await see(scanner, [{ if_index: 1 }]);
  expect(await neighborsOf(scanner)).toEqual([]);
});

test("a daemon does not end a neighbor that an import or another daemon saw last", async () => {
  const scanner = await raiseScanner();
  await see(scanner, [{ if_index: 1, neighbor_candidates: [lldp(1)] }]);
  await sql`update neighbors set last_discovery_id = ${crypto.randomUUID()}
    where organization_id = ${scanner.organization.id}`;
  await see(scanner, [{ if_index: 1 }]);
  expect(await neighborsOf(scanner)).toHaveLength(1);
});
