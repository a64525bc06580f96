import { expect, test } from "vitest";
import { confirmationOf } from "../../../../src/daemons/poller/report/confirmation.ts";
import { reportLimits } from "../../../../src/discovery/report.ts";
import { Pace } from "../../../../src/discovery/steps.ts";
import { wireHost, wireSubnet } from "../../../helpers/protocol.ts";
import { convert, finish } from "../../../helpers/reports.ts";

const network = crypto.randomUUID();
const nil = "00000000-0000-0000-0000-000000000000";

const convertHosts = (...hosts: object[]) => convert(network, { hosts });

test("addresses keep their interface names, truncated to 100 characters", () => {
  const wire = wireHost(network, "10.77.0.3");
  const of = (name: unknown) => {
    const ip_addresses = wire.ip_addresses.map((address) => ({ ...address, name }));
    return convertHosts({ ...wire, ip_addresses }).hosts[0]?.addresses[0]?.name;
  };
  expect([of("lo"), of(" bridge "), of(""), of(null), of(7), of(undefined)]).toEqual([
    "lo",
    "bridge",
    null,
    null,
    null,
    null,
  ]);
  expect(of("😀".repeat(101))).toBe("😀".repeat(100));
});

test("a host's operating system is its SNMP description, not a guess", () => {
  const of = (values: object) => convertHosts(wireHost(network, "10.77.0.3", [], values)).hosts[0];
  expect(of({ sys_descr: "Linux hc 6.1.0" })).toMatchObject({
    sys_descr: "Linux hc 6.1.0",
    operating_system: "Linux hc 6.1.0",
    is_operating_system_guessed: false,
  });
  expect(of({ sys_descr: "x".repeat(256) })?.operating_system).toBe("x".repeat(255));
  expect(of({})?.operating_system).toBeNull();
});

/** Returns the result of converting the given services of a host. */
const servicesOf = (...services: object[]) =>
  convertHosts({ ...wireHost(network, "10.77.0.3"), services }).hosts[0]?.services;

test.each([
  ["Low", true],
  ["Medium", false],
  ["High", false],
  ["Certain", false],
  ["NotApplicable", false],
])("a service recognized with confidence %s is a guess: %s", (confidence, is_guess) => {
  const source = {
    type: "DiscoveryWithMatch",
    metadata: [],
    details: { confidence, reason: {} },
  };
  expect(servicesOf({ name: "SSH", source })).toMatchObject([{ is_guess, is_of_port: false }]);
  const virtualization = { type: "Docker", details: { container_name: "web" } };
  expect(servicesOf({ name: "web", source, virtualization })).toMatchObject([{ is_guess: false }]);
});

test.each([undefined, null, "Low", {}, { details: null }, { details: { confidence: 1 } }])(
  "a service whose source has no valid confidence (%j) is not a guess",
  (source) => {
    expect(servicesOf({ name: "SSH", source })).toMatchObject([
      { name: "SSH", version: null, is_guess: false },
    ]);
  },
);

const runsIn = (service_id: unknown) => ({
  type: "Docker",
  details: { container_name: "web", service_id },
});

test("a container refers to the service on its host that the daemon specifies", () => {
  const id = crypto.randomUUID();
  const nameless = { id: crypto.randomUUID(), name: null };
  const services = servicesOf(
    nameless,
    { id: crypto.randomUUID(), name: "web", virtualization: runsIn(id.toUpperCase()) },
    { id, name: "Docker" },
  );
  // The nameless service is dropped before positions are assigned.
  expect(services?.map(({ name, runner }) => [name, runner])).toEqual([
    ["web", 1],
    ["Docker", null],
  ]);
  expect(services?.[0]?.virtualization?.details).toMatchObject({ service_id: null });
});

test.each([
  ["that is null", () => null],
  ["that is the nil UUID", () => nil],
  ["of a service that is not in the report", () => crypto.randomUUID()],
  ["of itself", (own: string) => own],
  ["that is not a UUID", () => "docker"],
  ["of a service without a name", (_: string, nameless: string) => nameless],
])("a container with a service id %s is kept, but without a runner", (_, idOf) => {
  const [own, nameless] = [crypto.randomUUID(), crypto.randomUUID()];
  const virtualization = runsIn(idOf(own, nameless));
  expect(
    servicesOf(
      { id: nameless, name: null },
      { id: own, name: "web", virtualization },
      { id: nil, name: "Docker" },
    )?.[0],
  ).toMatchObject({
    name: "web",
    runner: null,
    virtualization: { details: { container_name: "web", service_id: null } },
  });
});

test("a host's virtual machine does not refer to a service", () => {
  const details = { vm_name: "web", vm_id: "101", service_id: crypto.randomUUID() };
  const virtualization = { type: "Proxmox", details };
  expect(convertHosts(wireHost(network, "10.77.0.3", [], { virtualization })).hosts).toMatchObject([
    { virtualization: { details: { ...details, service_id: null } } },
  ]);
});

const bridge = (values: object = {}) =>
  wireSubnet(network, "172.17.0.0/16", { name: "bridge", subnet_type: "DockerBridge", ...values });

test("a converted report contains the subnets within hosts, each CIDR once, but they are not confirmed", () => {
  const own = wireSubnet(network, "10.77.0.0/29");
  const host = (subnets: unknown) => ({ ...wireHost(network, "10.77.0.3"), subnets });
  const report = convert(network, {
    hosts: [host([bridge(), own]), host([bridge({ name: "again", network_id: nil })])],
    subnets: [own],
  });
  expect(report).toMatchObject({
    subnets: [
      { cidr: "10.77.0.0/29", pending: { id: own.id } },
      { cidr: "172.17.0.0/16", name: "bridge", subnet_type: "DockerBridge", pending: null },
    ],
    refused: { subnets: [] },
    isWhole: true,
  });
  const confirmation = finish(confirmationOf(network, { hosts: [], subnets: [] }, new Pace()));
  expect(JSON.parse(confirmation)).toEqual({ hosts: [], subnets: [] });
});

test("rejecting a subnet within a host does not affect the host", () => {
  const subnets = [
    bridge({ network_id: crypto.randomUUID() }),
    bridge({ cidr: "bridge" }),
    null,
    wireSubnet(network, "172.18.0.0/16"),
  ];
  const {
    hosts,
    subnets: taken,
    refused,
  } = convertHosts({
    ...wireHost(network, "10.77.0.3"),
    subnets,
  });
  expect([hosts.length, taken.map(({ cidr }) => cidr)]).toEqual([1, ["172.18.0.0/16"]]);
  expect(refused).toEqual({
    hosts: [],
    subnets: [
      { reason: "other_network", pending: null },
      { reason: "wrong_shape", pending: null },
      { reason: "wrong_shape", pending: null },
    ],
  });
});

test.each([undefined, null, "x", {}])("subnets that are not a list (%j) are ignored", (subnets) => {
  const { hosts, subnets: taken } = convertHosts({ ...wireHost(network, "10.77.0.3"), subnets });
  expect([hosts.length, taken]).toEqual([1, []]);
});

test("ignores a rejected host's subnets", () => {
  const stranger = { ...wireHost(crypto.randomUUID(), "10.77.0.3"), subnets: [bridge()] };
  expect(convertHosts(stranger)).toMatchObject({ hosts: [], subnets: [] });
});

test("a report contains no more than the maximum number of subnets", () => {
  const subnets = Array.from({ length: reportLimits.subnets + 1 }, (_, number) =>
    wireSubnet(network, `10.${number >> 8}.${number & 255}.0/24`),
  );
  const report = convertHosts({ ...wireHost(network, "10.77.0.3"), subnets });
  expect(report.subnets).toHaveLength(reportLimits.subnets);
  expect(report).toMatchObject({ hosts: [{ name: "10.77.0.3" }], isWhole: true });
});
