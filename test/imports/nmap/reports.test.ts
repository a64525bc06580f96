import { describe, expect, test } from "vitest";
import { guessed, probed, read, report, reports } from "./reading.ts";

const source = { name: "nmap", version: "7.93" };
const observed_at = "2026-04-22T16:00:40.000Z";
const host = {
  name: "web.example",
  hostname: "web.example",
  operating_system: null,
  is_operating_system_guessed: true,
  addresses: [{ ip_address: "192.0.2.10", mac_address: null }],
};
const known = (number: number, name: string, protocol = "Tcp") => ({
  number,
  protocol,
  service: guessed(name),
});
const tcp = (from: number, to = from) => ({ protocol: "Tcp", from, to });
const udp = (from: number, to = from) => ({ protocol: "Udp", from, to });

describe("an nmap report", () => {
  test("with -sV and -O has the names of probed services, and names the other services after their ports", () => {
    expect(read(report("probed"))).toEqual({
      source,
      observed_at,
      hosts: [
        {
          ...host,
          operating_system: "Linux 5.0 - 5.2",
          ports: [
            {
              number: 2222,
              protocol: "Tcp",
              service: probed("SSH", "OpenSSH", "OpenSSH 9.2p1 Debian 2+deb12u2"),
            },
            known(5432, "PostgreSQL"),
            { number: 8080, protocol: "Tcp", service: probed("HTTP", "nginx", "nginx 1.24.0") },
            known(8443, "HTTPS"),
          ],
          scanned_ports: [tcp(2222), tcp(5432), tcp(8080, 8081), tcp(8443)],
        },
      ],
    });
  });

  test("from a connect scan lists a host once even if it was scanned twice, and includes a host without open ports", () => {
    const scanned_ports = [tcp(8080, 8082)];
    expect(read(report("connect")).hosts).toEqual([
      { ...host, ports: [known(8080, "HTTP")], scanned_ports },
      {
        ...host,
        name: "192.0.2.20",
        hostname: null,
        addresses: [{ ip_address: "192.0.2.20", mac_address: null }],
        ports: [],
        scanned_ports,
      },
    ]);
  });

  test("with -6 has IPv6 addresses", () => {
    const addresses = [{ ip_address: "2001:db8::10", mac_address: null }];
    expect(read(report("ipv6")).hosts).toEqual([
      {
        ...host,
        name: "2001:db8::10",
        hostname: null,
        addresses,
        ports: [known(8080, "HTTP")],
        scanned_ports: [tcp(8080, 8082)],
      },
    ]);
  });

  test("with -sU has scanned UDP ports, and open|filtered is not treated as open", () => {
    expect(report("udp")).toContain('state="open|filtered"');
    expect(read(report("udp")).hosts).toEqual([
      { ...host, ports: [], scanned_ports: [udp(123), udp(12301, 12302)] },
    ]);
  });

  test.each([
    ["-sn has no scanned ports", "ping"],
    ["-sA has no scanned ports, because an ACK scan does not determine open ports", "ack"],
    ["-sO has no scanned ports, because it lists protocols", "protocols"],
    ["--host-timeout has no scanned ports for a host that timed out", "timed-out"],
  ])("with %s", (_, name) => {
    expect(read(report(name)).hosts).toEqual([{ ...host, ports: [], scanned_ports: [] }]);
  });

  test("with -sL has no hosts, because none were scanned", () => {
    expect(read(report("list"))).toEqual({ source, observed_at, hosts: [] });
  });

  test("from a scan with scripts is read without their output", () => {
    expect(read(report("script")).hosts).toEqual([
      { ...host, ports: [known(8080, "HTTP")], scanned_ports: [tcp(8080)] },
    ]);
  });

  test("on a local network has MAC addresses, prefers DNS names, and omits hosts that are down", () => {
    const decided = [tcp(80), tcp(443), tcp(993), udp(53)];
    expect(read(report("lan")).hosts).toEqual([
      {
        ...host,
        name: "storage.example",
        hostname: "storage.example",
        addresses: [{ ip_address: "192.0.2.40", mac_address: "00:00:5E:00:53:40" }],
        ports: [
          {
            number: 80,
            protocol: "Tcp",
            service: probed("HTTP", "Café <Server>", "Café <Server> 1.0"),
          },
          { number: 443, protocol: "Tcp", service: probed("HTTPS", "nginx") },
          { number: 993, protocol: "Tcp", service: null },
          { number: 53, protocol: "Udp", service: probed("DNS Server") },
        ],
        scanned_ports: decided,
      },
      {
        ...host,
        name: "fe80::200:5eff:fe00:5342",
        hostname: null,
        addresses: [
          { ip_address: "fe80::200:5eff:fe00:5342%eth0", mac_address: "00:00:5E:00:53:42" },
        ],
        ports: [],
        scanned_ports: [tcp(22), ...decided],
      },
    ]);
  });

  test("with -Pn has only hosts with a responding port", () => {
    const { hosts } = read(report("no-ping"));
    expect(hosts.map(({ name }) => name)).toEqual(["192.0.2.50", "192.0.2.51"]);
    expect(hosts.map(({ ports }) => ports)).toEqual([[known(22, "SSH")], []]);
  });
});

test("merges masscan's per-port elements into hosts, without scanned ports", () => {
  const hostOf = (address: string, ports: unknown[]) => ({
    ...host,
    name: address,
    hostname: null,
    addresses: [{ ip_address: address, mac_address: null }],
    ports,
    scanned_ports: [],
  });
  expect(read(report("masscan"))).toEqual({
    source: { name: "masscan", version: "1.0-BETA" },
    observed_at,
    hosts: [
      hostOf("192.0.2.10", [known(443, "HTTPS"), known(80, "HTTP")]),
      hostOf("192.0.2.20", [known(22, "SSH")]),
      hostOf("2001:db8::30", [known(53, "DNS Server", "Udp")]),
    ],
  });
});

test("all hosts share one array of scanned ports, so that 5,000 hosts use as little memory as one", () => {
  const [first, second] = read(report("connect")).hosts;
  expect(first?.scanned_ports).toBe(second?.scanned_ports);
});

test("no report contains details of the machine that created it", () => {
  expect(Object.keys(reports).length).toBeGreaterThan(10);
  for (const text of Object.values(reports)) {
    expect(text).not.toMatch(/127\.0\.0\.|localhost|x86_64|\/usr\/|\/tmp\//);
  }
});
