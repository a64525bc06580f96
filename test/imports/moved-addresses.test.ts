import { expect, test } from "vitest";
import { type Imports, open, openImports } from "./helpers.ts";

const [one, other, shared] = ["02:00:00:00:00:01", "02:00:00:00:00:02", "00:00:5e:00:01:0a"];

const address = (ip_address: string, mac_address: string | null = null) => ({
  ip_address,
  mac_address,
});

/** The name, addresses and ports of each host. */
const hostsOf = async ({ list }: Imports) =>
  (await list("hosts"))
    .map(({ name, ip_addresses, ports }) => [
      name,
      ip_addresses.map(({ ip_address }) => ip_address).sort(),
      ports.map(({ number }) => number),
    ])
    .sort();

test.each([
  ["that has the MAC address of virtual routers", [one, other], [shared, shared], false],
  ["that has the MAC address of its holder", [one, other], [one, other], true],
  ["without a known MAC address", [null, null], [null, null], false],
] as const)(
  "two routers stay separate when an address %s moves from one to the other",
  async (_, [first, second], [before, after], moves) => {
    const imports = await openImports();
    const routers = (holder: "first" | "second") => [
      {
        hostname: "r1",
        addresses: [
          address("10.0.0.2", first),
          ...(holder === "first" ? [address("10.0.0.1", before)] : []),
        ],
        ports: open({ 221: "a" }),
      },
      {
        hostname: "r2",
        addresses: [
          address("10.0.0.3", second),
          ...(holder === "second" ? [address("10.0.0.1", after)] : []),
        ],
        ports: open({ 222: "b" }),
      },
    ];
    await imports.take(routers("first"));
    for (let failovers = 0; failovers < 3; failovers++) {
      const { counts } = await imports.take(routers("second"));
      expect(counts).toMatchObject({ created: 0, failed: 0 });
      expect(await hostsOf(imports)).toEqual([
        ["r1", moves ? ["10.0.0.2"] : ["10.0.0.1", "10.0.0.2"], [221]],
        ["r2", moves ? ["10.0.0.1", "10.0.0.3"] : ["10.0.0.3"], [222]],
      ]);
    }
    const { counts } = await imports.take(routers("first"));
    expect(counts).toMatchObject({ created: 0, failed: 0 });
    expect(await hostsOf(imports)).toEqual([
      ["r1", ["10.0.0.1", "10.0.0.2"], [221]],
      ["r2", ["10.0.0.3"], [222]],
    ]);
  },
);

test("hosts with two addresses keep their identity while their leases rotate", async () => {
  const imports = await openImports();
  const a = (leased: string) => ({
    hostname: "a",
    addresses: [address(leased, one), address("fd00::a", one)],
  });
  const b = (leased: string) => ({
    hostname: "b",
    addresses: [address(leased, other), address("fd00::b", other)],
  });
  await imports.take([a("10.0.0.3"), b("10.0.0.4")]);
  for (const report of [
    [a("10.0.0.5"), b("10.0.0.3")],
    [a("10.0.0.4"), b("10.0.0.3")],
  ]) {
    const { counts } = await imports.take(report);
    expect(counts).toMatchObject({ created: 0, changed: 2, failed: 0 });
    expect((await imports.take(report)).counts).toMatchObject({ unchanged: 2 });
  }
  expect(await hostsOf(imports)).toEqual([
    ["a", ["10.0.0.4", "10.0.0.5", "fd00::a"], []],
    ["b", ["10.0.0.3", "fd00::b"], []],
  ]);
});

test("an address moves to another device only if its host has since been seen elsewhere", async () => {
  const imports = await openImports();
  const seen = (ip: string, mac: string, hostname: string) => ({
    hostname,
    addresses: [address(ip, mac)],
  });
  await imports.take([seen("10.0.0.3", one, "laptop")]);
  await imports.take([seen("10.0.0.4", one, "laptop")]);
  const { hosts } = await imports.take([seen("10.0.0.3", other, "printer")]);
  expect(hosts).toMatchObject([{ outcome: "created", issues: [] }]);
  expect(await hostsOf(imports)).toEqual([
    ["laptop", ["10.0.0.4"], []],
    ["printer", ["10.0.0.3"], []],
  ]);
  // Replacing a device's network card does not make it a different device.
  await imports.take([
    { hostname: "nas", addresses: [address("10.0.0.7", one), address("fd00::7", one)] },
  ]);
  const replaced = await imports.take([seen("10.0.0.7", other, "nas")]);
  expect(replaced.counts).toMatchObject({ created: 0 });
});
