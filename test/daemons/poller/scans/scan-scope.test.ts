import { expect, test } from "vitest";
import { sql } from "../../../helpers/database.ts";
import { mintCredential, mintSubnet } from "../../../helpers/organization.ts";
import {
  answered,
  raiseScanner,
  type Scanner,
  wireHost,
  wireProgress,
} from "../../../helpers/protocol.ts";
import { recordIn } from "../../../helpers/records.ts";
import { assignCredential, bound, isSettled, scan } from "../../../helpers/scans.ts";
import { mintSession, sessionRow } from "../../../helpers/sessions.ts";

const ip = "10.77.0.3";
const other = "10.77.0.4";
const light = { is_full_scan: false };
const full = { is_full_scan: true };

/** The ports that a light scan probes only with an SNMP credential. */
const [agent, subagents] = [161, 199];

/** Creates an unassigned SNMP credential. Returns its id. */
const mintSnmp = ({ organization }: Scanner) =>
  mintCredential(organization.id, {
    settings: { type: "SnmpV2c", community: { mode: "FilePath", path: "/run/community" } },
  });

/** Runs a scan that finds the host with these ports. */
const finding = (
  scanner: Scanner,
  ports: readonly number[],
  requested: { is_full_scan: boolean } = light,
) => scan(scanner, { hosts: [wireHost(scanner.networkId, ip, ports)] }, requested);

const hostAt = async ({ organization }: Scanner, address: string): Promise<string> => {
  const [row] = await sql`select live_host_id as id from ip_addresses
    where organization_id = ${organization.id} and address = ${address}::inet and valid_to is null`;
  return String(row?.["id"]);
};

const deleteCredential = (id: string) => sql`delete from credentials where id = ${id}`;

const sweep = async (session: string) => {
  await sql.transaction([
    sql`set local session_replication_role = replica`,
    sql`update discovery_sessions set finished_at = now() - interval '91 days' where id = ${session}`,
  ]);
  await sql`select app.sweep_discovery_sessions(1000)`;
  expect(await sql`select from discovery_sessions where id = ${session}`).toEqual([]);
};

test("ports revealed by a host's deleted credential are kept, and all others end", async () => {
  const scanner = await raiseScanner();
  await finding(scanner, [80]);
  const snmp = await mintSnmp(scanner);
  await assignCredential(scanner.organization.id, snmp, { host_id: await hostAt(scanner, ip) });
  await finding(scanner, [80, agent, subagents]);
  await deleteCredential(snmp);
  const session = await finding(scanner, []);
  expect(await isSettled(session)).toBe(true);
  expect(await bound(scanner)).toEqual({ [ip]: [agent, subagents] });
});

test("ports revealed by a network's deleted credential are kept, and ports found without it end", async () => {
  const scanner = await raiseScanner();
  const snmp = await mintSnmp(scanner);
  await assignCredential(scanner.organization.id, snmp, { network_id: scanner.networkId });
  await finding(scanner, [80, 161]);
  await deleteCredential(snmp);
  // The scan finds port 80 again, so port 80 was last found without the credential.
  await finding(scanner, [80]);
  await finding(scanner, []);
  expect(await bound(scanner)).toEqual({ [ip]: [161] });
});

test("a closed port ends once the credential is assigned again", async () => {
  const scanner = await raiseScanner();
  const { organization, networkId } = scanner;
  await finding(scanner, [80]);
  const snmp = await mintSnmp(scanner);
  const assign = async () =>
    assignCredential(organization.id, snmp, { host_id: await hostAt(scanner, ip) });
  await assign();
  await finding(scanner, [80, agent, subagents]);
  await sql`delete from credential_hosts where credential_id = ${snmp}`;
  await finding(scanner, [80]);
  expect(await bound(scanner)).toEqual({ [ip]: [80, agent, subagents] });
  // An assignment to another host does not affect this one.
  await scan(scanner, { hosts: [wireHost(networkId, other), wireHost(networkId, ip, [80])] });
  await assignCredential(organization.id, snmp, { host_id: await hostAt(scanner, other) });
  await finding(scanner, [80]);
  expect(await bound(scanner)).toEqual({ [ip]: [80, agent, subagents], [other]: [] });
  await assign();
  await finding(scanner, [80, agent]);
  expect(await bound(scanner)).toEqual({ [ip]: [80, agent], [other]: [] });
});

test("a credential of the network covers each host, however it was previously assigned", async () => {
  const scanner = await raiseScanner();
  await finding(scanner, [80]);
  const snmp = await mintSnmp(scanner);
  const toHost = { host_id: await hostAt(scanner, ip) };
  await assignCredential(scanner.organization.id, snmp, toHost);
  await finding(scanner, [80, agent, subagents]);
  await sql`delete from credential_hosts where credential_id = ${snmp}`;
  await assignCredential(scanner.organization.id, snmp, { network_id: scanner.networkId });
  await finding(scanner, [80, agent]);
  expect(await bound(scanner)).toEqual({ [ip]: [80, agent] });
  await sql`delete from credential_networks where credential_id = ${snmp}`;
  await assignCredential(scanner.organization.id, snmp, toHost);
  await finding(scanner, [80]);
  expect(await bound(scanner)).toEqual({ [ip]: [80] });
});

test("a credential for some of a host's addresses does not cover its other addresses", async () => {
  const scanner = await raiseScanner();
  const { organization, networkId } = scanner;
  const both = (ports: number[]) => {
    const host = wireHost(networkId, ip, ports);
    const second = { id: crypto.randomUUID(), ip_address: other };
    return { hosts: [{ ...host, ip_addresses: [...host.ip_addresses, second] }] };
  };
  await scan(scanner, both([80]));
  const snmp = await mintSnmp(scanner);
  const host_id = await hostAt(scanner, ip);
  await assignCredential(organization.id, snmp, { host_id });
  await scan(scanner, both([80, agent]));
  await sql`delete from credential_hosts where credential_id = ${snmp}`;
  const addresses = await sql`select id from ip_addresses
    where organization_id = ${organization.id} and address = ${ip}::inet and valid_to is null`;
  await assignCredential(organization.id, snmp, {
    host_id,
    addresses: addresses.map(({ id }) => String(id)),
  });
  await scan(scanner, both([80]));
  expect(await bound(scanner)).toMatchObject({ [ip]: [80, agent] });
});

test("a host whose address changed is identified by its id", async () => {
  const scanner = await raiseScanner();
  const { organization, networkId } = scanner;
  const mac_address = "02:00:5e:10:00:01";
  const at = (address: string, ports: number[]) => {
    const host = wireHost(networkId, address, ports);
    return {
      hosts: [{ ...host, ip_addresses: host.ip_addresses.map((one) => ({ ...one, mac_address })) }],
    };
  };
  await scan(scanner, at(ip, [80]));
  const snmp = await mintSnmp(scanner);
  const host_id = await hostAt(scanner, ip);
  await assignCredential(organization.id, snmp, { host_id });
  await scan(scanner, at(ip, [80, agent]));
  await scan(scanner, at(other, [80]));
  await sql`delete from ip_addresses where organization_id = ${organization.id}
    and address = ${ip}::inet and valid_to is null`;
  // The binding was deleted with its address. A binding to all addresses is kept.
  expect(await hostAt(scanner, other)).toBe(host_id);
  await sql`update bindings set ip_address_id = null
    where organization_id = ${organization.id} and valid_to is null and ip_address_id is not null`;
  await scan(scanner, at(other, [80, subagents]));
  await deleteCredential(snmp);
  await scan(scanner, at(other, [80]));
  expect(await bound(scanner)).toEqual({ [other]: [80, subagents] });
});

test("a credential that the daemon's version does not support is not considered sent", async () => {
  const scanner = await raiseScanner();
  const community = { mode: "FilePath", path: "/run/community" };
  const snmp = await mintCredential(scanner.organization.id, {
    settings: { type: "SnmpV1", community },
  });
  await assignCredential(scanner.organization.id, snmp, { network_id: scanner.networkId });
  const become = (version: string) =>
    scanner.behave({ status: answered({ version, ready_for_work: true }) });
  await become("0.17.0");
  await finding(scanner, [80, 161]);
  await become("0.16.2");
  await finding(scanner, [80]);
  expect(await bound(scanner)).toEqual({ [ip]: [80, 161] });
  await become("0.17.0");
  await finding(scanner, [80]);
  expect(await bound(scanner)).toEqual({ [ip]: [80] });
});

test("a light scan does not end a port that a full scan found, but a full scan does", async () => {
  const scanner = await raiseScanner();
  await finding(scanner, [80, 1024], full);
  await finding(scanner, [80], light);
  expect(await bound(scanner)).toEqual({ [ip]: [80, 1024] });
  // A light scan can close a port that was last found by a light scan.
  await finding(scanner, [], light);
  expect(await bound(scanner)).toEqual({ [ip]: [1024] });
  await finding(scanner, [], full);
  expect(await bound(scanner)).toEqual({ [ip]: [] });
});

test.each([
  ["light", "light", light, light],
  ["full", "light", light, full],
  ["full", "full", full, full],
])(
  "a %s scan ends a port that it did not find but that a %s scan had found",
  async (_, __, first, second) => {
    const scanner = await raiseScanner();
    await finding(scanner, [80, 1024], first);
    await finding(scanner, [80], second);
    expect(await bound(scanner)).toEqual({ [ip]: [80] });
  },
);

test("ports reported before the first scan are treated as if a light scan without credentials had found them", async () => {
  const scanner = await raiseScanner();
  await scanner.report({ hosts: [wireHost(scanner.networkId, ip, [80, 8080])] });
  await scanner.visit();
  await finding(scanner, [80]);
  expect(await bound(scanner)).toEqual({ [ip]: [80] });
});

test("of four scans without is_full_scan, the first and the last are full", async () => {
  const scanner = await raiseScanner();
  const { organization, id, poller } = scanner;
  for (const is_full_scan of [true, false, false, true, false]) {
    const requested = await poller.send("POST", `/api/v1/daemons/${id}/scan`, {
      key: organization.keys.member,
      json: {},
    });
    const session = recordIn(requested, 201);
    expect(session).toMatchObject({ is_full_scan: null });
    await scanner.report({});
    await scanner.visit();
    expect((await scanner.got("discovery/initiate")).at(-1)).toMatchObject({
      session_id: session.id,
      discovery_type: { scan_settings: { is_full_scan } },
    });
    const read = await poller.send("GET", `/api/v1/discovery/sessions/${session.id}`, {
      key: organization.keys.viewer,
    });
    expect(recordIn(read)).toMatchObject({ is_full_scan });
    await scanner.report({ progress: wireProgress(session.id, "Complete", 100) });
    await scanner.visit();
  }
});

/** Runs a scan to completion. Returns whether it was full, and whether the daemon accepted it. */
const scanned = async (
  scanner: Scanner,
  values: Parameters<typeof mintSession>[3] = {},
  phase: "Complete" | "Failed" | "Cancelled" = "Complete",
) => {
  const { organization, networkId, id } = scanner;
  const session = await mintSession(organization.id, networkId, id, values);
  await scanner.report({});
  await scanner.visit();
  const { is_full_scan, initiated_at } = await sessionRow(session);
  await scanner.report({ progress: wireProgress(session, phase, 3) });
  await scanner.visit();
  return [is_full_scan, initiated_at !== null];
};

test("later scans take a requested full scan into account, but not one that the daemon rejected", async () => {
  const scanner = await raiseScanner();
  await scanner.behave({ "discovery/initiate": { kind: "answer", status: 422 } });
  expect(await scanned(scanner, {}, "Failed")).toEqual([true, false]);
  await scanner.behave({ "discovery/initiate": { kind: "answer", status: 200, body: healthy } });
  expect(await scanned(scanner, light)).toEqual([false, true]);
  expect(await scanned(scanner)).toEqual([true, true]);
  expect(await scanned(scanner)).toEqual([false, true]);
  expect(await scanned(scanner, full)).toEqual([true, true]);
  expect(await scanned(scanner)).toEqual([false, true]);
  expect(await scanned(scanner)).toEqual([false, true]);
  expect(await scanned(scanner)).toEqual([true, true]);
});

test("after a failed full scan, only the next scan is light; after a cancelled full scan, the next one is full", async () => {
  const scanner = await raiseScanner();
  expect(await scanned(scanner, {}, "Cancelled")).toEqual([true, true]);
  expect(await scanned(scanner, {}, "Failed")).toEqual([true, true]);
  expect(await scanned(scanner)).toEqual([false, true]);
  expect(await scanned(scanner)).toEqual([true, true]);
  expect(await scanned(scanner)).toEqual([false, true]);
});

test("a scan of only some subnets, whether full or light, does not affect the mode of later scans", async () => {
  const scanner = await raiseScanner();
  const { organization, networkId } = scanner;
  const some = { subnet_ids: [await mintSubnet(organization.id, networkId)] };
  expect(await scanned(scanner, some)).toEqual([true, true]);
  expect(await scanned(scanner)).toEqual([true, true]);
  expect(await scanned(scanner, { ...light, ...some })).toEqual([false, true]);
  expect(await scanned(scanner, { ...light, ...some })).toEqual([false, true]);
  expect(await scanned(scanner)).toEqual([false, true]);
  expect(await scanned(scanner)).toEqual([false, true]);
  expect(await scanned(scanner)).toEqual([true, true]);
});

const healthy = JSON.stringify({ success: true, data: {} });

test("a scan that the daemon accepted keeps its mode and is considered sent, even if the response was lost", async () => {
  const scanner = await raiseScanner();
  const { organization, networkId, id } = scanner;
  await scanner.behave({ "discovery/initiate": { kind: "answer", status: 503 } });
  const session = await mintSession(organization.id, networkId, id);
  await scanner.visit();
  const credential = await mintSnmp(scanner);
  await assignCredential(organization.id, credential, { network_id: networkId });
  await scanner.visit();
  const requests = await scanner.got("discovery/initiate");
  expect(requests).toMatchObject([1, 2].map(() => ({ session_id: session })));
  expect(await sessionRow(session)).toMatchObject({ is_full_scan: true, initiated_at: null });
  const host = wireHost(networkId, ip, [80, agent]);
  // A full scan probes all TCP ports, regardless of its credentials.
  const ports = host.ports.map((port) => ({
    ...port,
    protocol: port.number === 80 ? "Tcp" : "Udp",
  }));
  const hosts = [{ ...host, ports }];
  await scanner.report({ progress: wireProgress(session, "Scanning", 50), hosts });
  await scanner.visit();
  expect(await sessionRow(session)).toMatchObject({ initiated_at: expect.any(String) });
  await scanner.report({ progress: wireProgress(session, "Complete", 100) });
  await scanner.visit();
  await scanner.behave({ "discovery/initiate": { kind: "answer", status: 200, body: healthy } });
  // The scan may have run with or without the credential.
  await deleteCredential(credential);
  await finding(scanner, [80], full);
  expect(await bound(scanner)).toEqual({ [ip]: [80, agent] });
});

/**
 * Creates a scan that the daemon accepts, although its response is lost. The next attempt finds the
 * daemon busy.
 */
async function handOverTwice(scanner: Scanner, between: () => Promise<unknown>): Promise<string> {
  const { organization, networkId, id } = scanner;
  const session = await mintSession(organization.id, networkId, id, light);
  await scanner.behave({ "discovery/initiate": { kind: "answer", status: 503 } });
  await scanner.report({});
  await scanner.visit();
  await between();
  await scanner.behave({ "discovery/initiate": { kind: "answer", status: 409 } });
  await scanner.visit();
  await scanner.behave({ "discovery/initiate": { kind: "answer", status: 200, body: healthy } });
  return session;
}

test.each([
  ["assigned", false],
  ["removed", true],
])(
  "ports revealed by a credential are kept if the credential was %s between two attempts to start a scan",
  async (_, isFirst) => {
    const scanner = await raiseScanner();
    const { organization, networkId } = scanner;
    const snmp = await mintSnmp(scanner);
    const assign = () => assignCredential(organization.id, snmp, { network_id: networkId });
    const unassign = () => sql`delete from credential_networks where credential_id = ${snmp}`;
    await assign();
    await finding(scanner, [80, subagents]);
    if (!isFirst) {
      await unassign();
    }
    const session = await handOverTwice(scanner, isFirst ? unassign : assign);
    const hosts = [wireHost(networkId, ip, [80, agent, 9000])];
    await scanner.report({ progress: wireProgress(session, "Scanning", 50), hosts });
    await scanner.visit();
    await scanner.report({ progress: wireProgress(session, "Complete", 100) });
    await scanner.visit();
    expect(await isSettled(session)).toBe(true);
    expect(await bound(scanner)).toEqual({ [ip]: [80, agent, subagents, 9000] });
    // It is unknown whether this scan had the credential, so ports that the credential may have
    // revealed are kept. All other ports are closed.
    if (isFirst) {
      await assign();
    }
    await finding(scanner, [80]);
    expect(await bound(scanner)).toEqual({ [ip]: [80, agent] });
  },
);

test("a scan that was sent twice with the same credentials ends ports that it did not find", async () => {
  const scanner = await raiseScanner();
  const { networkId } = scanner;
  await finding(scanner, [80, 8080]);
  const session = await handOverTwice(scanner, async () => {});
  const hosts = [wireHost(networkId, ip, [80])];
  await scanner.report({ progress: wireProgress(session, "Complete", 100), hosts });
  await scanner.visit();
  await scanner.report({});
  await scanner.visit();
  expect(await isSettled(session)).toBe(true);
  expect(await bound(scanner)).toEqual({ [ip]: [80] });
});

test.each([
  ["secret", { type: "SnmpV2c", community: { mode: "Inline", value: "wrong" } }],
  ["type", { type: "SnmpV1", community: { mode: "Inline", value: "public" } }],
  ["place", { type: "SnmpV2c", community: { mode: "FilePath", path: "/run/community" } }],
])("ports revealed by a credential are kept once its %s has changed", async (_, changed) => {
  const scanner = await raiseScanner();
  const { organization, networkId, poller } = scanner;
  await scanner.behave({ status: answered({ version: "0.17.0", ready_for_work: true }) });
  const body = (name: string, credential_type: object, hosts: readonly string[] = []) => ({
    key: organization.keys.owner,
    json: {
      name,
      organization_id: organization.id,
      tags: [],
      assigned_network_ids: [networkId],
      host_assignments: hosts.map((host_id) => ({ host_id })),
      credential_type,
    },
  });
  const original = { type: "SnmpV2c", community: { mode: "Inline", value: "public" } };
  const { id } = recordIn(
    await poller.send("POST", "/api/v1/credentials", body("one", original)),
    201,
  );
  const put = async (...sent: Parameters<typeof body>) =>
    recordIn(await poller.send("PUT", `/api/v1/credentials/${id}`, body(...sent)));
  await finding(scanner, [80, 161, 199]);
  // Changing its name or hosts does not change what the credential reveals.
  const masked = { type: "SnmpV2c", community: { mode: "Inline", value: "********" } };
  await put("other", masked, [await hostAt(scanner, ip)]);
  await finding(scanner, [80, 161]);
  expect(await bound(scanner)).toEqual({ [ip]: [80, 161] });
  await put("other", changed);
  await finding(scanner, [80]);
  expect(await bound(scanner)).toEqual({ [ip]: [80, 161] });
  // Ports that were found with the changed credential do end.
  await finding(scanner, [80, 161]);
  await finding(scanner, [80]);
  expect(await bound(scanner)).toEqual({ [ip]: [80] });
});

test("a scan ends ports that it did not find even if another daemon saw the host in the meantime, but not that daemon's ports", async () => {
  const one = await raiseScanner();
  const two = await raiseScanner({}, one.organization);
  await finding(one, [80, 8080]);
  await finding(two, [80, 22]);
  const { id, organization, networkId } = one;
  const session = await mintSession(organization.id, networkId, id, light);
  await one.report({});
  await one.visit();
  await one.report({
    progress: wireProgress(session, "Scanning", 50),
    hosts: [wireHost(networkId, ip, [80])],
  });
  await one.visit();
  await finding(two, [80, 22]);
  await one.report({ progress: wireProgress(session, "Complete", 100) });
  await one.visit();
  expect(await isSettled(session)).toBe(true);
  expect(await bound(one)).toEqual({ [ip]: [22, 80] });
  await finding(two, [80]);
  expect(await bound(one)).toEqual({ [ip]: [80] });
  expect(await sql`select from app.scan_hosts where organization_id = ${organization.id}`).toEqual(
    [],
  );
});

test("a scan that stalls does not end anything, and a later scan can end ports that it found", async () => {
  const scanner = await raiseScanner();
  const { organization, networkId, id } = scanner;
  await finding(scanner, [80, 8080]);
  const killed = await mintSession(organization.id, networkId, id, light);
  await scanner.report({});
  await scanner.visit();
  await scanner.report({
    progress: wireProgress(killed, "Scanning", 12),
    hosts: [wireHost(networkId, ip, [80])],
  });
  await scanner.visit();
  await sql`update discovery_sessions set moved_at = now() - interval '6 minutes' where id = ${killed}`;
  await scanner.report({});
  await scanner.visit();
  expect(await sessionRow(killed)).toMatchObject({ phase: "Failed", settled_at: null });
  expect(await bound(scanner)).toEqual({ [ip]: [80, 8080] });
  expect(await sql`select from app.scan_hosts where session_id = ${killed}`).toEqual([]);
  await finding(scanner, []);
  expect(await bound(scanner)).toEqual({ [ip]: [] });
});

test("a scan's scope is kept after the scan is deleted, and is deleted with its daemon", async () => {
  const scanner = await raiseScanner();
  const first = await finding(scanner, [80, 1024], full);
  await sweep(first);
  await finding(scanner, [80], light);
  expect(await bound(scanner)).toEqual({ [ip]: [80, 1024] });
  await finding(scanner, [80], full);
  expect(await bound(scanner)).toEqual({ [ip]: [80] });
  const kept = () => sql`select
    (select count(*)::int from app.handed_scans where daemon_id = ${scanner.id}) as scans,
    (select count(*)::int from app.scan_scopes where daemon_id = ${scanner.id}) as scopes`;
  // Scans with the same scope share one row.
  await finding(scanner, [80], full);
  expect(await kept()).toEqual([{ scans: 4, scopes: 2 }]);
  await sql`delete from daemons where id = ${scanner.id}`;
  expect(await kept()).toEqual([{ scans: 0, scopes: 0 }]);
});

test("ports found by another daemon are kept, even after that daemon's scans are deleted", async () => {
  const one = await raiseScanner();
  const two = await raiseScanner({}, one.organization);
  await finding(one, [80]);
  await sweep(await finding(two, [80, 8080]));
  await finding(one, [80], full);
  expect(await bound(one)).toEqual({ [ip]: [80, 8080] });
});

test("the latest 100 scopes of a daemon are stored, and ports found by a scan without a scope are not ended", async () => {
  const scanner = await raiseScanner();
  const first = await finding(scanner, [80, 8080]);
  await sql`
    insert into app.scan_scopes (organization_id, daemon_id, is_full, credentials, digest, used_at)
    select organization_id, daemon_id, false, '{}', sha256(number::text::bytea), now() + interval '1 hour'
    from app.scan_scopes, generate_series(1, 100) as number where daemon_id = ${scanner.id}`;
  await finding(scanner, [80], full);
  expect(
    await sql`select count(*)::int from app.scan_scopes where daemon_id = ${scanner.id}`,
  ).toEqual([{ count: 100 }]);
  expect(await sql`select from app.handed_scans where session_id = ${first}`).toEqual([]);
  expect(await bound(scanner)).toEqual({ [ip]: [80, 8080] });
});

test("a scan does not close a port that was found by a later scan from the same daemon", async () => {
  const scanner = await raiseScanner();
  const { organization, networkId } = scanner;
  await finding(scanner, [80]);
  const early = await scan(scanner, {
    hosts: [wireHost(networkId, ip, [80])],
    // The scan cannot be settled while this host is waiting to be confirmed.
    last: [wireHost(networkId, other)],
  });
  expect(await isSettled(early)).toBe(false);
  await sql`update bindings set last_discovery_id = ${await later(scanner)}
    where organization_id = ${organization.id} and valid_to is null and first_discovery_id is not null`;
  await scanner.report({});
  await scanner.visit();
  expect(await isSettled(early)).toBe(true);
  expect(await bound(scanner)).toMatchObject({ [ip]: [80] });
});

/** Records a scan that started after all other scans. */
async function later({ organization, id }: Scanner): Promise<string> {
  const session = crypto.randomUUID();
  await sql`
    insert into app.handed_scans (organization_id, daemon_id, session_id, started_at, scope_id)
    select organization_id, daemon_id, ${session}, now() + interval '1 minute', scope_id
    from app.handed_scans where organization_id = ${organization.id} and daemon_id = ${id} limit 1`;
  return session;
}

test("a scan without a stored scope does not end anything, and ports that it found are not ended", async () => {
  const scanner = await raiseScanner();
  const first = await finding(scanner, [80, 8080]);
  await sql`delete from app.handed_scans where session_id = ${first}`;
  await finding(scanner, [80], full);
  expect(await bound(scanner)).toEqual({ [ip]: [80, 8080] });
  const { organization, networkId, id } = scanner;
  const session = await mintSession(organization.id, networkId, id, full);
  await scanner.report({});
  await scanner.visit();
  await sql`delete from app.handed_scans where session_id = ${session}`;
  await scanner.report({
    progress: wireProgress(session, "Complete", 100),
    hosts: [wireHost(networkId, ip)],
  });
  await scanner.visit();
  await scanner.report({});
  await scanner.visit();
  expect(await isSettled(session)).toBe(true);
  expect(await bound(scanner)).toEqual({ [ip]: [80, 8080] });
});

test.each([
  ["merges with a service of the other host", "Unclaimed Open Ports"],
  ["moves to the other host", "Docker"],
])(
  "after a consolidation in which the service %s, each binding still depends on the host on which it was found",
  async (_, definition) => {
    const scanner = await raiseScanner();
    const { organization, networkId, poller } = scanner;
    const going = (ports: number[]) => {
      const host = wireHost(networkId, other, ports);
      return {
        ...host,
        services: host.services.map((service) => ({
          ...service,
          name: definition,
          service_definition: definition,
        })),
      };
    };
    await scan(scanner, { hosts: [wireHost(networkId, ip, [80]), going([90])] });
    const [into, gone] = [await hostAt(scanner, ip), await hostAt(scanner, other)];
    const snmp = await mintSnmp(scanner);
    await assignCredential(organization.id, snmp, { host_id: gone });
    await scan(scanner, {
      hosts: [wireHost(networkId, ip, [80, 81]), going([90, agent])],
    });
    const session = await mintSession(organization.id, networkId, scanner.id, light);
    await scanner.report({});
    await scanner.visit();
    await scanner.report({
      progress: wireProgress(session, "Scanning", 50),
      hosts: [wireHost(networkId, ip, [80])],
    });
    await scanner.visit();
    // The other host did not respond this time, so its state is unknown.
    const answer = await poller.send("PUT", `/api/v1/hosts/${into}/consolidate/${gone}`, {
      key: organization.keys.owner,
    });
    expect(answer).toMatchObject({ status: 200 });
    await scanner.report({ progress: wireProgress(session, "Complete", 100) });
    await scanner.visit();
    await scanner.report({});
    await scanner.visit();
    expect(await isSettled(session)).toBe(true);
    expect((await bound(scanner))[ip]).toEqual([80, 90, agent]);
    // Without the consolidated host's credential, the binding that was found with it is kept,
    // although the host's id has changed.
    await deleteCredential(snmp);
    await scan(scanner, { hosts: [wireHost(networkId, ip, [80])] });
    expect((await bound(scanner))[ip]).toEqual([80, agent]);
  },
);
