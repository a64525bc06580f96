import { describe, expect, test } from "vitest";
import { maxHosts } from "../../../src/imports/nmap/nmap.ts";
import { maxJudgedRanges, maxRanges } from "../../../src/imports/nmap/scanned-ports.ts";
import { guessed, hostOf, probed, read, refusal, report, reportOf } from "./reading.ts";

const port = (number: string, service = "", state = "open", protocol = "tcp") =>
  `<port protocol="${protocol}" portid="${number}"><state state="${state}"/>${service}</port>`;
const portsOf = (...ports: string[]) =>
  read(reportOf(hostOf("192.0.2.1", `<ports>${ports.join("")}</ports>`))).hosts[0]?.ports;
const scannedOf = (scaninfo: string, ...states: string[]) =>
  read(
    reportOf(
      `${scaninfo}${hostOf("192.0.2.1", `<ports>${states.join("") || closed(99_999)}</ports>`)}`,
    ),
  ).hosts[0]?.scanned_ports;
const closed = (count: number, reasons = "") => group("closed", count, reasons);
const group = (state: string, count: number, reasons = "") =>
  `<extraports state="${state}" count="${count}">${reasons}</extraports>`;
const reason = (count: number, proto = "", ports = "") =>
  `<extrareasons reason="x" count="${count}"${proto && ` proto="${proto}"`}${ports && ` ports="${ports}"`}/>`;
const scaninfo = (services: string, type = "syn", protocol = "tcp") =>
  `<scaninfo type="${type}" protocol="${protocol}" services="${services}"/>`;

describe("the ports in a report", () => {
  test.each(["closed", "filtered", "unfiltered", "open|filtered", "closed|filtered", "OPEN", ""])(
    "are omitted in state %j",
    (state) => {
      expect(portsOf(port("80", "", state))).toEqual([]);
    },
  );

  test("include TCP and UDP only", () => {
    const ports = portsOf(
      port("1"),
      port("65535", "", "open", "udp"),
      port("80", "", "open", "sctp"),
      port("6", "", "open", "ip"),
      port("99999", "", "open", "ip"),
    );
    expect(ports).toEqual([
      { number: 1, protocol: "Tcp", service: null },
      { number: 65_535, protocol: "Udp", service: null },
    ]);
  });

  test.each([
    ["0", 0],
    ["65536", 65_536],
    ["-1", "-1"],
    ["8O", "8O"],
    ["", ""],
    ["1.5", "1.5"],
    [" 80", " 80"],
    ["0x50", "0x50"],
    ["000080", "000080"],
  ])("keep the invalid number %j for the issue", (written, number) => {
    expect(portsOf(port(written))).toEqual([{ number, protocol: "Tcp", service: null }]);
  });

  test("keep a probed service when the port is repeated without one", () => {
    const element = '<service name="http" product="nginx" method="probed"/>';
    expect(portsOf(port("80"), port("80", element), port("80"))).toEqual([
      { number: 80, protocol: "Tcp", service: probed("HTTP", "nginx") },
    ]);
  });

  test.each([
    ["a table's name", '<service name="http-proxy" method="table"/>'],
    ["a banner's name", '<service name="http" banner="x"/>'],
    ["an unrecognized probe", '<service name="unknown" method="probed"/>'],
    ["a connection that closed immediately", '<service name="tcpwrapped" method="probed"/>'],
    ["an empty name", '<service name=" " product="x" method="probed"/>'],
  ])("are named after their numbers instead of %s", (_, service) => {
    expect(portsOf(port("443", service), port("444", service))).toEqual([
      { number: 443, protocol: "Tcp", service: guessed("HTTPS") },
      { number: 444, protocol: "Tcp", service: null },
    ]);
  });

  test("have strings truncated to an import's maximum length", () => {
    const service = (length: number) =>
      `<service name="${"n".repeat(length)}" product="${"p".repeat(length + 155)}" method="probed"/>`;
    const [longest, cut] = portsOf(port("1", service(100)), port("2", service(101))) ?? [];
    expect(longest?.service).toEqual(probed("n".repeat(100), "p".repeat(255)));
    expect(cut?.service).toEqual(probed(`${"n".repeat(99)}…`, `${"p".repeat(254)}…`));
  });
});

describe("the services in a report", () => {
  const serviceOf = (attributes: string) =>
    portsOf(port("1", `<service ${attributes} method="probed"/>`))?.[0]?.service;

  test.each([
    ["ssh", "SSH"],
    ["domain", "DNS Server"],
    ["snmp", "SNMP"],
    ["http", "HTTP"],
    ["https", "HTTPS"],
    ["http-proxy", "HTTP"],
    ["microsoft-ds", "Samba"],
    ["ms-wbt-server", "Remote Desktop"],
    ["ldap", "Open LDAP"],
    ["postgresql", "PostgreSQL"],
    ["imap", "imap"],
  ])("have their usual spelling: %s is %s", (name, spelled) => {
    expect(serviceOf(`name="${name}"`)).toEqual(probed(spelled));
    expect(serviceOf(`name="${name}" product="X"`)).toEqual(probed(spelled, "X"));
  });

  test.each([
    ["http", "HTTPS"],
    ["https", "HTTPS"],
    ["ldap", "Open LDAP"],
    ["imap", "ssl/imap"],
  ])("have the same name or a separate name inside TLS: %s is %s", (name, spelled) => {
    expect(serviceOf(`name="${name}" tunnel="ssl" product="X"`)).toEqual(probed(spelled, "X"));
  });

  test.each([
    ['product="nginx" version="1.24.0"', "nginx 1.24.0"],
    ['product="nginx"', null],
    ['product="nginx" version=" "', null],
    ['version="2-4"', "2-4"],
  ])("get their version from %s", (attributes, version) => {
    expect(serviceOf(`name="x" ${attributes}`)).toMatchObject({ version });
  });

  test("have versions truncated to an import's maximum length", () => {
    const longest = "v".repeat(253);
    expect(serviceOf(`name="x" product="p" version="${longest}"`)?.version).toBe(`p ${longest}`);
    expect(serviceOf(`name="x" product="p" version="${longest}v"`)?.version).toBe(
      `p ${"v".repeat(252)}…`,
    );
  });
});

describe("a host's operating system", () => {
  const match = (name: string, accuracy: string) =>
    `<os><osmatch name="${name}" accuracy="${accuracy}"/></os>`;
  const systemOf = (...matches: string[]) =>
    read(reportOf(hostOf("192.0.2.1", matches.join("")))).hosts[0]?.operating_system;

  test("is the first of the most accurate matches, and is marked as a guess", () => {
    expect(systemOf(match("A", "90"), match("B", "97"), match("C", "97"), match("D", "9"))).toBe(
      "B",
    );
    expect(read(reportOf(hostOf("192.0.2.1", match("A", "90")))).hosts).toMatchObject([
      { operating_system: "A", is_operating_system_guessed: true },
    ]);
  });

  test("is null without a match, and does not require an accuracy", () => {
    expect(systemOf("<os/>")).toBeNull();
    expect(systemOf(match(" ", "100"))).toBeNull();
    expect(systemOf(match("A", "x"), match("B", "-1"))).toBe("A");
  });

  test("can be in any of a host's elements", () => {
    const element = hostOf("192.0.2.1", match("A", "95"));
    expect(read(reportOf(hostOf("192.0.2.1", match("B", "90")) + element)).hosts).toMatchObject([
      { operating_system: "A" },
    ]);
  });

  test("has at most 255 characters", () => {
    expect(systemOf(match("s".repeat(256), "100"))).toBe(`${"s".repeat(254)}…`);
  });
});

describe("the scanned ports in a report", () => {
  test("are sorted and unique, without port 0", () => {
    const info = scaninfo("100-200,1-10,11,150-300,0,65535") + scaninfo("0-53", "udp", "udp");
    expect(scannedOf(info)).toEqual([
      { protocol: "Tcp", from: 1, to: 11 },
      { protocol: "Tcp", from: 100, to: 300 },
      { protocol: "Tcp", from: 65_535, to: 65_535 },
      { protocol: "Udp", from: 1, to: 53 },
    ]);
  });

  test.each(["syn", "connect"])("include a %s scan", (type) => {
    expect(scannedOf(scaninfo("80", type))).toEqual([{ protocol: "Tcp", from: 80, to: 80 }]);
  });

  test.each(["ack", "window", "fin", "null", "xmas", "maimon", "ipproto"])(
    "exclude those of a %s scan, which does not determine open ports",
    (type) => {
      expect(scannedOf(scaninfo("80", type))).toEqual([]);
    },
  );

  test("exclude SCTP ports", () => {
    expect(scannedOf(scaninfo("80", "sctpinit", "sctp"))).toEqual([]);
  });

  test.each(["1-2-3", "2-1", "a", "1,,2", "-5", "1-65536", "1;2"])("reject the list %j", (list) => {
    expect(refusal(reportOf(`\n${scaninfo(list)}`))).toMatchObject({ line: 2 });
  });

  test("have at most the maximum number of ranges", () => {
    const every = (count: number) => scaninfo(Array(count).fill("7").join(","));
    const half = every(maxRanges / 2);
    expect(scannedOf(half + half)).toHaveLength(1);
    expect(refusal(reportOf(half + half + scaninfo("8"))).problem).toContain("65536 ranges");
    expect(refusal(reportOf(every(maxRanges + 1))).problem).toContain("65536 ranges");
  });

  const scan = scaninfo("1-5") + scaninfo("53-55", "udp", "udp");
  const tcp = (from: number, to = from) => ({ protocol: "Tcp", from, to });
  const udp = (from: number, to = from) => ({ protocol: "Udp", from, to });
  const silent = ["filtered", "open|filtered", "closed|filtered", "unfiltered", "unknown", ""];

  test.each(silent)("exclude listed ports in state %j", (state) => {
    const named = [port("2", "", state), port("54", "", state, "udp")];
    expect(scannedOf(scan, ...named, closed(6))).toEqual([tcp(1), tcp(3, 5), udp(53), udp(55)]);
  });

  test.each(silent)("exclude ports in state %j that a group lists by protocol", (state) => {
    const listed = group(state, 5, reason(3, "tcp", "1-2,5") + reason(2, "udp", "53-54"));
    expect(scannedOf(scan, listed, closed(3))).toEqual([tcp(3, 4), udp(55)]);
  });

  test.each(silent)(
    "include only individually listed ports if a group in state %j does not list its ports",
    (state) => {
      const named = [port("2"), port("3", "", "closed"), port("4", "", state)];
      const expected = [tcp(2, 3)];
      expect(scannedOf(scan, ...named, group(state, 5))).toEqual(expected);
      expect(scannedOf(scan, ...named, group(state, 2), closed(3))).toEqual(expected);
      expect(scannedOf(scan, ...named, group(state, 2, reason(2)), closed(3))).toEqual(expected);
    },
  );

  test("include all ports of a protocol without a silent group", () => {
    const silentUdp = group("open|filtered", 3, reason(3, "udp"));
    expect(scannedOf(scan, silentUdp, closed(5, reason(5, "tcp", "1-5")))).toEqual([tcp(1, 5)]);
    expect(scannedOf(scan, silentUdp, closed(5))).toEqual([]);
  });

  test("exclude ports that the report neither lists nor counts", () => {
    expect(scannedOf(scan, port("2"), port("53", "", "closed", "udp"), closed(1))).toEqual([
      tcp(2),
      udp(53),
    ]);
    expect(scannedOf(scan, port("2"), closed(6))).toEqual([tcp(2)]);
    expect(scannedOf(scan, port("2"), closed(7))).toEqual([tcp(1, 5), udp(53, 55)]);
    expect(scannedOf(scan, port("2"), '<extraports state="closed"/>')).toEqual([tcp(2)]);
  });

  test("exclude a group with an invalid list", () => {
    for (const list of ["1,,2", "a", "9-1", "1-99999", Array(5000).fill("1").join()]) {
      const listed = group("filtered", 1, reason(1, "tcp", list));
      expect(scannedOf(scan, port("2"), listed, closed(4, reason(4, "tcp")))).toEqual([tcp(2)]);
    }
  });

  test("include all ports except the silent ones if the report has no groups", () => {
    expect(scannedOf(scan, port("2"), port("3", "", "filtered"))).toEqual([
      tcp(1, 2),
      tcp(4, 5),
      udp(53, 55),
    ]);
  });

  test("combine all of a host's elements, which may differ in detail", () => {
    const element = (...ports: string[]) => hostOf("192.0.2.1", `<ports>${ports.join("")}</ports>`);
    const [host] = read(
      reportOf(
        scan + element(port("2", "", "filtered"), closed(1)) + element(port("2", "", "closed")),
      ),
    ).hosts;
    expect(host?.scanned_ports).toEqual([tcp(2)]);
  });

  test("are a shared list for hosts with the same port states, and are limited in total", () => {
    const info = scaninfo(Array.from({ length: 1000 }, (_, at) => at * 2 + 1).join());
    const element = (at: number, silentPort: number) =>
      hostOf(
        `10.0.${at >> 8}.${at & 255}`,
        `<ports>${port(String(silentPort), "", "filtered")}${closed(999)}</ports>`,
      );
    const { hosts } = read(
      reportOf(
        info +
          Array.from({ length: 600 }, (_, at) => element(at, at * 2 + 1)).join("") +
          element(700, 1),
      ),
    );
    expect(hosts[0]?.scanned_ports).toHaveLength(999);
    expect(hosts.at(-1)?.scanned_ports).toBe(hosts[0]?.scanned_ports);
    const ranges = hosts.reduce((sum, host) => sum + host.scanned_ports.length, 0);
    expect(ranges).toBeLessThanOrEqual(maxJudgedRanges);
    expect(ranges).toBeGreaterThan(maxJudgedRanges / 2);
    expect(hosts[599]?.scanned_ports).toEqual([]);
  });

  test("are empty for a host that timed out, although it lists open ports", () => {
    const host = hostOf("192.0.2.1", `<ports>${port("80")}</ports>`);
    const timedOut = host.replace("<host>", '<host timedout="true">');
    const [seen] = read(reportOf(scaninfo("80") + timedOut)).hosts;
    expect(seen).toMatchObject({ ports: [{ number: 80 }], scanned_ports: [] });
  });

  test("are empty for a host without a list of ports", () => {
    const [host] = read(reportOf(scaninfo("80") + hostOf("192.0.2.1"))).hosts;
    expect(host?.scanned_ports).toEqual([]);
  });
});

describe("the hosts in a report", () => {
  test("are limited to 5,000 hosts that are up, without duplicates", () => {
    const hosts = Array.from({ length: maxHosts }, (_, index) =>
      hostOf(`10.0.${index >> 8}.${index & 255}`),
    ).join("");
    const down = '<host><status state="down"/><address addr="10.9.9.9" addrtype="ipv4"/></host>';
    expect(read(reportOf(hosts + down + hostOf("10.0.0.0"))).hosts).toHaveLength(maxHosts);
    expect(refusal(reportOf(hosts + hostOf("10.9.9.9")))).toEqual({
      line: 1,
      problem: "there are more than 5000 hosts. Send several reports.",
    });
  });

  test.each(["down", "unknown", "skipped", ""])("exclude hosts in state %j", (state) => {
    const host = `<host><status state="${state}"/><address addr="192.0.2.1" addrtype="ipv4"/><ports>${port("80")}</ports></host>`;
    expect(read(reportOf(host)).hosts).toEqual([]);
  });

  test("have all their addresses, and the MAC address of the scanned one", () => {
    const more =
      '<address addr="02:00:00:00:00:01" addrtype="mac"/><address addr="fe80::1%eth0" addrtype="ipv6"/><address addr="fe80::1%eth1" addrtype="ipv6"/>';
    expect(read(reportOf(hostOf("192.0.2.1", more))).hosts[0]?.addresses).toEqual([
      { ip_address: "192.0.2.1", mac_address: "02:00:00:00:00:01" },
      { ip_address: "fe80::1%eth0", mac_address: null },
      { ip_address: "fe80::1%eth1", mac_address: null },
    ]);
  });

  test("stay separate when the same link-local address has two MAC addresses", () => {
    const element = (mac: string) => hostOf("fe80::1", `<address addr="${mac}" addrtype="mac"/>`);
    const text = element("02:00:00:00:00:01") + element("02:00:00:00:00:02");
    expect(read(reportOf(text + text)).hosts).toHaveLength(2);
  });

  test("stay separate when the same address has two zones", () => {
    const hosts = read(reportOf(hostOf("fe80::1%eth0") + hostOf("fe80::1%eth1"))).hosts;
    expect(hosts.map(({ name }) => name)).toEqual(["fe80::1", "fe80::1"]);
  });

  test("stay separate without an address", () => {
    const nameless = '<host><status state="up"/></host>';
    expect(read(reportOf(nameless + nameless)).hosts).toEqual(
      Array(2).fill({
        name: null,
        hostname: null,
        operating_system: null,
        is_operating_system_guessed: true,
        addresses: [],
        ports: [],
        scanned_ports: [],
      }),
    );
  });

  test.each([
    [100, 100],
    [101, null],
    [256, null],
  ])("have a hostname of %i characters as their name only if it fits", (length, nameLength) => {
    const hostname = "h".repeat(length);
    const element = `<hostnames><hostname name="${hostname}" type="PTR"/></hostnames>`;
    const [host] = read(reportOf(hostOf("192.0.2.1", element))).hosts;
    expect(host?.hostname).toBe(hostname);
    expect(host?.name).toBe(nameLength === length ? hostname : "192.0.2.1");
  });

  test("exclude the hints that nmap writes during a scan", () => {
    const hint = hostOf("192.0.2.1").replaceAll("host>", "hosthint>");
    expect(read(reportOf(hint)).hosts).toEqual([]);
  });

  test("are not read from elements with the same names elsewhere", () => {
    const elsewhere = `<hostscript><script id="x"><ports>${port("80")}</ports><status state="down"/></script></hostscript>`;
    expect(read(reportOf(hostOf("192.0.2.1", elsewhere))).hosts).toMatchObject([{ ports: [] }]);
  });
});

describe("an incomplete report", () => {
  test("is rejected if an error stopped the scan", () => {
    expect(refusal(report("error"))).toEqual({
      line: 1,
      problem:
        "the scan ended with an error (Found no matches for the service mask 'foo%' and your specified protocols). Scan again.",
    });
  });

  test("is rejected if it lacks the final element that scanners write", () => {
    expect(refusal(`<nmaprun>\n${hostOf("192.0.2.1")}\n</nmaprun>`)).toEqual({
      line: 3,
      problem: "<finished> is missing. Send the complete file after the scan has ended.",
    });
  });

  test("is rejected if it is another document", () => {
    expect(refusal('<?xml version="1.0"?>\n<report/>')).toEqual({
      line: 2,
      problem: "the root element is <report>, not <nmaprun>. Send the output of nmap -oX.",
    });
  });
});

describe("the time of a report", () => {
  const timeOf = (start: string, end: string) =>
    read(`<nmaprun ${start}><runstats><finished ${end}/></runstats></nmaprun>`).observed_at;

  test.each([
    ["the end of the scan", 'start="1"', 'time="2"', "1970-01-01T00:00:02.000Z"],
    ["otherwise its start", 'start="1"', 'time="soon"', "1970-01-01T00:00:01.000Z"],
    ["otherwise null", "", "", null],
    ["null if invalid", 'start="99999999999"', 'time="-1"', null],
  ])("is %s", (_, start, end, time) => {
    expect(timeOf(start, end)).toBe(time);
  });
});
