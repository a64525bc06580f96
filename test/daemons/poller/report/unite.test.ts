import { expect, test } from "vitest";
import { reportLimits } from "../../../../src/discovery/report.ts";
import { wireHost } from "../../../helpers/protocol.ts";
import { convert } from "../../../helpers/reports.ts";

const network = crypto.randomUUID();
const id = crypto.randomUUID();

/** An entry for the only host in a report. */
const entry = (ip: string, ports: readonly number[] = [], values: object = {}) =>
  wireHost(network, ip, ports, { id, ...values });

/** Returns the only host in a report. */
function hostOf(...hosts: object[]) {
  const report = convert(network, { hosts });
  expect([report.hosts.length, report.refused.hosts]).toEqual([1, []]);
  return report.hosts[0];
}

test.each([
  ["10.77.0.3", "10.77.0.3"],
  ["fe80::3", "FE80:0::3"],
])(
  "a host's own address does not replace another name, regardless of the order of the entries (%s)",
  (ip, name) => {
    const addressOnly = entry(ip, [], { name });
    const complete = entry(ip, [80], { name: "switch-hc", hostname: "switch-hc" });
    expect(hostOf(addressOnly, complete)?.name).toBe("switch-hc");
    expect(hostOf(complete, addressOnly)?.name).toBe("switch-hc");
    expect(hostOf(addressOnly, complete, addressOnly)).toMatchObject({
      name: "switch-hc",
      hostname: "switch-hc",
      ports: [{ number: 80 }],
    });
  },
);

test("a host's name is not replaced by the address in another entry for the host", () => {
  const complete = entry("10.77.0.4", [], { name: "web" });
  expect(hostOf(complete, entry("10.77.0.3"))?.name).toBe("web");
});

test("a host with no other name is named after its address, and another host's address is accepted as a name", () => {
  expect(hostOf(entry("10.77.0.3"), entry("10.77.0.3"))?.name).toBe("10.77.0.3");
  const other = entry("10.77.0.3", [], { name: "10.77.0.9" });
  expect(hostOf(entry("10.77.0.3", [], { name: "web" }), other)?.name).toBe("10.77.0.9");
  const odd = entry("10.77.0.3", [], { name: "rack 7: web" });
  expect(hostOf(odd, entry("10.77.0.3"))?.name).toBe("rack 7: web");
});

test("the later of two names wins", () => {
  const of = (name: string) => entry("10.77.0.3", [], { name });
  expect(hostOf(of("old"), of("new"), entry("10.77.0.3", [], { name: null }))?.name).toBe("new");
});

test("fields that a later entry for an address lacks are taken from the earlier entry", () => {
  const withAddress = (values: object) => {
    const host = entry("10.77.0.3");
    return { ...host, ip_addresses: host.ip_addresses.map((one) => ({ ...one, ...values })) };
  };
  const mac_address = "02:00:5E:00:00:01";
  const first = withAddress({ mac_address, name: "eth0" });
  expect(hostOf(first, withAddress({ name: null }))?.addresses).toMatchObject([
    { ip_address: "10.77.0.3", mac_address, name: "eth0" },
  ]);
  expect(hostOf(first, withAddress({ name: "br0" }))?.addresses).toMatchObject([
    { mac_address, name: "br0" },
  ]);
});

test("a container's runner still refers to the right service after the services of several entries are merged", () => {
  const [engine, web] = [crypto.randomUUID(), crypto.randomUUID()];
  const details = { container_name: "web", service_id: engine };
  const complete = {
    ...entry("10.77.0.3"),
    services: [
      { id: web, name: "web", virtualization: { type: "Docker", details } },
      { id: engine, name: "Docker" },
    ],
  };
  const services = hostOf(entry("10.77.0.3", [80]), complete)?.services;
  expect(services?.map(({ name, runner }) => [name, runner])).toEqual([
    ["Unclaimed Open Ports", null],
    ["web", 2],
    ["Docker", null],
  ]);
});

test("merging thousands of entries for a host with many addresses processes each address once", () => {
  const often = Array.from({ length: 5000 }, () => ({ host: { id } }));
  const addresses = Array.from({ length: 256 }, (_, number) => ({
    id: crypto.randomUUID(),
    ip_address: `fe80::${number.toString(16)}`,
  }));
  const timeOf = (ip_addresses: object[]) => {
    const before = performance.now();
    expect(hostOf({ host: { id }, ip_addresses }, ...often)?.addresses).toHaveLength(
      ip_addresses.length,
    );
    return performance.now() - before;
  };
  timeOf(addresses);
  // Merging the entries one by one would take about a hundred times as long.
  expect(timeOf(addresses)).toBeLessThan(10 * Math.max(timeOf([]), 20));
});

test("the limits for a host apply to all of its entries combined, and the excess is dropped", () => {
  const entries = Array.from({ length: 4 }, (_, round) => {
    const ports = Array.from({ length: 600 }, (_, number) => ({
      id: crypto.randomUUID(),
      number: 1 + round * 600 + number,
      protocol: "Tcp",
    }));
    return {
      host: { id },
      ip_addresses: Array.from({ length: 200 }, (_, number) => ({
        id: crypto.randomUUID(),
        ip_address: `10.${round}.0.${number}`,
      })),
      ports,
      services: ports.map((port) => ({
        name: `service ${port.number}`,
        bindings: [{ type: "Port", port_id: port.id }],
      })),
    };
  });
  const report = convert(network, { hosts: entries });
  expect(report).toMatchObject({ leftOut: 1, refused: { hosts: [] }, isWhole: true });
  const [host] = report.hosts;
  expect([host?.addresses.length, host?.ports.length, host?.services.length]).toEqual([
    reportLimits.addressesPerHost,
    reportLimits.portsPerHost,
    reportLimits.servicesPerHost,
  ]);
  // The latest addresses are kept, and bindings do not refer to dropped ports.
  expect(host?.addresses[0]?.ip_address).toBe("10.3.0.0");
  const numbers = host?.services.flatMap(({ bindings }) =>
    bindings.map((binding) => (binding.type === "Port" ? binding.port.number : 0)),
  );
  expect(numbers).toEqual(Array.from({ length: reportLimits.portsPerHost }, (_, one) => one + 1));
});

test("repeated identical entries count only once toward the limits, and nothing is dropped", () => {
  const ports = Array.from({ length: reportLimits.portsPerHost }, (_, number) => number + 1);
  const full = entry("10.77.0.3", ports);
  const report = convert(network, { hosts: [full, full, full] });
  expect(report.leftOut).toBe(0);
  expect(report.hosts[0]?.services.map(({ bindings }) => bindings.length)).toEqual([1000]);
});
