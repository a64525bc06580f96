import { describe, expect, test } from "vitest";
import { recordConsole } from "../../../helpers/console.ts";
import { raiseScanner, wireHost } from "../../../helpers/protocol.ts";
import { convert } from "../../../helpers/reports.ts";
import { bound, isSettled, scan } from "../../../helpers/scans.ts";

const network = crypto.randomUUID();
const nil = "00000000-0000-0000-0000-000000000000";

type Wire = ReturnType<typeof wireHost>;

const good = () => wireHost(network, "10.77.0.3", [80, 443]);
const withAddress = (values: object) => (host: Wire) => ({
  ...host,
  ip_addresses: host.ip_addresses.map((address) => ({ ...address, ...values })),
});
const withPort = (values: object) => (host: Wire) => ({
  ...host,
  ports: host.ports.map((port, at) => (at === 0 ? { ...port, ...values } : port)),
});
const withService = (values: object) => (host: Wire) => ({
  ...host,
  services: host.services.map((service) => ({ ...service, ...values })),
});
const withHost = (values: object) => (host: Wire) => ({
  ...host,
  host: { ...host.host, ...values },
});

describe("drops or corrects only the invalid detail:", () => {
  test.each<[string, (host: Wire) => object, object]>([
    ["a name with a NUL character", withHost({ name: "nas\0" }), { name: "nas" }],
    ["a control sequence", withHost({ sys_descr: "\u001b[1mIOS" }), { sys_descr: "[1mIOS" }],
    ["a number instead of a string", withHost({ model: 5 }), { model: null }],
    [
      "a string that is too long",
      withHost({ hostname: "h".repeat(300) }),
      { hostname: "h".repeat(255) },
    ],
    [
      "a malformed MAC address",
      withAddress({ mac_address: "x" }),
      { addresses: [{ mac_address: null }] },
    ],
    [
      "a MAC address with short octets",
      withAddress({ mac_address: "0:1c:42:0:0:9" }),
      { addresses: [{ mac_address: "00:1C:42:00:00:09" }] },
    ],
    [
      "an empty MAC address",
      withAddress({ mac_address: "" }),
      { addresses: [{ mac_address: null }] },
    ],
    [
      "a zone",
      withAddress({ ip_address: "fe80::1%eth0" }),
      { addresses: [{ ip_address: "fe80::1", zone: "eth0" }] },
    ],
    [
      "an invalid address beside a valid one",
      (host) => ({
        ...host,
        ip_addresses: [{ id: nil, ip_address: "10.77.0.256" }, ...host.ip_addresses],
      }),
      { addresses: [{ ip_address: "10.77.0.3", path: "hosts[0].ip_addresses[0].ip_address" }] },
    ],
    ["port 0", withPort({ number: 0 }), { ports: [{ number: 443 }] }],
    ["port 70000", withPort({ number: 70_000 }), { ports: [{ number: 443 }] }],
    ["an unknown protocol", withPort({ protocol: "Sctp" }), { ports: [{ number: 443 }] }],
    [
      "a service name with a NUL character",
      withService({ name: "web\0" }),
      { services: [{ name: "web" }] },
    ],
    [
      "an invalid binding",
      withService({ bindings: [{ type: "Port" }] }),
      { services: [{ bindings: [] }] },
    ],
    [
      "an invalid virtualization",
      withHost({ virtualization: { type: "Proxmox", details: 5 } }),
      { virtualization: null },
    ],
    [
      "interfaces with bad details",
      (host) => ({
        ...host,
        interfaces: [
          {
            if_index: 1,
            if_name: "eth0\0",
            oper_status: "Sleeping",
            speed_bps: -1,
            mac_address: "",
          },
          { if_index: "2" },
        ],
      }),
      {
        interfaces: [
          { if_index: 1, name: "eth0", oper_status: null, speed_bps: null, mac_address: null },
        ],
        are_interfaces_complete: false,
      },
    ],
  ])("%s", (_, spoil, expected) => {
    const { hosts, refused } = convert(network, { hosts: [spoil(good())], subnets: [] });
    expect(refused.hosts).toEqual([]);
    expect(hosts).toMatchObject([expected]);
  });
});

test.each<[string, (host: Wire) => object]>([
  ["without a valid address", withAddress({ ip_address: "x" })],
  ["without a valid id", withHost({ id: "x" })],
  ["with an invalid network_id", withHost({ network_id: "x" })],
  ["with too many ports", (host) => ({ ...host, ports: Array(1001).fill(0) })],
])("rejects a host %s", (_, spoil) => {
  const { hosts, refused } = convert(network, { hosts: [spoil(good())], subnets: [] });
  expect([hosts, refused.hosts.length]).toEqual([[], 1]);
});

test("a host's rejected details are logged, and a scan with such details does not end anything on that host", async () => {
  const scanner = await raiseScanner();
  const { networkId } = scanner;
  await scan(scanner, { hosts: [wireHost(networkId, "10.77.0.3", [80, 8080])] });
  const spoiled = withPort({ number: "80" })(wireHost(networkId, "10.77.0.3", [80, 8080]));
  const logged = recordConsole();
  const session = await scan(scanner, { hosts: [spoiled] });
  expect(await isSettled(session)).toBe(true);
  expect(await bound(scanner)).toEqual({ "10.77.0.3": [80, 8080] });
  const lines = logged()
    .split("\n")
    .filter((line) => line.includes('"event":"visit"'));
  expect(lines.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({
      hosts: 1,
      refused: 0,
      with_bad_details: 1,
      bad_details: ["hosts[0].ports[0].number must be a number"],
    }),
  );
  // This applies only to that scan.
  await scan(scanner, { hosts: [wireHost(networkId, "10.77.0.3", [8080])] });
  expect(await bound(scanner)).toEqual({ "10.77.0.3": [8080] });
});

test("a name with a NUL character does not prevent a scan from ending records that it no longer finds", async () => {
  const scanner = await raiseScanner();
  const { networkId } = scanner;
  await scan(scanner, { hosts: [wireHost(networkId, "10.77.0.3", [80, 8080])] });
  const host = wireHost(networkId, "10.77.0.3", [80], { name: "nas\0" });
  await scan(scanner, { hosts: [host] });
  expect(await bound(scanner)).toEqual({ "10.77.0.3": [80] });
});
