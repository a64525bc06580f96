import { expect, test } from "vitest";
import { importBody, readImport } from "../../src/imports/input.ts";
import { readNmap } from "../../src/imports/nmap/nmap.ts";
import { reportOf } from "../../src/imports/to-report.ts";
import { report } from "./nmap/reading.ts";

const ofJson = (...hosts: object[]) => reportOf(importBody.parse({ hosts })).hosts;
const ofNmap = (text: string) =>
  reportOf(readImport.parse(readNmap(new TextEncoder().encode(text)))).hosts;

const addresses = [{ ip_address: "10.0.0.1" }];
const port = (number: number, service: object | null = null) => ({
  number,
  protocol: "Tcp",
  service,
});
const servicesOf = (...services: (object | null)[]) =>
  ofJson({ addresses, ports: services.map((service, at) => port(at + 1, service)) })[0]?.services;

test("the operating system and services of a JSON import are not guesses", () => {
  const service = { name: "web", definition: "nginx", version: " nginx 1.24.0 " };
  const [host] = ofJson({ addresses, operating_system: "Debian 12", ports: [port(80, service)] });
  expect(host).toMatchObject({
    operating_system: "Debian 12",
    is_operating_system_guessed: false,
    addresses: [{ ip_address: "10.0.0.1", mac_address: null, name: null }],
    services: [
      {
        name: "web",
        definition: "nginx",
        version: "nginx 1.24.0",
        is_guess: false,
        is_of_port: false,
        virtualization: null,
        runner: null,
      },
    ],
  });
  expect(ofJson({ addresses })).toMatchObject([{ operating_system: null }]);
  expect(servicesOf({ name: "web" })).toMatchObject([{ definition: "web", version: null }]);
});

test("the service for unclaimed ports is not treated as a guess, and is not tied to its ports", () => {
  const unclaimed = { definition: "Unclaimed Open Ports", is_guess: false, is_of_port: false };
  expect(servicesOf(null)).toMatchObject([unclaimed]);
  expect(ofNmap(report("lan"))[0]?.services).toEqual(
    expect.arrayContaining([expect.objectContaining(unclaimed)]),
  );
});

test.each([
  [{ name: "Snmp" }, { name: "SNMP", definition: "SNMP" }],
  [{ name: "DnsUdp" }, { name: "DNS Server", definition: "DNS Server" }],
  [
    { name: "my dns", definition: "dns server" },
    { name: "my dns", definition: "DNS Server" },
  ],
  [
    { name: "ssh", definition: "OpenSSH" },
    { name: "SSH", definition: "OpenSSH" },
  ],
  [{ name: "printer" }, { name: "printer", definition: "printer" }],
])("a JSON import keeps the names of services, except well-known ones: %j", (sent, reported) => {
  expect(servicesOf(sent)).toMatchObject([reported]);
});

test("a service that nmap probed is not a guess, but one named after its port is", () => {
  const [host] = ofNmap(report("probed"));
  expect(host).toMatchObject({
    operating_system: "Linux 5.0 - 5.2",
    is_operating_system_guessed: true,
  });
  expect(
    host?.services.map(({ definition, version, is_guess, is_of_port }) => ({
      definition,
      version,
      is_guess,
      is_of_port,
    })),
  ).toEqual([
    {
      definition: "OpenSSH",
      version: "OpenSSH 9.2p1 Debian 2+deb12u2",
      is_guess: false,
      is_of_port: true,
    },
    { definition: "PostgreSQL", version: null, is_guess: true, is_of_port: true },
    { definition: "nginx", version: "nginx 1.24.0", is_guess: false, is_of_port: true },
    { definition: "HTTPS", version: null, is_guess: true, is_of_port: true },
  ]);
});

test.each(["is_guess", "is_of_port"])("a JSON import cannot set %s", (field) => {
  const ports = [port(80, { name: "web", [field]: true })];
  const { failed } = reportOf(importBody.parse({ hosts: [{ addresses, ports }] }));
  expect(failed).toMatchObject([{ issues: [{ path: `hosts[0].ports[0].service.${field}` }] }]);
});

test.each([
  ["operating_system", { operating_system: "x".repeat(256) }],
  ["ports[0].service.version", { ports: [port(80, { name: "x", version: "x".repeat(256) })] }],
])("truncates a %s of more than 255 characters, and reports an issue", (path, fields) => {
  const { hosts, failed } = reportOf(
    importBody.parse({ hosts: [{ addresses, ...fields }, { addresses }] }),
  );
  expect(failed).toEqual([]);
  expect(hosts.map(({ issues }) => issues?.map((issue) => issue.path))).toEqual([
    [`hosts[0].${path}`],
    [],
  ]);
  expect(JSON.stringify(hosts[0])).toMatch(/"x{255}"/);
});
