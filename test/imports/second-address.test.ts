import { expect, test } from "vitest";
import { at, everyPort, inventoryOf, open, openImports } from "./helpers.ts";

const [one, other] = ["02:00:00:00:00:01", "02:00:00:00:00:02"] as const;

/** A host with one address. */
const seen = (ip_address: string, mac_address: string | null, details: object = {}) => ({
  addresses: [{ ip_address, mac_address }],
  ...details,
});

test.each([
  ["over IPv6", "2001:db8::1"],
  ["at a temporarily leased address", "10.0.0.2"],
])("a host that was seen once %s still follows later reports", async (_, address) => {
  const { take, list } = await openImports();
  const attributes = (hostname: string, operating_system: string) => ({
    hostname,
    operating_system,
  });
  await take([seen("10.0.0.1", one, attributes("web", "Debian 12"))]);
  await take([seen(address, one, attributes("web", "Debian 12"))]);
  await take([seen("10.0.0.1", one, attributes("web-new", "Debian 13"))]);
  expect(await list("hosts")).toMatchObject([{ name: "web-new", operating_system: "Debian 13" }]);
  await take([seen(address, one, attributes("web-3", "Debian 14"))]);
  expect(await list("hosts")).toMatchObject([{ name: "web-3", operating_system: "Debian 14" }]);
  await take([seen("10.0.0.1", null, attributes("web-4", "Debian 15"))]);
  expect(await list("hosts")).toMatchObject([{ name: "web-4", operating_system: "Debian 15" }]);
});

test("a report of one interface does not change values seen at another one", async () => {
  const imports = await openImports();
  const { take, list } = imports;
  const ends = [
    { ip_address: "10.0.0.1", mac_address: one },
    { ip_address: "10.0.0.2", mac_address: other },
  ];
  await take([{ addresses: ends }]);
  await take([seen("10.0.0.1", one, { hostname: "eth0.example" })]);
  await take([seen("10.0.0.2", other, { hostname: "eth1.example" })]);
  expect(await list("hosts")).toMatchObject([{ hostname: "eth0.example" }]);
  await take([{ addresses: ends, hostname: "router.example" }]);
  expect(await list("hosts")).toMatchObject([{ hostname: "router.example" }]);
});

test.each([
  ["of one interface", one],
  ["without known MAC addresses", null],
])("two hosts %s that a person consolidated do not alternate between versions", async (_, mac) => {
  const imports = await openImports();
  const { take, list, send } = imports;
  const first = seen("10.0.0.1", mac, { hostname: "one.example", operating_system: "Debian 12" });
  const second = seen("10.0.0.2", mac, { hostname: "two.example", operating_system: "Debian 13" });
  await take([first, second]);
  const [into, gone] = (await list("hosts")).sort((a, b) => (a.name < b.name ? -1 : 1));
  await send("PUT", `hosts/${into?.id}/consolidate/${gone?.id}`);
  await take([first]);
  const before = await inventoryOf(imports);
  for (const report of [second, first, second, second, first]) {
    expect((await take([report])).counts).toMatchObject({ unchanged: 1 });
  }
  const versions = ({ hosts }: typeof before) => hosts.map(({ valid_from }) => valid_from);
  expect(versions(await inventoryOf(imports))).toEqual(versions(before));
});

test("moves an address to its new device, without ending the previous device's bindings", async () => {
  const imports = await openImports();
  const { take, list } = imports;
  const a = (ip: string) =>
    seen(ip, one, { name: "a", ports: open({ 80: "a" }), scanned_ports: everyPort });
  const b = (ip: string) =>
    seen(ip, other, { name: "b", ports: open({ 22: "b" }), scanned_ports: everyPort });
  const first = await take([a("10.0.0.1")]);
  await take([a("10.0.0.2")]);
  const report = [b("10.0.0.1"), a("10.0.0.2")];
  const dry = await take(report, { query: "?dry_run=true" });
  const { hosts } = await take(report);
  expect(hosts).toMatchObject([
    { outcome: "created", matched_by: null, issues: [] },
    { outcome: "changed", host_id: first.hosts[0]?.host_id, matched_by: "address", issues: [] },
  ]);
  expect(dry.hosts.map(({ outcome }) => outcome)).toEqual(hosts.map(({ outcome }) => outcome));
  expect((await take(report)).counts).toMatchObject({ unchanged: 2 });
  const stored = (await list("hosts")).sort((x, y) => (x.name < y.name ? -1 : 1));
  expect(
    stored.map((host) => [
      host.name,
      host.ip_addresses.map(({ ip_address, mac_address }) => [ip_address, mac_address]),
      host.ports.map(({ number }) => number),
      host.services.map(({ name, bindings }) => [name, bindings.length]),
    ]),
  ).toEqual([
    ["a", [["10.0.0.2", one]], [80], [["a", 1]]],
    ["b", [["10.0.0.1", other]], [22], [["b", 1]]],
  ]);
});

test("moves an address to another device that matches by its MAC address", async () => {
  const { take, list } = await openImports();
  const known = await take([seen("10.0.0.1", one), seen("10.0.0.9", other)]);
  const [a, b] = known.hosts.map(({ host_id }) => host_id);
  const report = [seen("10.0.0.2", one), seen("10.0.0.1", other)];
  // If the address were reported alone, the report would match the host that has it.
  await take([seen("10.0.0.2", one)]);
  expect((await take(report)).hosts).toMatchObject([
    { host_id: a, matched_by: "address", issues: [] },
    { host_id: b, matched_by: "mac", issues: [] },
  ]);
  expect((await take(report)).counts).toMatchObject({ unchanged: 2 });
  const addresses = (await list("hosts")).find(({ id }) => id === b)?.ip_addresses;
  expect(addresses?.map(({ ip_address }) => ip_address).sort()).toEqual(["10.0.0.1", "10.0.0.9"]);
});

test.each([
  ["a person gave to the host", true, other],
  ["is reported without a MAC address", false, null],
])("an address that %s is not moved", async (_, isMine, mac) => {
  const { take, list, create } = await openImports();
  const address = { ip_address: "10.0.0.1", mac_address: one };
  if (isMine) {
    await create("hosts", { name: "a", ip_addresses: [address] });
  }
  await take([{ addresses: [address, { ip_address: "10.0.0.2", mac_address: one }] }]);
  const report = [seen("10.0.0.2", one), seen("10.0.0.1", mac)];
  for (const _again of [1, 2]) {
    expect((await take(report)).hosts).toMatchObject([
      { matched_by: "address", issues: [] },
      { outcome: "failed", issues: [{ code: "taken_address" }] },
    ]);
  }
  expect(await list("ip-addresses")).toHaveLength(2);
});

test("a report with contradictory entries for a host does not end any bindings on it", async () => {
  const { take, list } = await openImports();
  const both = [{ ip_address: "10.0.0.1" }, { ip_address: "10.0.0.2" }];
  await take([{ addresses: both, ports: open({ 80: "a", 22: "b" }) }]);
  const { hosts } = await take([
    at("10.0.0.1", { ports: open({ 80: "a" }), scanned_ports: everyPort }),
    at("10.0.0.2", { ports: open({ 22: "b" }), scanned_ports: everyPort }),
  ]);
  expect(hosts).toMatchObject([{ outcome: "unchanged" }, { outcome: "failed" }]);
  expect(await list("bindings")).toHaveLength(2);
});
