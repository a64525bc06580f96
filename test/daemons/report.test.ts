import { expect, test } from "vitest";
import { maximumEntities } from "../../src/daemons/poller/report/protocol.ts";
import { wireHost, wireSubnet } from "../helpers/protocol.ts";
import { convert } from "../helpers/reports.ts";

const network = crypto.randomUUID();
const nil = "00000000-0000-0000-0000-000000000000";

/** The one host of a report. */
function hostOf(...hosts: unknown[]) {
  const { hosts: found, refused } = convert(network, { hosts, subnets: [] });
  expect([found.length, refused]).toEqual([1, { hosts: [], subnets: [] }]);
  return found[0];
}

test("a host is known by natural keys afterwards, and its bindings by port and address", () => {
  const wire = wireHost(network, "10.77.0.3", [80]);
  expect(hostOf(wire)).toMatchObject({
    index: 0,
    id: wire.host.id,
    name: "10.77.0.3",
    addresses: [
      { ip_address: "10.77.0.3", mac_address: null, path: "hosts[0].ip_addresses[0].ip_address" },
    ],
    ports: [{ number: 80, protocol: "Tcp" }],
    services: [
      {
        name: "Unclaimed Open Ports",
        definition: "Unclaimed Open Ports",
        bindings: [
          { type: "Port", port: { number: 80, protocol: "Tcp" }, ip_address: "10.77.0.3" },
        ],
      },
    ],
    scanned_ports: [],
  });
});

test("what is bound to nothing of the report is dropped, and what is bound to no address is bound to all", () => {
  const wire = wireHost(network, "10.77.0.3", [80]);
  const [port] = wire.ports;
  const service = (...bindings: object[]) => ({
    ...wire,
    services: [{ service_definition: "Nginx", name: "web", bindings }],
  });
  const known = { type: "Port", port_id: port?.id };
  const unknown = crypto.randomUUID();
  const bindings = hostOf(
    service(
      { type: "Port", port_id: unknown },
      { ...known, ip_address_id: unknown },
      { type: "IPAddress", ip_address_id: unknown },
      { type: "IPAddress", ip_address_id: nil },
      { ...known, ip_address_id: null },
      { ...known, ip_address_id: nil },
    ),
  )?.services[0]?.bindings;
  expect(bindings).toMatchObject([{ ip_address: null }, { ip_address: null }]);
});

const docker = (details: unknown) => ({ type: "Docker", details });
const proxmox = (details: unknown) => ({ type: "Proxmox", details });

/** A host with one service that runs so. */
function withVirtualization(virtualization: unknown) {
  const host = wireHost(network, "10.77.0.3", [80]);
  const [service] = host.services;
  return { ...host, services: [{ ...service, virtualization }] };
}

test("the container of a service and the machine that a host is are taken over, without ids of the daemon's making", () => {
  const container = { container_name: "web", container_id: "c0ffee", compose_project: "shop" };
  const service_id = crypto.randomUUID();
  expect(
    hostOf(withVirtualization(docker({ ...container, service_id, image: "nginx" })))?.services,
  ).toMatchObject([{ virtualization: docker({ ...container, service_id: null }) }]);
  const machine = { vm_name: "web", vm_id: "101" };
  const virtualization = proxmox({ ...machine, service_id });
  expect(hostOf(wireHost(network, "10.77.0.3", [], { virtualization }))?.virtualization).toEqual(
    proxmox({ ...machine, service_id: null }),
  );
});

test("details of a container are cut to 255 characters, and those of another type are left out", () => {
  const of = (details: unknown) =>
    hostOf(withVirtualization(docker(details)))?.services[0]?.virtualization?.details;
  expect(of({ container_name: "😀".repeat(255) })?.container_name).toBe("😀".repeat(255));
  expect(of({ container_name: "😀".repeat(256) })?.container_name).toBe("😀".repeat(255));
  expect(of({ container_name: "web", container_id: 7, compose_project: "  " })).toEqual({
    container_name: "web",
    container_id: null,
    compose_project: null,
    service_id: null,
  });
});

test.each([
  null,
  "Docker",
  [[]],
  {},
  { type: "Docker" },
  docker(null),
  docker("web"),
  { type: "Podman", details: {} },
])("a virtualization that is none (%j) is left out, and its host and service stay", (wrong) => {
  expect(hostOf(withVirtualization(wrong))?.services).toMatchObject([{ virtualization: null }]);
  const host = wireHost(network, "10.77.0.3", [], { virtualization: wrong });
  expect(hostOf(host)?.virtualization).toBeNull();
});

test("a host that comes twice is one, of which the later says more", () => {
  const found = wireHost(network, "10.77.0.3");
  const scanned = wireHost(network, "10.77.0.3", [80], { ...found.host, hostname: "web" });
  expect(hostOf(found, scanned)).toMatchObject({
    index: 0,
    hostname: "web",
    addresses: [{ ip_address: "10.77.0.3" }],
    ports: [{ number: 80 }],
  });
  expect(hostOf(scanned, found)).toMatchObject({ hostname: "web", ports: [{ number: 80 }] });
});

test("hosts without an id of their own stay apart", () => {
  const hosts = ["10.77.0.3", "10.77.0.4"].map((ip) => wireHost(network, ip, [], { id: nil }));
  const report = convert(network, { hosts, subnets: [] });
  expect(report.hosts.map(({ id }) => id)).toEqual([null, null]);
});

test("texts are cut to their length, and lose what a database cannot hold", () => {
  const wire = wireHost(network, "10.77.0.3", [], {
    name: ` ${"😀".repeat(150)} `,
    hostname: "a\0b\ud800",
    description: "   ",
    sys_descr: "x".repeat(300),
  });
  expect(hostOf(wire)).toMatchObject({
    name: "😀".repeat(100),
    hostname: "ab\ufffd",
    description: null,
    sys_descr: "x".repeat(255),
  });
});

test("a MAC address that is none is left out, and its host stays", () => {
  const wire = wireHost(network, "10.77.0.3");
  const [address] = wire.ip_addresses;
  const of = (mac_address: unknown) =>
    hostOf({ ...wire, ip_addresses: [{ ...address, mac_address }] })?.addresses[0]?.mac_address;
  expect(of("a6-e9-aa-38-e0-bc")).toBe("A6:E9:AA:38:E0:BC");
  expect(of("none")).toBeNull();
});

test("entities of another network are refused, those of none are the daemon's", () => {
  const other = crypto.randomUUID();
  const report = convert(network, {
    hosts: [wireHost(other, "10.77.0.3"), wireHost(nil, "10.77.0.4")],
    subnets: [wireSubnet(other, "10.77.0.0/29"), wireSubnet(nil, "10.78.0.0/29")],
  });
  expect(report).toMatchObject({
    hosts: [{ name: "10.77.0.4" }],
    subnets: [{ cidr: "10.78.0.0/29", subnet_type: "Unknown" }],
    refused: {
      hosts: [{ reason: "other_network", addresses: [] }],
      subnets: [{ reason: "other_network" }],
    },
  });
});

test("no more than a thousand of each are taken over", () => {
  const many = (make: (number: number) => unknown) =>
    Array.from({ length: 1001 }, (_, number) => make(number));
  const report = convert(network, {
    hosts: many((number) => wireHost(network, `10.${number >> 8}.0.${number & 255}`)),
    subnets: many((number) => wireSubnet(network, `10.${number >> 8}.${number & 255}.0/24`)),
  });
  expect(report.hosts).toHaveLength(maximumEntities.hosts);
  expect(report.subnets).toHaveLength(maximumEntities.subnets);
  expect(report.isWhole).toBe(false);
});

test.each([
  ["hosts", 1000, true],
  ["hosts", 1001, false],
  ["subnets", 1000, true],
  ["subnets", 1001, false],
] as const)("whether something waits is known: %s, %i of them", (kind, count, isWhole) => {
  const entities = Array.from({ length: count }, (_, number) =>
    kind === "hosts"
      ? wireHost(network, `10.${number >> 8}.0.${number & 255}`)
      : wireSubnet(network, `10.${number >> 8}.${number & 255}.0/24`),
  );
  const report = convert(network, { hosts: [], subnets: [], [kind]: entities });
  expect(report.isWhole).toBe(isWhole);
});

test("what a poll takes over is bounded in rows as well, and a host in its ports", () => {
  const openPorts = Array.from({ length: 1000 }, (_, number) => number + 1);
  const wire = wireHost(network, "10.77.0.3", openPorts);
  const hosts = Array.from({ length: 10 }, () => ({
    ...wire,
    host: { ...wire.host, id: crypto.randomUUID() },
  }));
  const report = convert(network, { hosts, subnets: [] });
  // Each is 2,003 rows: itself, its address, its ports, its service and its bindings.
  expect(report).toMatchObject({ refused: { hosts: [] }, isWhole: false });
  expect(report.hosts).toHaveLength(Math.ceil(maximumEntities.rows / 2003));
  const [port] = wire.ports;
  const beyond = { ...wire, ports: [...wire.ports, port] };
  expect(convert(network, { hosts: [beyond], subnets: [] })).toMatchObject({
    hosts: [],
    refused: {
      hosts: [
        {
          reason: "wrong_shape",
          pending: { id: wire.host.id, sent: { host: beyond.host, ports: beyond.ports } },
          addresses: ["10.77.0.3"],
        },
      ],
    },
  });
});

test("interfaces are known by their numbers and addresses; a bad one leaves the table incomplete", () => {
  const wire = wireHost(network, "10.77.0.3");
  const [address] = wire.ip_addresses;
  const known = {
    if_index: 1,
    if_descr: "Ethernet 1",
    if_name: "eth1",
    if_type: 6,
    speed_bps: 1_000_000_000,
    admin_status: "Up",
    oper_status: "Down",
    mac_address: "02:00:5e:00:00:01",
    ip_address_id: address?.id,
    fdb_macs: [],
  };
  const expected = {
    if_index: 1,
    name: "eth1",
    description: "Ethernet 1",
    type: 6,
    speed_bps: 1_000_000_000,
    mac_address: "02:00:5E:00:00:01",
    admin_status: "Up",
    oper_status: "Down",
    ip_addresses: ["10.77.0.3"],
  };
  const of = (interfaces: unknown, values: object = {}) => {
    const found = hostOf({ ...wire, interfaces, ...values });
    return [found?.interfaces, found?.are_interfaces_complete];
  };
  expect(of([known])).toEqual([[expected], true]);
  expect(of([known], { interfaces_complete: false })).toEqual([[expected], false]);
  expect(of([known, { if_index: 0 }])).toEqual([[expected], false]);
  expect(of([{ if_index: 2 }])).toMatchObject([[{ if_index: 2, name: null }], true]);
  for (const nothing of [[], null, undefined, "none"]) {
    expect(of(nothing)).toEqual([null, null]);
  }
});
