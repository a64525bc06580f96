import { expect, test } from "vitest";
import { maximumEntities } from "../../../../src/daemons/poller/report/protocol.ts";
import { wireHost, wireSubnet } from "../../../helpers/protocol.ts";
import { convert } from "../../../helpers/reports.ts";

const network = crypto.randomUUID();
const nil = "00000000-0000-0000-0000-000000000000";

/** Returns the only host in a report. */
function hostOf(...hosts: unknown[]) {
  const { hosts: converted, refused } = convert(network, { hosts, subnets: [] });
  expect([converted.length, refused]).toEqual([1, { hosts: [], subnets: [] }]);
  return converted[0];
}

test("a host's bindings are converted from ids to port numbers and IP addresses", () => {
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

test("drops bindings to entities outside the report, and applies a binding without an address to all addresses", () => {
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

/** A host with one service that has this virtualization. */
function withVirtualization(virtualization: unknown) {
  const host = wireHost(network, "10.77.0.3", [80]);
  const [service] = host.services;
  return { ...host, services: [{ ...service, virtualization }] };
}

test("keeps a service's container and a host's virtual machine, but without the daemon's ids", () => {
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

test("truncates container details to 255 characters, and drops details of the wrong type", () => {
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
])("drops an invalid virtualization (%j), but keeps its host and service", (wrong) => {
  expect(hostOf(withVirtualization(wrong))?.services).toMatchObject([{ virtualization: null }]);
  const host = wireHost(network, "10.77.0.3", [], { virtualization: wrong });
  expect(hostOf(host)?.virtualization).toBeNull();
});

test("merges a host that occurs twice, adding details from the later entry", () => {
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

test("does not merge hosts without an id", () => {
  const hosts = ["10.77.0.3", "10.77.0.4"].map((ip) => wireHost(network, ip, [], { id: nil }));
  const report = convert(network, { hosts, subnets: [] });
  expect(report.hosts.map(({ id }) => id)).toEqual([null, null]);
});

test("truncates strings, and removes characters that the database cannot store", () => {
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

test("drops an invalid MAC address, but keeps its host", () => {
  const wire = wireHost(network, "10.77.0.3");
  const [address] = wire.ip_addresses;
  const of = (mac_address: unknown) =>
    hostOf({ ...wire, ip_addresses: [{ ...address, mac_address }] })?.addresses[0]?.mac_address;
  expect(of("a6-e9-aa-38-e0-bc")).toBe("A6:E9:AA:38:E0:BC");
  expect(of("none")).toBeNull();
});

test("rejects entities of another network, and accepts entities without a network", () => {
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

test("accepts at most a thousand hosts and a thousand subnets", () => {
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
] as const)(
  "isWhole is false if entities are deferred: %s, %i in total",
  (kind, count, isWhole) => {
    const entities = Array.from({ length: count }, (_, number) =>
      kind === "hosts"
        ? wireHost(network, `10.${number >> 8}.0.${number & 255}`)
        : wireSubnet(network, `10.${number >> 8}.${number & 255}.0/24`),
    );
    const report = convert(network, { hosts: [], subnets: [], [kind]: entities });
    expect(report.isWhole).toBe(isWhole);
  },
);

test("limits the number of rows per poll, and of ports per host", () => {
  const openPorts = Array.from({ length: 1000 }, (_, number) => number + 1);
  const wire = wireHost(network, "10.77.0.3", openPorts);
  const hosts = Array.from({ length: 10 }, () => ({
    ...wire,
    host: { ...wire.host, id: crypto.randomUUID() },
  }));
  const report = convert(network, { hosts, subnets: [] });
  // Each host has 2,003 rows: the host itself, its address, its ports, its service and its
  // bindings.
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

test("interfaces are identified by their numbers and addresses, and an invalid interface makes the table incomplete", () => {
  const wire = wireHost(network, "10.77.0.3");
  const [address] = wire.ip_addresses;
  const known = {
    if_index: 1,
    if_descr: "Ethernet 1",
    if_name: "eth1",
    if_alias: "Uplink",
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
    alias: "Uplink",
    description: "Ethernet 1",
    type: 6,
    speed_bps: 1_000_000_000,
    mac_address: "02:00:5E:00:00:01",
    admin_status: "Up",
    oper_status: "Down",
    native_vlan: null,
    tagged_vlans: null,
    ip_addresses: ["10.77.0.3"],
    neighbors: [],
    learned_macs: [],
    complete: [],
  };
  const of = (interfaces: unknown, values: object = {}) => {
    const converted = hostOf({ ...wire, interfaces, ...values });
    return [converted?.interfaces, converted?.are_interfaces_complete];
  };
  expect(of([known])).toEqual([[expected], true]);
  expect(of([known], { interfaces_complete: false })).toEqual([[expected], false]);
  expect(of([known, { if_index: 0 }])).toEqual([[expected], false]);
  expect(of([{ if_index: 2 }])).toMatchObject([[{ if_index: 2, name: null }], true]);
  for (const nothing of [[], null, undefined, "none"]) {
    expect(of(nothing)).toEqual([null, null]);
  }
});
