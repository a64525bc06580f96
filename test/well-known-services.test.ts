import { expect, test } from "vitest";
import { portTypes } from "../src/discovery/well-known-ports.ts";
import { wellKnownService, wellKnownSpelling } from "../src/discovery/well-known-services.ts";

test.each([
  [22, "Tcp", "SSH"],
  [53, "Udp", "DNS Server"],
  [53, "Tcp", "DNS Server"],
  [80, "Tcp", "HTTP"],
  [161, "Udp", "SNMP"],
  [443, "Tcp", "HTTPS"],
  [445, "Tcp", "Samba"],
  [502, "Tcp", "Modbus"],
  [631, "Tcp", "Print Server"],
  [1433, "Tcp", "Microsoft SQL Server"],
  [4840, "Tcp", "OPC UA"],
  [8443, "Tcp", "HTTPS"],
  [44818, "Tcp", "EtherNet/IP"],
  [51820, "Udp", "WireGuard"],
  [161, "Tcp", null],
  [8444, "Tcp", null],
] as const)("the well-known service on port %i/%s is %s", (number, protocol, name) => {
  expect(wellKnownService(number, protocol)).toBe(name);
});

test.each([
  ["Snmp", "SNMP"],
  ["snmp", "SNMP"],
  ["DnsUdp", "DNS Server"],
  ["dns server", "DNS Server"],
  ["Ssh", "SSH"],
  ["Http8080", "HTTP"],
  ["mysql", "MySQL"],
  ["SAMBA", "Samba"],
])("the service name %s is normalized to %s", (name, spelled) => {
  expect(wellKnownSpelling(name)).toBe(spelled);
});

test.each(["domain", "OpenSSH", "nginx", "Snmp agent", "printer", "", "constructor"])(
  "a name that is not well known is unchanged: %j",
  (name) => {
    expect(wellKnownSpelling(name)).toBe(name);
  },
);

test("a normalized name is unchanged", () => {
  for (const type of portTypes) {
    const name = wellKnownSpelling(type);
    expect(wellKnownSpelling(name)).toBe(name);
  }
});
