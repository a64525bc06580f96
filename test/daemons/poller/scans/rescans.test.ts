import { expect, test } from "vitest";
import { recordConsole } from "../../../helpers/console.ts";
import { sql } from "../../../helpers/database.ts";
import {
  answered,
  raiseScanner,
  type Scanner,
  wireHost,
  wireProgress,
  wireSubnet,
} from "../../../helpers/protocol.ts";
import { recordIn } from "../../../helpers/records.ts";
import { bound, isSettled, scan } from "../../../helpers/scans.ts";
import { sessionRow } from "../../../helpers/sessions.ts";

const cidr = "10.77.0.0/24";

/** A daemon that is attached to a subnet. */
async function raiseAttached(): Promise<Scanner> {
  const scanner = await raiseScanner();
  const status = { ready_for_work: true, version: "0.16.2", interfaced_subnets: [{ cidr }] };
  await scanner.behave({ status: answered(status) });
  return scanner;
}

/** The id of the host that has an address in the scanner's network. */
async function hostAt({ networkId }: Scanner, address: string): Promise<string> {
  const [row] = await sql`select live_host_id as id from ip_addresses
    where network_id = ${networkId} and address = ${address} and valid_to is null`;
  return String(row?.["id"]);
}

/** Requests a rescan of the host at an address, and returns its id. */
async function request(scanner: Scanner, address: string): Promise<string> {
  const host = await hostAt(scanner, address);
  const key = scanner.organization.keys.member;
  const answer = await scanner.poller.send("POST", `/api/v1/hosts/${host}/rescan`, { key });
  return recordIn(answer, 201).id;
}

interface Reported {
  hosts: unknown[];
  subnets?: unknown[];
  last?: unknown[];
}

/** Runs a complete rescan of the host at an address. Returns its id. */
async function rescan(
  scanner: Scanner,
  address: string,
  { hosts, subnets = [], last = [] }: Reported,
): Promise<string> {
  const session = await request(scanner, address);
  await scanner.report({});
  await scanner.visit();
  await scanner.report({ progress: wireProgress(session, "Scanning", 50), hosts, subnets });
  await scanner.visit();
  await scanner.report({ progress: wireProgress(session, "Complete", 100), hosts: last });
  await scanner.visit();
  return session;
}

/** All versions and sightings in the scanner's network, except those of the host at an address. */
async function elsewhere(scanner: Scanner, address: string) {
  const host = await hostAt(scanner, address);
  const { networkId } = scanner;
  return [
    await sql`select to_jsonb(host) from hosts as host
      where network_id = ${networkId} and lineage_id <> (
        select lineage_id from hosts where current_id = ${host}) order by id`,
    await sql`select to_jsonb(address) from ip_addresses as address
      where network_id = ${networkId} and host_id <> ${host} order by id`,
    await sql`select to_jsonb(port) from ports as port
      where network_id = ${networkId} and host_id <> ${host} order by id`,
    await sql`select to_jsonb(service) from services as service
      where network_id = ${networkId} and host_id <> ${host} order by id`,
    await sql`select to_jsonb(subnet) from subnets as subnet
      where network_id = ${networkId} order by id`,
  ];
}

test("a rescan is sent as a light scan of all subnets that the daemon is attached to", async () => {
  const scanner = await raiseAttached();
  await scan(scanner, { hosts: [wireHost(scanner.networkId, "10.77.0.3", [80])] });
  const session = await request(scanner, "10.77.0.3");
  await scanner.report({});
  await scanner.visit();
  expect((await scanner.got("discovery/initiate")).at(-1)).toMatchObject({
    session_id: session,
    discovery_type: {
      type: "Unified",
      subnet_ids: null,
      scan_settings: { is_full_scan: false },
    },
  });
});

test("a rescan stores the changes of its host, and ends only this host's bindings", async () => {
  const scanner = await raiseAttached();
  const { networkId } = scanner;
  const found = ["10.77.0.3", "10.77.0.4"].map((address) =>
    wireHost(networkId, address, [80, 443]),
  );
  await scan(scanner, { hosts: found });
  const before = await elsewhere(scanner, "10.77.0.3");
  const session = await rescan(scanner, "10.77.0.3", {
    hosts: [
      wireHost(networkId, "10.77.0.3", [443, 8080], { hostname: "attic" }),
      wireHost(networkId, "10.77.0.4", [443, 8080], { hostname: "cellar" }),
      wireHost(networkId, "10.77.0.5", [22]),
    ],
  });
  expect(await isSettled(session)).toBe(true);
  expect(await sessionRow(session)).toMatchObject({
    phase: "Complete",
    host_id: await hostAt(scanner, "10.77.0.3"),
  });
  expect(await bound(scanner)).toEqual({ "10.77.0.3": [443, 8080], "10.77.0.4": [80, 443] });
  expect(
    await sql`select hostname, last_discovery_id from hosts
      where current_id = ${await hostAt(scanner, "10.77.0.3")}`,
  ).toEqual([{ hostname: "attic", last_discovery_id: session }]);
  expect(await elsewhere(scanner, "10.77.0.3")).toEqual(before);
});

test("hosts that a rescan ignores are confirmed unchanged, and count as progress", async () => {
  const scanner = await raiseAttached();
  const { networkId } = scanner;
  await scan(scanner, { hosts: [wireHost(networkId, "10.77.0.3", [80])] });
  const session = await request(scanner, "10.77.0.3");
  await scanner.report({});
  await scanner.visit();
  await sql`update discovery_sessions set moved_at = now() - interval '4 minutes' where id = ${session}`;
  const ignored = wireHost(networkId, "10.77.0.5", [22]);
  await scanner.report({ progress: wireProgress(session, "Starting"), hosts: [ignored] });
  const logged = recordConsole();
  await scanner.visit();
  expect((await scanner.confirmed()).hosts).toMatchObject([
    [ignored.host.id, { id: ignored.host.id, name: "10.77.0.5" }],
  ]);
  expect(
    await sql`select moved_at > now() - interval '1 minute' as "hasMoved"
      from discovery_sessions where id = ${session}`,
  ).toEqual([{ hasMoved: true }]);
  const [line] = logged()
    .split("\n")
    .filter((one) => one.includes('"event":"visit"'));
  expect(JSON.parse(line ?? "null")).toMatchObject({
    hosts: 0,
    ignored: 1,
    failed: 0,
    not_stored: [],
  });
});

test("a rescan creates no subnet, and confirms stored subnets with their ids", async () => {
  const scanner = await raiseAttached();
  const { networkId } = scanner;
  const known = wireSubnet(networkId, cidr);
  await scanner.report({ subnets: [known] });
  await scanner.visit();
  await scan(scanner, { hosts: [wireHost(networkId, "10.77.0.3", [80])] });
  const subnets = () => sql`select to_jsonb(subnet) from subnets as subnet
    where network_id = ${networkId} order by id`;
  const before = await subnets();
  const session = await request(scanner, "10.77.0.3");
  await scanner.report({});
  await scanner.visit();
  const again = wireSubnet(networkId, cidr);
  const other = wireSubnet(networkId, "10.78.0.0/24");
  await scanner.report({
    progress: wireProgress(session, "Scanning", 5),
    subnets: [again, other],
    hosts: [wireHost(networkId, "10.77.0.3", [80])],
  });
  await scanner.visit();
  expect(await subnets()).toEqual(before);
  const [stored] = await sql`select id from subnets where network_id = ${networkId}`;
  expect((await scanner.confirmed()).subnets).toMatchObject([
    [again.id, { id: stored?.["id"] }],
    [other.id, { id: other.id }],
  ]);
});

test("a rescan matches its host by MAC address, and stores its new address", async () => {
  const scanner = await raiseAttached();
  const { networkId } = scanner;
  const at = (address: string, mac_address: string) => {
    const host = wireHost(networkId, address, [80]);
    return { ...host, ip_addresses: host.ip_addresses.map((one) => ({ ...one, mac_address })) };
  };
  await scan(scanner, { hosts: [at("10.77.0.3", "02:00:5E:00:00:03")] });
  const host = await hostAt(scanner, "10.77.0.3");
  await rescan(scanner, "10.77.0.3", {
    hosts: [at("10.77.0.9", "02:00:5E:00:00:03"), at("10.77.0.4", "02:00:5E:00:00:04")],
  });
  expect(await hostAt(scanner, "10.77.0.9")).toBe(host);
  expect(
    await sql`select from ip_addresses where network_id = ${networkId} and address = '10.77.0.4'`,
  ).toEqual([]);
});

test("a rescanned host does not take an address from another host", async () => {
  const scanner = await raiseAttached();
  const { networkId } = scanner;
  const at = (addresses: readonly [string, string][]) => {
    const host = wireHost(networkId, "10.77.0.3", [80]);
    return {
      ...host,
      ip_addresses: host.ip_addresses.flatMap((one) =>
        addresses.map(([ip_address, mac_address], position) => ({
          ...one,
          id: crypto.randomUUID(),
          ip_address,
          mac_address,
          position,
        })),
      ),
    };
  };
  const [own, other] = ["02:00:5E:00:00:03", "02:00:5E:00:00:04"];
  await scan(scanner, {
    hosts: [
      at([["10.77.0.3", own ?? ""]]),
      at([
        ["10.77.0.4", other ?? ""],
        ["10.77.0.5", other ?? ""],
      ]),
    ],
  });
  const [first, second] = [await hostAt(scanner, "10.77.0.3"), await hostAt(scanner, "10.77.0.4")];
  const reported = () => [
    at([
      ["10.77.0.3", own ?? ""],
      ["10.77.0.4", own ?? ""],
    ]),
    at([["10.77.0.5", other ?? ""]]),
  ];
  await rescan(scanner, "10.77.0.3", { hosts: reported() });
  expect(await hostAt(scanner, "10.77.0.4")).toBe(second);
  // A scan of the network moves the address.
  await scan(scanner, { hosts: reported() });
  expect(await hostAt(scanner, "10.77.0.4")).toBe(first);
});

test("a rescan that does not find its host ends nothing", async () => {
  const scanner = await raiseAttached();
  const { networkId } = scanner;
  await scan(scanner, { hosts: [wireHost(networkId, "10.77.0.3", [80])] });
  const session = await rescan(scanner, "10.77.0.3", {
    hosts: [wireHost(networkId, "10.77.0.4", [80])],
  });
  expect(await isSettled(session)).toBe(true);
  expect(await bound(scanner)).toEqual({ "10.77.0.3": [80] });
});

test("a rescan does not end bindings that only a full scan sees", async () => {
  const scanner = await raiseAttached();
  const { networkId } = scanner;
  const full = { is_full_scan: true };
  await scan(scanner, { hosts: [wireHost(networkId, "10.77.0.3", [54321])] }, full);
  await rescan(scanner, "10.77.0.3", { hosts: [wireHost(networkId, "10.77.0.3")] });
  expect(await bound(scanner)).toEqual({ "10.77.0.3": [54321] });
});

test("hosts that a rescan ignores are not gaps, which could keep bindings from ending", async () => {
  const scanner = await raiseAttached();
  const { networkId } = scanner;
  await scan(scanner, { hosts: [wireHost(networkId, "10.77.0.3", [80])] });
  const session = await request(scanner, "10.77.0.3");
  await scanner.report({});
  await scanner.visit();
  const gapsAfter = async (...hosts: unknown[]) => {
    await scanner.report({ progress: wireProgress(session, "Scanning", 50), hosts });
    await scanner.visit();
    return sql`select addresses from app.scan_gaps where session_id = ${session}`;
  };
  const own = wireHost(networkId, "10.77.0.3");
  expect(await gapsAfter(own, wireHost(networkId, "10.77.0.4", [80]))).toEqual([]);
  // Hosts that contradict each other are gaps, even in a rescan.
  const twins = [80, 443].map((port) => wireHost(networkId, "10.77.0.4", [port]));
  expect(await gapsAfter(own, ...twins)).toEqual([{ addresses: ["10.77.0.4"] }]);
});

test("a scan of the network after a rescan stores all hosts again", async () => {
  const scanner = await raiseAttached();
  const { networkId } = scanner;
  await scan(scanner, { hosts: [wireHost(networkId, "10.77.0.3", [80])] });
  await rescan(scanner, "10.77.0.3", { hosts: [wireHost(networkId, "10.77.0.3", [80])] });
  await scan(scanner, { hosts: [wireHost(networkId, "10.77.0.4", [22])] });
  expect(await bound(scanner)).toEqual({ "10.77.0.3": [80], "10.77.0.4": [22] });
});

test("a rescan waits for the daemon's running scan, whose report is not limited to one host", async () => {
  const scanner = await raiseAttached();
  const { networkId } = scanner;
  await scan(scanner, { hosts: [wireHost(networkId, "10.77.0.3", [80])] });
  const { id, organization } = scanner;
  const key = organization.keys.member;
  const path = `/api/v1/daemons/${id}/scan`;
  const running = recordIn(await scanner.poller.send("POST", path, { key, json: {} }), 201).id;
  const waiting = await request(scanner, "10.77.0.3");
  await scanner.report({});
  await scanner.visit();
  await scanner.report({
    progress: wireProgress(running, "Scanning", 50),
    hosts: [wireHost(networkId, "10.77.0.4", [22])],
  });
  await scanner.visit();
  expect(await sessionRow(waiting)).toMatchObject({ phase: "Queued" });
  expect(await bound(scanner)).toMatchObject({ "10.77.0.4": [22] });
});

test("rescans do not count for the choice between full and light scans", async () => {
  const scanner = await raiseAttached();
  const { networkId } = scanner;
  const hosts = [wireHost(networkId, "10.77.0.3", [80])];
  const first = await scan(scanner, { hosts }, {});
  await rescan(scanner, "10.77.0.3", { hosts: [] });
  await rescan(scanner, "10.77.0.3", { hosts: [] });
  const second = await scan(scanner, { hosts: [] }, {});
  expect([await sessionRow(first), await sessionRow(second)]).toMatchObject([
    { is_full_scan: true },
    { is_full_scan: false },
  ]);
});

test("a waiting rescan fails if its host is deleted, and the daemon's next scan starts", async () => {
  const scanner = await raiseAttached();
  const { networkId, organization } = scanner;
  await scan(scanner, { hosts: [wireHost(networkId, "10.77.0.3", [80])] });
  const host = await hostAt(scanner, "10.77.0.3");
  const session = await request(scanner, "10.77.0.3");
  const key = organization.keys.member;
  await scanner.poller.send("DELETE", `/api/v1/hosts/${host}`, { key });
  await scanner.report({});
  await scanner.visit();
  const read = await scanner.poller.send("GET", `/api/v1/discovery/sessions/${session}`, { key });
  expect(recordIn(read)).toMatchObject({
    phase: "Failed",
    error: "host_deleted",
    host_id: host,
    finished_at: expect.any(String),
  });
  expect(await scanner.got("discovery/initiate")).toHaveLength(1);
  const next = await scan(scanner, { hosts: [] });
  expect(await sessionRow(next)).toMatchObject({ phase: "Complete" });
});

test("a running rescan whose host is deleted stores nothing, and completes", async () => {
  const scanner = await raiseAttached();
  const { networkId, organization } = scanner;
  await scan(scanner, { hosts: [wireHost(networkId, "10.77.0.3", [80])] });
  const host = await hostAt(scanner, "10.77.0.3");
  const session = await request(scanner, "10.77.0.3");
  await scanner.report({});
  await scanner.visit();
  const key = organization.keys.member;
  await scanner.poller.send("DELETE", `/api/v1/hosts/${host}`, { key });
  const found = wireHost(networkId, "10.77.0.3", [80]);
  await scanner.report({ progress: wireProgress(session, "Complete", 100), hosts: [found] });
  await scanner.visit();
  await scanner.report({});
  await scanner.visit();
  expect(await sessionRow(session)).toMatchObject({ phase: "Complete", host_id: host });
  expect(await bound(scanner)).toEqual({});
});
