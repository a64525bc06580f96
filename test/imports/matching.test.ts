import { expect, test } from "vitest";
import { at, everyPort, open, openImports } from "./helpers.ts";

test("an import creates hosts with addresses, ports, services and bindings", async () => {
  const { take, list } = await openImports();
  const result = await take([
    {
      hostname: "nas.example.com",
      addresses: [{ ip_address: "10.0.0.5", mac_address: "02-00-00-00-00-05" }],
      ports: [
        { number: 443, protocol: "Tcp", service: { name: "web", definition: "Nginx" } },
        { number: 161, protocol: "Udp" },
      ],
    },
  ]);
  expect(result).toMatchObject({
    dry_run: false,
    counts: { created: 1, changed: 0, unchanged: 0, failed: 0 },
    hosts: [{ index: 0, outcome: "created", matched_by: null, issues: [] }],
  });
  const discovery = result.discovery_id;
  const [host] = await list("hosts");
  const seen = { first_discovery_id: discovery, last_discovery_id: discovery };
  expect(host).toMatchObject({
    id: result.hosts[0]?.host_id,
    name: "nas.example.com",
    hostname: "nas.example.com",
    source: { type: "Import" },
    ...seen,
    ip_addresses: [{ ip_address: "10.0.0.5", mac_address: "02:00:00:00:00:05", ...seen }],
  });
  const ports = new Map(host?.ports.map(({ id, number }) => [id, number]));
  const services = host?.services.map(({ bindings, ...service }) => ({
    ...service,
    ports: bindings.map(({ port_id }) => ports.get(port_id ?? "")),
  }));
  expect(new Map(services?.map((service) => [service.name, service]))).toMatchObject(
    new Map(
      Object.entries({
        web: expect.objectContaining({
          service_definition: "Nginx",
          source: { type: "Import" },
          ports: [443],
          ...seen,
        }),
        "Unclaimed Open Ports": expect.objectContaining({ ports: [161] }),
      }),
    ),
  );
});

test("matches a host by its id before its address", async () => {
  const { take } = await openImports();
  const { hosts: created } = await take([at("10.0.0.1"), at("10.0.0.2")]);
  const [first] = created;
  const { hosts } = await take([{ id: first?.host_id, addresses: [{ ip_address: "10.0.0.3" }] }]);
  expect(hosts).toMatchObject([
    { outcome: "changed", matched_by: "id", host_id: first?.host_id, issues: [] },
  ]);
});

test("ignores an id that no host on the network has", async () => {
  const { take, organization } = await openImports();
  const elsewhere = organization.networks[0].host_id;
  const { hosts } = await take([
    at("10.0.0.1", { id: elsewhere }),
    at("10.0.0.2", { id: crypto.randomUUID() }),
  ]);
  expect(hosts).toMatchObject([
    { outcome: "created", matched_by: null },
    { outcome: "created", matched_by: null },
  ]);
  expect(hosts[0]?.host_id).not.toBe(elsewhere);
});

test("matches a host by an address in the same subnet before its MAC address", async () => {
  const { take, create } = await openImports();
  await create("subnets", { cidr: "10.0.0.0/24" });
  const { hosts: created } = await take([
    { addresses: [{ ip_address: "10.0.0.1", mac_address: "02:00:00:00:00:01" }] },
    { addresses: [{ ip_address: "10.0.0.2", mac_address: "02:00:00:00:00:02" }] },
  ]);
  const { hosts } = await take([
    { addresses: [{ ip_address: "10.0.0.1", mac_address: "02:00:00:00:00:02" }] },
  ]);
  expect(hosts).toMatchObject([{ matched_by: "address", host_id: created[0]?.host_id }]);
});

test("does not match an address in another subnet", async () => {
  const { take, create } = await openImports();
  const lab = await create("subnets", { cidr: "10.0.0.0/16" });
  const host = await create("hosts", {
    name: "by hand",
    ip_addresses: [{ ip_address: "10.0.0.1", subnet_id: lab.id }],
  });
  await create("subnets", { cidr: "10.0.0.0/24" });
  const { hosts } = await take([at("10.0.0.1")]);
  expect(hosts).toMatchObject([{ outcome: "created" }]);
  expect(hosts[0]?.host_id).not.toBe(host.id);
});

test("matches an address that was imported before its subnet existed, and moves it there", async () => {
  const { take, create, list } = await openImports();
  const { hosts: created } = await take([at("10.0.0.1")]);
  const wide = await create("subnets", { cidr: "10.0.0.0/16" });
  expect(await take([at("10.0.0.1")])).toMatchObject({
    hosts: [{ outcome: "changed", matched_by: "address", host_id: created[0]?.host_id }],
  });
  expect(await list("ip-addresses")).toMatchObject([{ subnet_id: wide.id }]);
  const narrow = await create("subnets", { cidr: "10.0.0.0/24" });
  expect(await take([at("10.0.0.1")])).toMatchObject({ hosts: [{ outcome: "changed" }] });
  expect(await list("ip-addresses")).toMatchObject([{ subnet_id: narrow.id }]);
});

test("matches a host by its MAC address, and adds the new address", async () => {
  const { take, list } = await openImports();
  const mac_address = "02:00:00:00:00:01";
  const { hosts: created } = await take([{ addresses: [{ ip_address: "10.0.0.1", mac_address }] }]);
  const { hosts } = await take([
    { addresses: [{ ip_address: "10.0.0.7", mac_address }] },
    at("10.0.0.8"),
  ]);
  expect(hosts).toMatchObject([
    { outcome: "changed", matched_by: "mac", host_id: created[0]?.host_id },
    { outcome: "created" },
  ]);
  expect((await list("ip-addresses")).map(({ ip_address }) => ip_address).sort()).toEqual([
    "10.0.0.1",
    "10.0.0.7",
    "10.0.0.8",
  ]);
});

test.each([
  ["00:00:00:00:00:00", "loopback interfaces"],
  ["FF:FF:FF:FF:FF:FF", "broadcast"],
  ["00:00:5E:00:01:0A", "VRRP"],
  ["00:00:5E:00:02:0A", "VRRP for IPv6"],
  ["00:00:0C:07:AC:0A", "HSRP"],
  ["00:00:0C:9F:F0:0A", "HSRP version 2"],
  ["00:05:73:A0:00:0A", "HSRP for IPv6"],
  ["00:07:B4:00:01:02", "GLBP"],
])("does not match by the MAC address %s (%s)", async (mac_address) => {
  const { take } = await openImports();
  await take([{ addresses: [{ ip_address: "10.0.0.1", mac_address }] }]);
  const { hosts } = await take([{ addresses: [{ ip_address: "10.0.0.2", mac_address }] }]);
  expect(hosts).toMatchObject([{ outcome: "created", matched_by: null }]);
});

test("does not match by a MAC address that two reported or two stored hosts share", async () => {
  const { take } = await openImports();
  const mac_address = "02:00:00:00:00:01";
  await take([{ addresses: [{ ip_address: "10.0.0.1", mac_address }] }]);
  const twice = await take([
    { addresses: [{ ip_address: "10.0.0.2", mac_address }] },
    { addresses: [{ ip_address: "10.0.0.3", mac_address }] },
  ]);
  expect(twice.counts).toMatchObject({ created: 2 });
  const stored = await take([{ addresses: [{ ip_address: "10.0.0.4", mac_address }] }]);
  expect(stored.counts).toMatchObject({ created: 1 });
});

test("matches by a MAC address on several addresses of one host", async () => {
  const { take } = await openImports();
  const mac_address = "02:00:00:00:00:01";
  const { hosts: created } = await take([{ addresses: [{ ip_address: "10.0.0.1", mac_address }] }]);
  const { hosts } = await take([
    {
      addresses: [
        { ip_address: "10.0.0.2", mac_address },
        { ip_address: "2001:db8::2", mac_address },
      ],
    },
  ]);
  expect(hosts).toMatchObject([{ matched_by: "mac", host_id: created[0]?.host_id }]);
});

test("never merges two hosts that one report lists separately", async () => {
  const { take, list } = await openImports();
  const { hosts: created } = await take([
    { addresses: [{ ip_address: "10.0.0.1" }, { ip_address: "10.0.0.2" }] },
  ]);
  const { hosts } = await take([at("10.0.0.2"), at("10.0.0.1")]);
  expect(hosts).toMatchObject([
    {
      outcome: "failed",
      host_id: null,
      issues: [{ path: "hosts[0].addresses[0].ip_address", code: "taken_address" }],
    },
    { outcome: "unchanged", host_id: created[0]?.host_id, issues: [] },
  ]);
  expect(await list("hosts")).toHaveLength(1);
});

test("prefers the stronger of two matches with the same stored host", async () => {
  const { take } = await openImports();
  const mac_address = "02:00:00:00:00:01";
  const { hosts: created } = await take([{ addresses: [{ ip_address: "10.0.0.1", mac_address }] }]);
  const host_id = created[0]?.host_id;
  const { hosts } = await take([
    { addresses: [{ ip_address: "10.0.0.9", mac_address }] },
    at("10.0.0.1"),
  ]);
  expect(hosts).toMatchObject([{ outcome: "created" }, { matched_by: "address", host_id }]);
  expect((await take([at("10.0.0.1"), at("10.0.0.4", { id: host_id })])).hosts).toMatchObject([
    { outcome: "failed" },
    { matched_by: "id", host_id },
  ]);
});

test("if a host could be either of two stored hosts, matches one of them and reports an issue", async () => {
  const { take, list } = await openImports();
  const { hosts: created } = await take([at("10.0.0.1"), at("10.0.0.2")]);
  const { hosts } = await take([
    { addresses: [{ ip_address: "10.0.0.1" }, { ip_address: "10.0.0.2" }] },
  ]);
  const found = created.find(({ host_id }) => host_id === hosts[0]?.host_id);
  const other = created.find(({ host_id }) => host_id !== hosts[0]?.host_id);
  expect(found).toBeDefined();
  expect(hosts[0]).toMatchObject({
    outcome: "unchanged",
    issues: [{ code: "taken_address", message: expect.stringContaining(other?.host_id ?? "-") }],
  });
  expect(await list("ip-addresses")).toHaveLength(2);
});

test("fails all hosts in a report that claim the same address or id", async () => {
  const { take, list } = await openImports();
  const { hosts: created } = await take([at("10.0.0.7")]);
  const id = created[0]?.host_id ?? null;
  const { hosts, counts } = await take([
    at("2001:db8::1"),
    at("2001:DB8:0::1"),
    at("10.0.0.2", { id }),
    at("10.0.0.3", { id }),
    at("10.0.0.4"),
  ]);
  expect(counts).toEqual({ created: 1, changed: 0, unchanged: 0, failed: 4 });
  expect(hosts.map(({ issues }) => issues.map(({ path, code }) => `${path} ${code}`))).toEqual([
    ["hosts[0].addresses[0].ip_address same_address"],
    ["hosts[1].addresses[0].ip_address same_address"],
    ["hosts[2].id same_id"],
    ["hosts[3].id same_id"],
    [],
  ]);
  expect(await list("hosts")).toHaveLength(2);
});

test("matches by a loopback address only if a host has no other address", async () => {
  const { take, create } = await openImports();
  await create("subnets", { cidr: "127.0.0.0/8" });
  const both = (ip_address: string) => ({
    addresses: [{ ip_address }, { ip_address: "127.0.0.1" }],
  });
  const hosts = [both("10.0.0.1"), both("10.0.0.2"), at("127.0.0.1")];
  const { hosts: created, counts } = await take(hosts);
  expect(counts).toMatchObject({ created: 3 });
  const again = await take(hosts);
  expect(again.counts).toMatchObject({ unchanged: 3 });
  expect(again.hosts.map(({ host_id }) => host_id)).toEqual(created.map(({ host_id }) => host_id));
});

test("if a scanned port is not open, discovered bindings to it end and are kept in history", async () => {
  const { take, list } = await openImports();
  await take([at("10.0.0.1", { ports: open({ 22: "Ssh", 80: "Http", 8080: "Proxy" }) })]);
  const before = await list("bindings");
  const { hosts } = await take([
    at("10.0.0.1", {
      ports: open({ 22: "Ssh" }),
      scanned_ports: [
        { protocol: "Tcp", from: 1, to: 1024 },
        { protocol: "Udp", from: 1, to: 65_535 },
      ],
    }),
  ]);
  expect(hosts).toMatchObject([{ outcome: "changed" }]);
  const after = await list("bindings");
  expect(after).toHaveLength(2);
  const past = await list("bindings", { at: before[0]?.valid_from ?? "" });
  expect(past).toHaveLength(3);
  expect(await take([at("10.0.0.1", { scanned_ports: everyPort })])).toMatchObject({
    hosts: [{ outcome: "changed" }],
  });
  expect(await list("bindings")).toHaveLength(0);
  expect(await list("ports")).toHaveLength(3);
});
