import { sql as statement } from "drizzle-orm";
import { expect, test } from "vitest";
import { runAsPoller } from "../../src/database/poller.ts";
import { settingsOf } from "../../src/env.ts";
import { openApi } from "../helpers/api.ts";
import { leaseDaemon } from "../helpers/daemons.ts";
import { abortionOf, becomeApi, enter, refusalOf, sql } from "../helpers/database.ts";
import { mintDaemon, mintOrganization } from "../helpers/organization.ts";
import { inPhase, mintSession } from "../helpers/sessions.ts";

const becomePoller = () => sql`set local role inventory_poller`;

async function arrange() {
  const organization = await mintOrganization();
  const [own] = organization.networks;
  const daemon = await mintDaemon(organization.id, own.id);
  const { poll_generation } = await leaseDaemon(daemon);
  const enterVisit = (generation = poll_generation) =>
    sql`select app.enter_visit(${organization.id}, ${daemon}, ${generation})`;
  return { organization, own, daemon, poll_generation, enterVisit };
}

/**
 * Returns a query for the organization and networks that row-level security makes accessible during
 * a visit.
 */
const reachedBy = () => sql`
  select (select app.organization_id()) as organization, app.reaches_all_networks() as everywhere,
    app.network_ids() as networks`;

test("behind the gate, only the daemon's own network is accessible", async () => {
  const { organization, own, enterVisit } = await arrange();
  const [, , reach] = await sql
    .transaction([
      becomePoller(),
      enterVisit(),
      sql`select set_config('role', 'none', true)`,
      reachedBy(),
    ])
    .then((results) => results.slice(1));
  expect(reach).toEqual([{ organization: organization.id, everywhere: false, networks: [own.id] }]);
});

test("behind the gate, statements use indexes, and run in one process without JIT", async () => {
  const { enterVisit } = await arrange();
  const [, , settings] = await sql.transaction([
    becomePoller(),
    enterVisit(),
    sql`select current_setting('max_parallel_workers_per_gather') as workers,
      current_setting('enable_seqscan') as seqscan, current_setting('jit') as jit`,
  ]);
  expect(settings).toEqual([{ workers: "0", seqscan: "off", jit: "off" }]);
});

test("the poller's statements never use JIT", async () => {
  const [{ rows }] = await runAsPoller(settingsOf(openApi().env), (database) => [
    database.execute(statement`select current_setting('jit') as jit`),
  ]);
  expect(rows).toEqual([{ jit: "off" }]);
});

test("a visit leaves no trace, and is not visible to another transaction", async () => {
  const { organization, enterVisit } = await arrange();
  await sql.transaction([becomePoller(), enterVisit(), sql`select app.leave_visit()`]);
  expect(
    await sql`select from app.daemon_visits where organization_id = ${organization.id}`,
  ).toEqual([]);
  await sql.transaction([becomePoller(), enterVisit()]);
  const [, reach] = await sql.transaction([sql`select pg_current_xact_id()`, reachedBy()]);
  expect(reach).toEqual([{ organization: null, everywhere: false, networks: [] }]);
});

test("the gate rejects a visit that does not hold the lease", async () => {
  const { daemon, poll_generation, enterVisit } = await arrange();
  const refused = (generation: number) =>
    abortionOf(sql.transaction([becomePoller(), enterVisit(generation)]));
  expect(await refused(poll_generation - 1)).toMatchObject({
    detail: { code: "entity_not_found" },
  });
  await sql`update daemons set lease_expires_at = now() - interval '1 ms' where id = ${daemon}`;
  expect(await refused(poll_generation)).toMatchObject({ detail: { code: "entity_not_found" } });
});

test("the API cannot visit, and the poller cannot assume another role", async () => {
  const { organization, enterVisit, daemon } = await arrange();
  for (const first of [becomeApi(), enter(organization.keys.owner)]) {
    for (const attempt of [
      enterVisit(),
      sql`insert into app.daemon_visits (organization_id, network_id, daemon_id)
        values (${organization.id}, ${organization.networks[0].id}, ${daemon})`,
      sql`select app.ingest_visit(${organization.networks[0].id}, '{}')`,
      sql`select app.note_scan_gaps('{}', '{}')`,
      sql`select from app.scan_gaps`,
      sql`select from app.handed_scans`,
      sql`select from app.scan_scopes`,
      sql`select from app.scan_hosts`,
      sql`select from app.scan_cancellations`,
      sql`select app.claim_scan_cancellations(1)`,
      sql`select app.forget_scan_cancellation(${organization.id}, ${daemon})`,
      sql`select app.scan_credentials(${organization.id}, ${daemon}, 1, ${daemon}, 1)`,
    ]) {
      expect(await refusalOf(sql.transaction([first, attempt]))).toMatchObject({ code: "42501" });
    }
  }
  for (const attempt of [
    sql`select from hosts`,
    sql`select from app.daemon_visits`,
    sql`select from app.scan_cancellations`,
  ]) {
    const visited = sql.transaction([becomePoller(), enterVisit(), attempt]);
    expect(await refusalOf(visited)).toMatchObject({ code: "42501" });
  }
});

test("a report without a visit is rejected", async () => {
  const { own } = await arrange();
  const report = JSON.stringify({ observed_at: null, hosts: [], addresses: [], subnets: [] });
  expect(
    await abortionOf(
      sql.transaction([becomePoller(), sql`select app.ingest_visit(${own.id}, ${report}::jsonb)`]),
    ),
  ).toMatchObject({ detail: { code: "entity_not_found", params: { entity: "Network" } } });
});

test("a visit's gaps are stored only for its daemon's unsettled scans", async () => {
  const { organization, own, daemon, enterVisit } = await arrange();
  const mint = (id: string, phase: Parameters<typeof inPhase>[0], values = {}) =>
    mintSession(organization.id, own.id, id, { ...inPhase(phase), ...values });
  const other = await mintDaemon(organization.id, own.id);
  const failed = await mint(daemon, "Scanning");
  const note = (address: string) => sql`select app.note_scan_gaps('{}', array[${address}]::inet[])`;
  const noted = () => sql`select session_id, array_to_string(addresses, ' ') as addresses
    from app.scan_gaps where organization_id = ${organization.id} order by addresses`;
  await sql.transaction([becomePoller(), note("10.0.0.1")]);
  expect(await noted()).toEqual([]);
  await sql.transaction([becomePoller(), enterVisit(), note("10.0.0.1")]);
  expect(await noted()).toEqual([{ session_id: failed, addresses: "10.0.0.1" }]);
  await sql`update discovery_sessions set phase = 'Failed', error = 'x', finished_at = now()
    where id = ${failed}`;
  const complete = await mint(daemon, "Complete");
  const running = await mint(daemon, "Scanning");
  await mint(daemon, "Queued");
  await mint(daemon, "Complete", { settled_at: "2026-01-02T03:04:06.000Z" });
  await mint(other, "Scanning");
  for (const address of ["10.0.0.2", "127.0.0.1", "10.0.0.2"]) {
    await sql.transaction([becomePoller(), enterVisit(), note(address)]);
  }
  const rows = await noted();
  expect(rows.map(({ session_id }) => session_id).sort()).toEqual([complete, running].sort());
  expect(rows).toMatchObject([{ addresses: "10.0.0.2" }, { addresses: "10.0.0.2" }]);
});

test("a visit cannot report to another network of its organization", async () => {
  const { organization, enterVisit } = await arrange();
  const report = JSON.stringify({
    observed_at: null,
    subnets: [
      { cidr: "10.0.0.0/8", name: "x", description: null, subnet_type: "Lan", position: 0 },
    ],
    hosts: [],
    addresses: [],
    ports: [],
    services: [],
    bindings: [],
    scans: [],
  });
  const attempt = sql.transaction([
    becomePoller(),
    enterVisit(),
    sql`select app.ingest_visit(${organization.networks[1].id}, ${report}::jsonb)`,
  ]);
  await expect(attempt).rejects.toThrow();
  expect(await sql`select from subnets where organization_id = ${organization.id}`).toEqual([]);
});

test("credentials are returned only for a scan that is about to start, and only to the holder of the lease", async () => {
  const { organization, own, daemon, poll_generation } = await arrange();
  const credential = crypto.randomUUID();
  await sql`insert into credentials (organization_id, id, name, settings)
    values (${organization.id}, ${credential}, 'Test', '{"type": "DockerSocket"}')`;
  await sql`insert into credential_networks (organization_id, credential_id, network_id)
    values (${organization.id}, ${credential}, ${own.id})`;
  const session = await mintSession(organization.id, own.id, daemon, inPhase("Pending"));
  const credentialsFor = async (generation: number) => {
    const [, rows] = await sql.transaction([
      becomePoller(),
      sql`select id from app.scan_credentials(${organization.id}, ${daemon}, ${generation},
        ${session}, 10)`,
    ]);
    return rows;
  };
  expect(await credentialsFor(poll_generation)).toEqual([{ id: credential }]);
  expect(await credentialsFor(poll_generation + 1)).toEqual([]);
  await sql`update discovery_sessions set phase = 'Starting' where id = ${session}`;
  expect(await credentialsFor(poll_generation)).toEqual([]);
});
