import { describe, expect, test } from "vitest";
import { importBounds } from "../../src/imports/create.ts";
import { importBody } from "../../src/imports/input.ts";
import { at, everyPort, openImports } from "./helpers.ts";

const port = (number: unknown, more: object = {}) => ({ number, protocol: "Tcp", ...more });
const one = (field: object) => at("10.0.0.1", field as never);
const onInterface = (field: object) => one({ interfaces: [{ if_index: 1, ...field }] });

describe("only the invalid detail is skipped, and is reported as an issue:", () => {
  test.each<[string, object, string, object]>([
    ["a name with NUL", one({ name: "nas\0" }), "name", { name: "nas" }],
    ["a name with a control sequence", one({ name: "\u001b[31mnas" }), "name", { name: "[31mnas" }],
    ["half a surrogate pair", one({ hostname: "a\ud800" }), "hostname", { hostname: "a\ufffd" }],
    [
      "a string that is too long",
      one({ operating_system: "x".repeat(300) }),
      "operating_system",
      { operating_system: "x".repeat(255) },
    ],
    ["a number in place of a string", one({ hostname: 5 }), "hostname", { hostname: null }],
    ["an invalid id", one({ id: "x" }), "id", {}],
    [
      "an invalid address beside another",
      { addresses: [{ ip_address: "10.0.0.256" }, { ip_address: "10.0.0.1" }] },
      "addresses[0].ip_address",
      { ip_addresses: [{ ip_address: "10.0.0.1" }] },
    ],
    [
      "an address twice",
      { addresses: [{ ip_address: "::1" }, { ip_address: "0:0::1" }, { ip_address: "10.0.0.1" }] },
      "addresses[1].ip_address",
      { ip_addresses: { length: 2 } },
    ],
    [
      "a malformed MAC address",
      { addresses: [{ ip_address: "10.0.0.1", mac_address: "02:00:00:ff:fe:00:00:01" }] },
      "addresses[0].mac_address",
      { ip_addresses: [{ mac_address: null }] },
    ],
    ["port 0", one({ ports: [port(0), port(1)] }), "ports[0].number", { ports: [{ number: 1 }] }],
    [
      "port 70000",
      one({ ports: [port(1), port(70_000)] }),
      "ports[1].number",
      { ports: [{ number: 1 }] },
    ],
    [
      "a port twice",
      one({ ports: [port(1), port(1)] }),
      "ports[1].number",
      { ports: [{ number: 1 }] },
    ],
    [
      "an unknown protocol",
      one({ ports: [{ number: 1, protocol: "Sctp" }, port(2)] }),
      "ports[0].protocol",
      { ports: [{ number: 2 }] },
    ],
    [
      "a port that is not an object",
      one({ ports: [80, port(2)] }),
      "ports[0]",
      { ports: [{ number: 2 }] },
    ],
    [
      "a service without a valid name",
      one({ ports: [port(1, { service: { name: "\0", definition: "x" } })] }),
      "ports[0].service.name",
      { ports: [{ number: 1 }] },
    ],
    [
      "a garbled service",
      one({ ports: [port(1, { service: { name: "ssh\u0007" } })] }),
      "ports[0].service.name",
      { services: [{ name: "SSH" }] },
    ],
    [
      "a reversed range",
      one({ scanned_ports: [{ protocol: "Tcp", from: 2, to: 1 }] }),
      "scanned_ports[0].to",
      {},
    ],
    [
      "a speed out of range",
      onInterface({ speed_bps: -1, name: "eth0" }),
      "interfaces[0].speed_bps",
      { interfaces: [{ name: "eth0", speed_bps: null }] },
    ],
    [
      "an unknown status",
      onInterface({ oper_status: "Sleeping", name: "eth0" }),
      "interfaces[0].oper_status",
      { interfaces: [{ name: "eth0", oper_status: null }] },
    ],
    [
      "an interface name with NUL",
      onInterface({ name: "eth0\0" }),
      "interfaces[0].name",
      { interfaces: [{ name: "eth0" }] },
    ],
    [
      "an interface address that does not belong to the host",
      onInterface({ ip_addresses: ["10.0.0.1", "10.0.0.9"] }),
      "interfaces[0].ip_addresses[1]",
      { interfaces: [{ ip_address_ids: { length: 1 } }] },
    ],
    [
      "an interface without its number",
      one({ interfaces: [{ name: "x" }, { if_index: 2 }] }),
      "interfaces[0].if_index",
      { interfaces: [{ if_index: 2 }] },
    ],
    [
      "an interface twice",
      one({
        interfaces: [
          { if_index: 2, name: "a" },
          { if_index: 2, name: "b" },
        ],
      }),
      "interfaces[1].if_index",
      { interfaces: [{ if_index: 2, name: "a" }] },
    ],
  ])("%s", async (_, host, path, stored) => {
    const { take, list } = await openImports();
    const result = await take([host, at("10.0.0.2")]);
    expect(result.counts).toEqual({ created: 2, changed: 0, unchanged: 0, failed: 0 });
    expect(result.hosts.map(({ issues }) => issues.map((issue) => issue.path))).toEqual([
      [`hosts[0].${path}`],
      [],
    ]);
    const hosts = await list("hosts");
    expect(hosts.find(({ id }) => id === result.hosts[0]?.host_id)).toMatchObject(stored);
    expect((await take([host, at("10.0.0.2")])).counts).toMatchObject({ unchanged: 2 });
  });

  test("several on one host, each with its path in the request", async () => {
    const { take } = await openImports();
    const host = one({
      name: "a\0",
      ports: [port("x"), port(1, { service: { name: "ssh", version: "\0v" } }), port(-1)],
      interfaces: [{ if_index: 0 }, { if_index: 1, mac_address: "x", type: 1.5 }],
    });
    const [result] = (await take([host])).hosts;
    expect(result?.issues.map(({ path }) => path).sort()).toEqual(
      [
        "hosts[0].name",
        "hosts[0].ports[0].number",
        "hosts[0].ports[1].service.version",
        "hosts[0].ports[2].number",
        "hosts[0].interfaces[0].if_index",
        "hosts[0].interfaces[1].mac_address",
        "hosts[0].interfaces[1].type",
      ].sort(),
    );
  });

  test("issues found by the database also have paths in the request", async () => {
    const { take } = await openImports();
    const addresses = [{ ip_address: "x" }, { ip_address: "10.0.0.1" }];
    const { hosts } = await take([{ addresses }, at("10.0.0.1")]);
    expect(hosts[0]?.issues.map(({ path, code }) => [path, code])).toEqual([
      ["hosts[0].addresses[0].ip_address", "invalid_union"],
      ["hosts[0].addresses[1].ip_address", "same_address"],
    ]);
  });
});

test.each<[string, object]>([
  ["an address's MAC address", { addresses: [{ ip_address: "10.0.0.1", mac_address: " " }] }],
  ["an interface's MAC address", onInterface({ mac_address: "" })],
  ["a status", onInterface({ oper_status: "", admin_status: "  " })],
  ["strings", one({ id: "", name: "", hostname: " ", operating_system: "" })],
  [
    "a service's strings",
    one({ ports: [port(1, { service: { name: "x", definition: "", version: "" } })] }),
  ],
])("treats %s as null if empty", async (_, host) => {
  const { take } = await openImports();
  const { counts, hosts } = await take([host]);
  expect(counts).toMatchObject({ created: 1 });
  expect(hosts[0]?.issues).toEqual([]);
});

test.each([
  "0:1c:42:0:0:9",
  "00-1c-42-00-00-09",
  "001c.4200.0009",
  "001C42000009",
  " 00:1c:42:00:00:09 ",
  "00 1C 42 00 00 09",
])("normalizes the MAC address %j to 00:1C:42:00:00:09", async (mac_address) => {
  const { take, list } = await openImports();
  const host = {
    addresses: [{ ip_address: "10.0.0.1", mac_address }],
    interfaces: [{ if_index: 1, mac_address }],
  };
  expect((await take([host])).hosts).toMatchObject([{ outcome: "created", issues: [] }]);
  expect(await list("ip-addresses")).toMatchObject([{ mac_address: "00:1C:42:00:00:09" }]);
  expect(await list("interfaces")).toMatchObject([{ mac_address: "00:1C:42:00:00:09" }]);
});

test("an open port with an invalid detail is not treated as closed", async () => {
  const { take, list } = await openImports();
  await take([one({ ports: [port(80), port(81)] })]);
  await take([one({ ports: [port("80"), port(81)], scanned_ports: everyPort })]);
  await take([one({ ports: "80", scanned_ports: everyPort })]);
  expect(await list("bindings")).toHaveLength(2);
  await take([one({ ports: [port(81), port(81)], scanned_ports: everyPort })]);
  expect(await list("bindings")).toHaveLength(1);
});

test("an interface with an invalid detail is not removed", async () => {
  const { take, list } = await openImports();
  const interfaces = [{ if_index: 1 }, { if_index: 2 }];
  await take([one({ interfaces })]);
  await take([
    one({ interfaces: [{ if_index: 1 }, { if_index: "2" }], interfaces_complete: true }),
  ]);
  await take([one({ interfaces: [{ if_index: 1 }], interfaces_complete: "yes" })]);
  expect(await list("interfaces")).toHaveLength(2);
});

test("parses a body full of invalid details in linear time", () => {
  const bodyOf = (number: unknown) => {
    const ports = Array.from({ length: 1000 }, () => 0).map((_, at) =>
      port(number ?? at + 1, { service: { name: "x" } }),
    );
    const host = (at_: number) => at(`10.0.${at_ >> 8}.${at_ & 255}`, { ports } as never);
    const hosts = Array.from({ length: 30 }, (_, at_) => host(at_));
    expect(JSON.stringify({ hosts }).length).toBeLessThan(importBounds.bytes);
    return { hosts };
  };
  const timeOf = (body: object) => {
    const before = performance.now();
    importBody.safeParse(body);
    return performance.now() - before;
  };
  const [good, bad] = [bodyOf(null), bodyOf("x")];
  timeOf(good);
  expect(Math.min(timeOf(bad), timeOf(bad))).toBeLessThan(
    60 * (Math.min(timeOf(good), timeOf(good)) + 5),
  );
});
