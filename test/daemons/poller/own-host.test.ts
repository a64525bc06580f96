import { expect, test } from "vitest";
import { endLease, leaseDaemon } from "../../helpers/daemons.ts";
import { sql } from "../../helpers/database.ts";
import type { Organization } from "../../helpers/organization.ts";
import { raiseScanner, type Scanner, wireHost, wireProgress } from "../../helpers/protocol.ts";
import { recordIn, recordsIn } from "../../helpers/records.ts";
import { bound, scan } from "../../helpers/scans.ts";
import { mintSession, sessionRow } from "../../helpers/sessions.ts";
import { sweepStaleAll } from "../../helpers/stale.ts";

const ip = "10.77.0.2";
const port = 60_073;

/** The daemon's own host as the daemon reports it, with the daemon's own id and port. */
const ownHost = ({ networkId, id }: Scanner, ports: readonly number[] = [port, 22]) =>
  wireHost(networkId, ip, ports, { id, hostname: "vm" });

/** Creates a daemon that has scanned its own host once, an hour ago. */
async function raiseOnHost(organization?: Organization, address = ip): Promise<Scanner> {
  const scanner = await raiseScanner({}, organization);
  const { networkId, id } = scanner;
  await scan(scanner, {
    hosts: [wireHost(networkId, address, [port, 22], { id, hostname: "vm" })],
  });
  await goBack(scanner);
  return scanner;
}

const tables = ["hosts", "ip_addresses", "ports", "services", "bindings"] as const;

/** Moves `last_seen_at` back by an hour on all records. */
const goBack = ({ organization }: Scanner) =>
  sql.transaction([
    sql`set local session_replication_role = replica`,
    ...tables.map((table) =>
      sql.query(
        `update ${table} set last_seen_at = last_seen_at - interval '1 hour'
          where organization_id = $1 and valid_to is null and last_discovery_id is not null`,
        [organization.id],
      ),
    ),
  ]);

/** The table of each record seen within the last minute; for a port, also its number. */
async function seenNow({ organization }: Scanner): Promise<string[]> {
  const rows = await sql.query(
    tables
      .map(
        (table) => `
          select '${table}' || case '${table}' when 'ports' then ' ' || (to_jsonb(record)->>'number') else '' end as name
          from ${table} as record where organization_id = $1 and valid_to is null
            and last_discovery_id is not null and last_seen_at > now() - interval '1 minute'`,
      )
      .join(" union all "),
    [organization.id],
  );
  return rows.map(({ name }) => String(name)).sort();
}

/** The complete state of the inventory, except for `last_seen_at`. */
const stateOf = ({ organization }: Scanner) =>
  sql.query(
    `${tables
      .map(
        (table) => `
          select '${table}' as name, (to_jsonb(record) - 'last_seen_at')::text as row from ${table} as record
          where organization_id = $1`,
      )
      .join(" union all ")} order by 1, 2`,
    [organization.id],
  );

/** Changes the daemon's URL in the database only. */
const listenAt = (scanner: Scanner, url: string) =>
  sql`update daemons set url = ${url} where id = ${scanner.id}`;

/** Polls the daemon at its real address while the database has another URL. */
async function visitAt(scanner: Scanner, url: string): Promise<void> {
  const leased = await leaseDaemon(scanner.id);
  await listenAt(scanner, url);
  await scanner.poller.poll(leased);
  await listenAt(scanner, leased.url);
}

test("a response from a daemon updates last_seen_at on its host, and nothing else", async () => {
  const scanner = await raiseOnHost();
  const before = await stateOf(scanner);
  const changes = () =>
    sql`select count(*)::int from transactions where organization_id = ${scanner.organization.id}`;
  const made = await changes();
  expect(await seenNow(scanner)).toEqual([]);
  await scanner.report({});
  await scanner.visit();
  expect(await seenNow(scanner)).toEqual(["hosts"]);
  expect(await stateOf(scanner)).toEqual(before);
  expect(await changes()).toEqual(made);
  expect(await sql`select from app.daemon_visits where daemon_id = ${scanner.id}`).toEqual([]);
});

test("a response clears is_stale on the host, with the daemon as the actor", async () => {
  const scanner = await raiseOnHost();
  const { organization, networkId, poller, id } = scanner;
  const send = (method: string, path: string, json?: object) =>
    poller.send(method, `/api/v1/${path}`, { key: organization.keys.admin, ...(json && { json }) });
  const staleHosts = async () => recordsIn(await send("GET", "hosts?stale=true"));
  await send("PATCH", `networks/${networkId}`, { stale_after_hours: 1 });
  await goBack(scanner);
  await sweepStaleAll();
  const [host, ...others] = await staleHosts();
  expect(others).toEqual([]);
  await scanner.visit();
  expect(await staleHosts()).toEqual([]);
  const { body } = await send("GET", `changes?entity_id=${host?.id}`);
  expect(body).toMatchObject({
    data: [
      { change: "created" },
      { change: "updated", changed: ["is_stale"], actor: { type: "system", id: null } },
      { change: "updated", changed: ["is_stale"], actor: { type: "daemon", id } },
    ],
  });
});

test("if one batch of polls clears is_stale on two hosts, the actor for each host is its own daemon", async () => {
  const first = await raiseOnHost();
  const { organization, networkId, poller } = first;
  const second = await raiseOnHost(organization, "10.77.0.3");
  const send = (method: string, path: string, json?: object) =>
    poller.send(method, `/api/v1/${path}`, { key: organization.keys.admin, ...(json && { json }) });
  await send("PATCH", `networks/${networkId}`, { stale_after_hours: 1 });
  await goBack(first);
  await sweepStaleAll();
  await sql.transaction([
    sql`select set_config('role', 'inventory_poller', true)`,
    ...[first, second].map(
      ({ id }) => sql`select app.see_host_of_daemon(${organization.id}, ${id})`,
    ),
  ]);
  expect(recordsIn(await send("GET", "hosts?stale=true"))).toEqual([]);
  for (const { id } of [first, second]) {
    const [row] = await sql`select host_id from daemons where id = ${id}`;
    const changes = await send("GET", `changes?entity_id=${row?.["host_id"]}&limit=1000`);
    expect(changes.body).toMatchObject({
      data: [
        { change: "created" },
        { changed: ["is_stale"], actor: { type: "system" } },
        { changed: ["is_stale"], actor: { type: "daemon", id } },
      ],
    });
  }
});

test("the host's ETag and updated_at do not change", async () => {
  const scanner = await raiseOnHost();
  const { organization, poller, id } = scanner;
  const read = async () => {
    const [row] = await sql`select host_id from daemons where id = ${id}`;
    const answer = await poller.send("GET", `/api/v1/hosts/${row?.["host_id"]}`, {
      key: organization.keys.viewer,
    });
    return { etag: answer.headers.get("ETag"), host: recordIn(answer) };
  };
  const before = await read();
  await scanner.visit();
  const after = await read();
  expect(after.etag).toBe(before.etag);
  expect({ ...after.host, last_seen_at: null }).toEqual({ ...before.host, last_seen_at: null });
  expect(String(after.host["last_seen_at"]) > String(before.host["last_seen_at"])).toBe(true);
});

test.each([
  [`http://${ip}:${port}`],
  [`http://${ip}:${port}/`],
  [`HTTPS://${ip}:${port}/daemon?x=1`],
])(
  "if the daemon responds at %s, an address of its host, the port is also marked as seen",
  async (url) => {
    const scanner = await raiseOnHost();
    const before = await stateOf(scanner);
    await visitAt(scanner, url);
    // Both ports belong to the same service.
    expect(await seenNow(scanner)).toEqual(["bindings", "hosts", `ports ${port}`, "services"]);
    expect(await stateOf(scanner)).toEqual(before);
  },
);

test.each([
  ["a name", "http://vm.example:60073"],
  ["an address of another host", `http://10.77.0.9:${port}`],
  ["a loopback address", `http://127.0.0.1:${port}`],
  ["an unknown port", `http://${ip}:8080`],
  ["the default port of https", `https://${ip}`],
  ["an address with a suffix", `http://${ip}.example:${port}`],
])("if the daemon responds at %s (%s), only the host is marked as seen", async (_, url) => {
  const scanner = await raiseOnHost();
  await visitAt(scanner, url);
  expect(await seenNow(scanner)).toEqual(["hosts"]);
});

test.each([
  ["does not respond", { kind: "answer", status: 500 }],
  ["is not a daemon", { kind: "answer", body: "{}" }],
] as const)("a daemon that %s does not mark anything as seen", async (_, status) => {
  const scanner = await raiseOnHost();
  await scanner.behave({ status });
  await scanner.visit();
  expect(await seenNow(scanner)).toEqual([]);
});

test.each([
  ["whose lease has ended", (id: string) => endLease(id)],
  ["of an earlier generation", (id: string) => leaseDaemon(id)],
  ["of a deleted daemon", (id: string) => sql`delete from daemons where id = ${id}`],
])("a poll %s does not mark anything as seen", async (_, intervene) => {
  const scanner = await raiseOnHost();
  const leased = await leaseDaemon(scanner.id);
  await intervene(scanner.id);
  await scanner.poller.poll(leased);
  expect(await seenNow(scanner)).toEqual([]);
});

test("a host is marked as seen at most once a minute, and last_seen_at never decreases", async () => {
  const scanner = await raiseOnHost();
  const seenAt = async () => {
    const [row] = await sql`select host.last_seen_at, host.ctid::text as location from hosts as host
      join daemons as daemon on daemon.host_id = host.id
      where daemon.id = ${scanner.id} and host.valid_to is null`;
    return row;
  };
  const before = await seenAt();
  await scanner.visit();
  const first = await seenAt();
  expect(first).not.toEqual(before);
  await scanner.visit();
  expect(await seenAt()).toEqual(first);
  await sql.transaction([
    sql`set local session_replication_role = replica`,
    sql`update hosts set last_seen_at = now() + interval '1 hour'
      where organization_id = ${scanner.organization.id} and valid_to is null`,
  ]);
  const ahead = await seenAt();
  await scanner.visit();
  expect(await seenAt()).toEqual(ahead);
});

test("marking a host as seen does not take an additional database call", async () => {
  const scanner = await raiseOnHost();
  await scanner.report({});
  const callsOfVisit = async () => {
    const before = await scanner.poller.calls();
    await scanner.visit();
    return (await scanner.poller.calls()) - before;
  };
  expect(await callsOfVisit()).toBe(1);
  expect(await seenNow(scanner)).toEqual(["hosts"]);
});

test("a scan does not end a port on which its daemon has responded in the meantime", async () => {
  const scanner = await raiseOnHost();
  const session = await scanWithout(scanner, `http://${ip}:${port}`);
  expect(await sessionRow(session)).toMatchObject({ settled_at: expect.any(String) });
  expect(await bound(scanner)).toEqual({ [ip]: [port] });
  await goBack(scanner);
  // If the URL contains a hostname, the responding port cannot be identified.
  await scanWithout(scanner, "http://vm.example");
  expect(await bound(scanner)).toEqual({ [ip]: [] });
});

/** Runs a scan that finds the daemon's host without ports, while a poll at a given URL succeeds. */
async function scanWithout(scanner: Scanner, url: string): Promise<string> {
  const { organization, networkId, id } = scanner;
  const session = await mintSession(organization.id, networkId, id, { is_full_scan: false });
  await scanner.report({});
  await scanner.visit();
  await goBack(scanner);
  await visitAt(scanner, url);
  await scanner.report({
    progress: wireProgress(session, "Complete", 100),
    hosts: [ownHost(scanner, [])],
  });
  await scanner.visit();
  await scanner.report({});
  await scanner.visit();
  return session;
}

test("an import still fills in fields observed after the host's last report, despite later polls", async () => {
  const scanner = await raiseOnHost();
  const { organization, networkId, poller } = scanner;
  await scanner.visit();
  const send = (observed_at: string, operating_system: string) =>
    poller.send("POST", `/api/v1/networks/${networkId}/imports`, {
      key: organization.keys.member,
      json: {
        source: { name: "scanner" },
        observed_at,
        hosts: [{ operating_system, addresses: [{ ip_address: ip }], ports: [] }],
      },
    });
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const system = async () =>
    (
      await sql`select operating_system from hosts
        where organization_id = ${organization.id} and valid_to is null and hostname = 'vm'`
    )[0]?.["operating_system"];
  expect(await send(ago(30), "Debian 12")).toMatchObject({ status: 200 });
  expect(await system()).toBe("Debian 12");
  expect(await send(ago(20), "Debian 13")).toMatchObject({ status: 200 });
  expect(await system()).toBe("Debian 13");
  expect(await send(ago(25), "Debian 11")).toMatchObject({ status: 200 });
  expect(await system()).toBe("Debian 13");
});
