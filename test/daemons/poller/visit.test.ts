import { expect, test } from "vitest";
import { setMaximum } from "../../../src/database/sets.ts";
import { daemonRow, endLease, leaseDaemon } from "../../helpers/daemons.ts";
import { sql } from "../../helpers/database.ts";
import {
  answered,
  raiseScanner,
  type Scanner,
  wireHost,
  wireProgress,
  wireSubnet,
} from "../../helpers/protocol.ts";
import { changingNothing } from "../../helpers/rows.ts";
import { inPhase, mintSession, sessionRow } from "../../helpers/sessions.ts";

const hostsOf = ({ organization }: Scanner) => sql`
  select host.id, host.name, host.network_id, host.source, host.last_discovery_id,
    (select count(*)::int from bindings
      where organization_id = host.organization_id and host_id = host.id and valid_to is null) as bindings
  from hosts as host
  where organization_id = ${organization.id} and valid_to is null and source = 'Discovery'
  order by name`;

const mint = (
  { id, organization, networkId }: Scanner,
  values: Parameters<typeof mintSession>[3],
) => mintSession(organization.id, networkId, id, values);

const pathsOf = async ({ daemon }: Scanner) =>
  (await daemon.calls()).map(({ path }) => path?.replace(/^.*\/api\//, ""));

test("a new daemon gets first contact once, after the status request", async () => {
  const scanner = await raiseScanner();
  await scanner.visit();
  expect(await pathsOf(scanner)).toEqual(["status", "first-contact", "poll"]);
  expect(await scanner.got("first-contact")).toEqual([
    {
      daemon_id: scanner.id,
      server_capabilities: {
        server_version: scanner.poller.settings.SERVER_VERSION,
        minimum_daemon_version: "0.12.0",
      },
    },
  ]);
  await scanner.visit();
  expect((await pathsOf(scanner)).slice(3)).toEqual(["status", "poll"]);
});

test("first contact is repeated if the daemon does not acknowledge it, and the daemon stays reachable", async () => {
  const scanner = await raiseScanner();
  await scanner.behave({ "first-contact": { kind: "answer", status: 500 } });
  await scanner.visit();
  await scanner.visit();
  expect(await scanner.got("first-contact")).toHaveLength(2);
  expect(await daemonRow(scanner.id)).toMatchObject({ introduced_at: null, last_error: null });
});

test("a daemon that uses a different id gets first contact again", async () => {
  const scanner = await raiseScanner();
  await scanner.visit();
  const progress = wireProgress(crypto.randomUUID(), "Complete", 100, {
    daemon_id: crypto.randomUUID(),
  });
  await scanner.report({ progress });
  await scanner.visit();
  expect(await scanner.got("first-contact")).toHaveLength(2);
});

test("a report is stored as hosts with bindings, and confirmed with the stored ids", async () => {
  const scanner = await raiseScanner();
  const subnet = wireSubnet(scanner.networkId, "10.77.0.0/29");
  const host = wireHost(scanner.networkId, "10.77.0.3", [80, 443]);
  await scanner.report({ subnets: [subnet], hosts: [host] });
  await scanner.visit();
  const [stored, ...others] = await hostsOf(scanner);
  expect(others).toEqual([]);
  expect(stored).toMatchObject({
    name: "10.77.0.3",
    network_id: scanner.networkId,
    bindings: 2,
    last_discovery_id: scanner.id,
  });
  const { hosts, subnets } = await scanner.confirmed();
  expect(hosts).toMatchObject([
    [host.host.id, { id: stored?.["id"], network_id: scanner.networkId, name: "10.77.0.3" }],
  ]);
  expect(subnets).toMatchObject([[subnet.id, { id: expect.any(String), cidr: "10.77.0.0/29" }]]);
  expect(await sql`select cidr::text from subnets where id = ${subnets[0]?.[1].id ?? ""}`).toEqual([
    { cidr: "10.77.0.0/29" },
  ]);
});

test("services with the same definition in two containers are stored separately, each with its container", async () => {
  const scanner = await raiseScanner();
  const host = wireHost(scanner.networkId, "10.77.0.3", [80, 8080], {
    virtualization: { type: "Proxmox", details: { vm_name: "docker-1", vm_id: "101" } },
  });
  const services = ["web", "shop"].map((container_name, number) => ({
    id: crypto.randomUUID(),
    name: "Nginx",
    service_definition: "Nginx",
    virtualization: {
      type: "Docker",
      details: { container_name, container_id: null, service_id: crypto.randomUUID() },
    },
    bindings: [{ id: crypto.randomUUID(), type: "Port", port_id: host.ports[number]?.id }],
  }));
  await scanner.report({ hosts: [{ ...host, services }] });
  const stored = () => sql`
    select service.virtualization, host.virtualization as machine
    from services as service join hosts as host on host.id = service.host_id
    where service.organization_id = ${scanner.organization.id} and service.service_definition = 'Nginx'
    order by service.virtualization #>> '{details,container_name}'`;
  await scanner.visit();
  const rest = { container_id: null, compose_project: null, service_id: null };
  const machine = {
    type: "Proxmox",
    details: { vm_name: "docker-1", vm_id: "101", service_id: null },
  };
  const expected = ["shop", "web"].map((container_name) => ({
    virtualization: { type: "Docker", details: { container_name, ...rest } },
    machine,
  }));
  expect(await stored()).toEqual(expected);
  await changingNothing(scanner.network.id, scanner.visit);
  expect(await stored()).toEqual(expected);
});

test("a failed confirmation is repeated, and nothing is stored twice", async () => {
  const scanner = await raiseScanner();
  await scanner.report({ hosts: [wireHost(scanner.networkId, "10.77.0.3", [80])] });
  await scanner.behave({ "discovery/entities-created": { kind: "answer", status: 503 } });
  await scanner.visit();
  const once = await hostsOf(scanner);
  for (let again = 0; again < 3; again++) {
    await scanner.visit();
  }
  expect(await hostsOf(scanner)).toEqual(once);
  expect(once).toMatchObject([{ bindings: 1 }]);
  await scanner.behave({ "discovery/entities-created": answered("Created entities acknowledged") });
  await scanner.visit();
  expect((await scanner.confirmed()).hosts).toMatchObject([
    [expect.any(String), { id: once[0]?.["id"] }],
  ]);
});

test("a report whose lease has been lost changes nothing and is not confirmed", async () => {
  const scanner = await raiseScanner();
  await scanner.report({ hosts: [wireHost(scanner.networkId, "10.77.0.3", [80])] });
  const claimed = await leaseDaemon(scanner.id);
  await endLease(scanner.id);
  await changingNothing(scanner.organization.id, () => scanner.poller.poll(claimed));
  expect(await scanner.got("discovery/entities-created")).toEqual([]);

  const older = await leaseDaemon(scanner.id);
  await leaseDaemon(scanner.id);
  await changingNothing(scanner.organization.id, () => scanner.poller.poll(older));
  expect(await scanner.got("discovery/entities-created")).toEqual([]);
});

test("entities with the wrong network or shape are rejected, and a valid host in the same report is stored", async () => {
  const scanner = await raiseScanner();
  const other = scanner.organization.networks[1].id;
  const good = wireHost(scanner.networkId, "10.77.0.3", [80]);
  await scanner.report({
    hosts: [
      wireHost(other, "10.77.0.4", [80]),
      null,
      "host",
      {},
      { host: { id: "1" } },
      { ...good, ip_addresses: [{ id: crypto.randomUUID(), ip_address: "10.77.0.300" }] },
      { ...good, ports: [{ id: crypto.randomUUID(), number: 70_000, protocol: "Tcp" }] },
      good,
    ],
    subnets: [wireSubnet(other, "10.99.0.0/24"), { cidr: 1 }],
  });
  await scanner.visit();
  expect(await hostsOf(scanner)).toMatchObject([{ name: "10.77.0.3", bindings: 1 }]);
  expect((await scanner.got("discovery/entities-created"))[0]).toMatchObject({
    hosts: [[good.host.id, { name: "10.77.0.3" }]],
    subnets: [],
  });
});

test("ids of another network's records have no effect in a report", async () => {
  const [scanner, victim] = [await raiseScanner(), await raiseScanner()];
  const values = { id: victim.network.host_id, name: "mine" };
  const host = wireHost(scanner.networkId, "10.77.0.3", [], values);
  const inOther = scanner.organization.networks[1];
  await scanner.report({
    hosts: [
      host,
      wireHost(scanner.networkId, "10.77.0.4", [], { id: inOther.host_id, name: "mine too" }),
    ],
  });
  await changingNothing(victim.organization.id, scanner.visit);
  expect(
    await sql`select name from hosts where id = any (${[victim.network.host_id, inOther.host_id]})`,
  ).toEqual([{ name: "Test" }, { name: "Test" }]);
  expect(await hostsOf(scanner)).toMatchObject([
    { name: "mine", network_id: scanner.networkId },
    { name: "mine too", network_id: scanner.networkId },
  ]);
});

test("a scan is sent to its daemon once the daemon is ready, and tracks the progress that the daemon reports", async () => {
  const scanner = await raiseScanner();
  const session = await mint(scanner, {});
  const status = (ready_for_work: boolean) =>
    answered({ version: "0.16.2", name: "farm", mode: "server_poll", ready_for_work });
  await scanner.behave({ status: status(false) });
  await scanner.visit();
  expect(await scanner.got("discovery/initiate")).toEqual([]);
  expect(await sessionRow(session)).toMatchObject({ phase: "Pending" });
  await scanner.behave({ status: status(true) });
  await scanner.visit();
  expect(await scanner.got("discovery/initiate")).toEqual([
    {
      session_id: session,
      discovery_id: session,
      discovery_type: {
        type: "Unified",
        host_id: scanner.id,
        subnet_ids: null,
        host_naming_fallback: "BestService",
        scan_settings: { is_full_scan: true },
      },
      credential_mappings: [],
    },
  ]);
  expect(await sessionRow(session)).toMatchObject({ phase: "Starting", finished_at: null });

  await scanner.report({
    progress: wireProgress(session, "Scanning", 19, { hosts_discovered: 2 }),
  });
  await scanner.visit();
  const scanning = await sessionRow(session);
  expect(scanning).toMatchObject({ phase: "Scanning", progress: 19, hosts_discovered: 2 });
  await scanner.visit();
  expect(await sessionRow(session)).toEqual(scanning);

  await scanner.report({ progress: wireProgress(session, "Starting", 5) });
  await scanner.visit();
  expect(await sessionRow(session)).toEqual(scanning);

  await scanner.report({ progress: wireProgress(session, "Complete", 100) });
  await scanner.visit();
  const complete = await sessionRow(session);
  expect(complete).toMatchObject({
    phase: "Complete",
    progress: 100,
    hosts_discovered: 2,
    error: null,
    finished_at: expect.any(String),
  });
  await scanner.report({ progress: wireProgress(session, "Failed", 3) });
  await scanner.visit();
  expect(await sessionRow(session)).toMatchObject({ phase: "Complete", progress: 100 });
});

test("a daemon's host is recorded with its first scan", async () => {
  const scanner = await raiseScanner();
  await scanner.report({
    hosts: [wireHost(scanner.networkId, "10.77.0.2", [], { id: scanner.id })],
  });
  await scanner.visit();
  const [stored] = await hostsOf(scanner);
  expect(await daemonRow(scanner.id)).toMatchObject({ host_id: stored?.["id"] });
  await scanner.report({});
  const session = await mint(scanner, {});
  await scanner.visit();
  expect(await scanner.got("discovery/initiate")).toMatchObject([
    { session_id: session, discovery_type: { host_id: stored?.["id"] } },
  ]);
});

test("a daemon's scans run one after another, in the order in which they were requested", async () => {
  const scanner = await raiseScanner();
  const first = await mint(scanner, { created_at: "2026-01-01T00:00:00.000Z" });
  const second = await mint(scanner, { created_at: "2026-01-02T00:00:00.000Z" });
  await scanner.visit();
  await scanner.visit();
  expect(await scanner.got("discovery/initiate")).toMatchObject([{ session_id: first }]);
  expect(await sessionRow(second)).toMatchObject({ phase: "Queued" });
  await scanner.report({ progress: wireProgress(first, "Complete", 100) });
  await scanner.visit();
  expect(await scanner.got("discovery/initiate")).toMatchObject([
    { session_id: first },
    { session_id: second },
  ]);
});

test("a scan is sent again to a busy daemon, and fails if the daemon rejects it", async () => {
  const scanner = await raiseScanner();
  const session = await mint(scanner, {});
  await scanner.behave({ "discovery/initiate": { kind: "answer", status: 409 } });
  await scanner.visit();
  expect(await sessionRow(session)).toMatchObject({ phase: "Pending" });
  await scanner.behave({ "discovery/initiate": { kind: "answer", status: 422 } });
  await scanner.visit();
  expect(await sessionRow(session)).toMatchObject({ phase: "Failed", error: "work_refused" });
});

test("progress reports for another daemon's scan or for a finished scan change nothing", async () => {
  const [scanner, victim] = [await raiseScanner(), await raiseScanner()];
  const foreign = await mint(victim, inPhase("Scanning"));
  const own = await mint(scanner, inPhase("Complete"));
  for (const session of [foreign, own]) {
    await scanner.report({ progress: wireProgress(session, "Scanning", 99) });
    await scanner.visit();
    // The service asks the daemon to cancel the scan, since the daemon should not be running it.
    expect((await scanner.got("discovery/cancel")).at(-1)).toBe(session);
  }
  await scanner.report({ progress: wireProgress(foreign, "Failed", 99) });
  await scanner.visit();
  expect(await sessionRow(foreign)).toMatchObject({ phase: "Scanning", progress: 0 });
  expect(await sessionRow(own)).toMatchObject({ phase: "Complete", progress: 0 });
});

test.each([200, 409])(
  "a scan is cancelled once its daemon responds to the cancellation with %i",
  async (status) => {
    const scanner = await raiseScanner();
    const session = await mint(scanner, {
      ...inPhase("Scanning"),
      cancel_requested_at: "2026-01-02T03:04:06.000Z",
    });
    await scanner.behave({ "discovery/cancel": { kind: "hang" } });
    const [, claimed] = [await scanner.behave({}), await leaseDaemon(scanner.id)];
    await scanner.poller.pollImpatiently(claimed);
    expect(await sessionRow(session)).toMatchObject({ phase: "Scanning" });
    await scanner.behave({ "discovery/cancel": { ...answered({}), kind: "answer", status } });
    await scanner.visit();
    expect((await scanner.got("discovery/cancel")).at(-1)).toBe(session);
    expect(await sessionRow(session)).toMatchObject({ phase: "Cancelled", error: null });
  },
);

test("a scan without progress for five minutes fails, but any progress prevents that", async () => {
  const scanner = await raiseScanner();
  const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();
  const stalled = await mint(scanner, { ...inPhase("Scanning"), moved_at: ago(301) });
  const progress = wireProgress(stalled, "Scanning", 0, { estimated_remaining_secs: 9 });
  await scanner.report({ progress });
  await scanner.visit();
  expect(await sessionRow(stalled)).toMatchObject({ phase: "Scanning" });
  await sql`update discovery_sessions set moved_at = ${ago(301)} where id = ${stalled}`;
  await scanner.visit();
  expect(await sessionRow(stalled)).toMatchObject({ phase: "Failed", error: "stalled" });

  const fresh = await mint(scanner, { ...inPhase("Scanning"), moved_at: ago(290) });
  await scanner.report({ progress: wireProgress(fresh, "Scanning", 0) });
  await scanner.visit();
  expect(await sessionRow(fresh)).toMatchObject({ phase: "Scanning" });
});

test("a failed scan's error is the daemon's message, truncated", async () => {
  const scanner = await raiseScanner();
  const session = await mint(scanner, inPhase("Scanning"));
  await scanner.report({
    progress: wireProgress(session, "Failed", 40, { error: `\0no route ${"x".repeat(1000)}` }),
  });
  await scanner.visit();
  const { phase, error } = await sessionRow(session);
  expect(phase).toBe("Failed");
  expect(error).toMatch(/^no route x{491}$/);
});

test("a binding that a scan does not find ends, but only once the scan is complete", async () => {
  const scanner = await raiseScanner();
  const scan = async (openPorts: number[]) => {
    const session = await mint(scanner, { is_full_scan: false });
    await scanner.report({});
    await scanner.visit();
    await scanner.report({
      progress: wireProgress(session, "Scanning", 50),
      hosts: [wireHost(scanner.networkId, "10.77.0.3")],
    });
    await scanner.visit();
    await scanner.report({
      progress: wireProgress(session, "Scanning", 90),
      hosts: [wireHost(scanner.networkId, "10.77.0.3", openPorts)],
    });
    await scanner.visit();
    const before = (await hostsOf(scanner))[0]?.["bindings"];
    await scanner.report({ progress: wireProgress(session, "Complete", 100) });
    await scanner.visit();
    return { session, before, after: (await hostsOf(scanner))[0]?.["bindings"] };
  };
  expect(await scan([80, 8080])).toMatchObject({ before: 2, after: 2 });
  const person = crypto.randomUUID();
  await sql`insert into services (organization_id, network_id, host_id, id, name)
    select organization_id, network_id, id, ${person}, 'Mine' from hosts
    where organization_id = ${scanner.organization.id} and source = 'Discovery'`;
  await sql`insert into bindings (organization_id, type, service_id, ip_address_id)
    select organization_id, 'IPAddress', ${person}, id from ip_addresses
    where organization_id = ${scanner.organization.id} and first_discovery_id is not null`;
  const { session, ...counts } = await scan([80]);
  expect(counts).toEqual({ before: 3, after: 2 });
  expect(await sessionRow(session)).toMatchObject({ settled_at: expect.any(String) });
  expect(
    await sql`select number from bindings join ports on ports.id = port_id
      where bindings.organization_id = ${scanner.organization.id} and bindings.valid_to is not null`,
  ).toContainEqual({ number: 8080 });
});

test("a scan of some subnets does not end anything at addresses outside them", async () => {
  const scanner = await raiseScanner();
  const subnet = async (cidr: string) => {
    const id = crypto.randomUUID();
    await sql`insert into subnets (organization_id, network_id, id, cidr, name)
      values (${scanner.organization.id}, ${scanner.networkId}, ${id}, ${cidr}, ${cidr})`;
    return id;
  };
  const [around, elsewhere] = [await subnet("10.77.0.0/29"), await subnet("10.78.0.0/29")];
  const scan = async (subnet_ids: string[] | null, openPorts: number[]) => {
    const session = await mint(scanner, { subnet_ids, is_full_scan: false });
    await scanner.report({});
    await scanner.visit();
    await scanner.report({
      progress: wireProgress(session, "Scanning", 50),
      hosts: [wireHost(scanner.networkId, "10.77.0.3", openPorts)],
    });
    await scanner.visit();
    await scanner.report({ progress: wireProgress(session, "Complete", 100) });
    await scanner.visit();
    expect(await sessionRow(session)).toMatchObject({ settled_at: expect.any(String) });
    return (await hostsOf(scanner))[0]?.["bindings"];
  };
  expect(await scan(null, [80, 8080])).toBe(2);
  expect(await scan([elsewhere], [])).toBe(2);
  expect(await scan([around], [80])).toBe(1);
  // Only scans that name their subnets are sent with them.
  const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+00:00$/);
  const subnetsOf = (id: string, cidr: string) =>
    expect.objectContaining({
      subnets: [
        {
          id,
          created_at: instant,
          updated_at: instant,
          valid_from: instant,
          valid_to: null,
          lineage_id: null,
          last_seen_at: instant,
          network_id: scanner.networkId,
          cidr,
          cidr_source: "DaemonSelfReport",
          name: cidr,
          description: null,
          subnet_type: "Unknown",
          source: { type: "Discovery" },
          tags: [],
          virtualization_service_id: null,
          first_discovery_id: null,
          last_discovery_id: null,
        },
      ],
    });
  expect(await scanner.got("discovery/initiate")).toEqual([
    expect.not.objectContaining({ subnets: expect.anything() }),
    subnetsOf(elsewhere, "10.78.0.0/29"),
    subnetsOf(around, "10.77.0.0/29"),
  ]);
});

test("a scan of the maximum number of subnets is smaller than 1 MiB", async () => {
  const scanner = await raiseScanner();
  const subnet_ids = Array.from({ length: setMaximum }, () => crypto.randomUUID());
  await sql`insert into subnets (organization_id, network_id, id, cidr, name, description)
    select ${scanner.organization.id}, ${scanner.networkId}, id,
      ('2001:db8:ffff:ffff:ffff:ffff:' || to_hex(40000 + number) || ':ff00/120')::cidr,
      repeat('\u{1f986}', 100), repeat('\u{1f986}', 500)
    from unnest(${subnet_ids}::uuid[]) with ordinality as sent (id, number)`;
  await mint(scanner, { subnet_ids, is_full_scan: false });
  await scanner.visit();
  const [request] = await scanner.got("discovery/initiate");
  expect(request).toMatchObject({ subnets: { length: setMaximum } });
  expect(JSON.stringify(request).length).toBeLessThan(1024 * 1024);
});

test("the end of a scan is recorded even if its report cannot be stored", async () => {
  const scanner = await raiseScanner();
  const session = await mint(scanner, inPhase("Scanning"));
  await sql`alter function app.ingest_visit(uuid, jsonb) rename to ingest_visit_away`;
  try {
    await scanner.report({
      progress: wireProgress(session, "Complete", 100),
      hosts: [wireHost(scanner.networkId, "10.77.0.3", [80])],
    });
    await scanner.visit();
  } finally {
    await sql`alter function app.ingest_visit_away(uuid, jsonb) rename to ingest_visit`;
  }
  expect(await sessionRow(session)).toMatchObject({ phase: "Complete", settled_at: null });
});

/**
 * Starts a scan whose daemon reports progress and then restarts. After the restart, the daemon is
 * ready for work and does not report anything.
 */
async function forget(scanner: Scanner): Promise<string> {
  const session = await mint(scanner, inPhase("Starting"));
  await scanner.report({ progress: wireProgress(session, "Scanning", 26) });
  await scanner.visit();
  await scanner.report({});
  return session;
}

test("a scan that its daemon has lost fails at the third poll, and the next scan starts", async () => {
  const scanner = await raiseScanner();
  const session = await forget(scanner);
  const next = await mint(scanner, {});
  for (const _ of [1, 2]) {
    await scanner.visit();
    expect(await sessionRow(session)).toMatchObject({ phase: "Scanning", progress: 26 });
  }
  await scanner.visit();
  expect(await sessionRow(session)).toMatchObject({ phase: "Failed", error: "stalled" });
  expect(await sessionRow(next)).toMatchObject({ phase: "Starting" });
});

test.each([
  [
    "reports progress in between",
    (session: string) => ({ progress: wireProgress(session, "Scanning", 27) }),
  ],
  [
    "reports hosts in between",
    (_: string, networkId: string) => ({ hosts: [wireHost(networkId, "10.77.0.3")] }),
  ],
] as const)("a scan whose daemon %s continues", async (_, reported) => {
  const scanner = await raiseScanner();
  const session = await forget(scanner);
  for (let turns = 0; turns < 2; turns++) {
    await scanner.report({});
    await scanner.visit();
    await scanner.visit();
    await scanner.report(reported(session, scanner.networkId));
    await scanner.visit();
  }
  expect(await sessionRow(session)).toMatchObject({ phase: "Scanning", error: null });
});

test.each([
  ["is not ready for work", { status: answered({ ready_for_work: false }) }],
  ["reports progress with the wrong shape", { poll: answered({ progress: { phase: "Tidying" } }) }],
  ["omits its progress", { poll: answered({}) }],
  ["cannot be polled", { poll: { kind: "answer", status: 500 } }],
  ["repeats its progress", null],
] as const)("a scan whose daemon %s is not marked as failed", async (_, behavior) => {
  const scanner = await raiseScanner();
  const session = await forget(scanner);
  await scanner.behave(
    behavior ?? {
      poll: answered({ progress: wireProgress(session, "Scanning", 26), entities: null }),
    },
  );
  for (let polls = 0; polls < 5; polls++) {
    await scanner.visit();
  }
  expect(await sessionRow(session)).toMatchObject({ phase: "Scanning", error: null });
});

test("a scan whose daemon has not yet reported progress is not marked as failed", async () => {
  const scanner = await raiseScanner();
  const session = await mint(scanner, inPhase("Starting"));
  await scanner.report({});
  for (let polls = 0; polls < 5; polls++) {
    await scanner.visit();
  }
  expect(await sessionRow(session)).toMatchObject({ phase: "Starting" });
});

test("a scan that is reported as complete after two polls without progress is complete", async () => {
  const scanner = await raiseScanner();
  const session = await forget(scanner);
  await scanner.visit();
  await scanner.visit();
  await scanner.report({ progress: wireProgress(session, "Complete", 100) });
  await scanner.visit();
  expect(await sessionRow(session)).toMatchObject({ phase: "Complete", error: null });
});
