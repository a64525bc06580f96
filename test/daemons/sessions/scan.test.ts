import { expect, inject, test } from "vitest";
import { openApi } from "../../helpers/api.ts";
import { sql } from "../../helpers/database.ts";
import { mintDaemon, mintKey, mintOrganization } from "../../helpers/organization.ts";
import { recordIn } from "../../helpers/records.ts";
import { inPhase, mintSession } from "../../helpers/sessions.ts";

async function arrange() {
  const organization = await mintOrganization();
  const [network] = organization.networks;
  const daemon = await mintDaemon(organization.id, network.id);
  const scan = (json: unknown, headers: Record<string, string> = {}) =>
    openApi().send("POST", `/api/v1/daemons/${daemon}/scan`, {
      key: organization.keys.member,
      json,
      headers,
    });
  return { organization, network, daemon, scan };
}

const mintSubnet = async (organization: string, network: string): Promise<string> => {
  const id = crypto.randomUUID();
  await sql`insert into subnets (organization_id, network_id, id, cidr, name)
    values (${organization}, ${network}, ${id}, '198.51.100.0/24', 'Test')`;
  return id;
};

test("a new scan is queued for its daemon, and the Location header points to it", async () => {
  const { organization, network, daemon, scan } = await arrange();
  const answer = await scan({});
  const session = recordIn(answer, 201);
  expect(session).toEqual({
    id: session.id,
    created_at: session.created_at,
    updated_at: session.created_at,
    organization_id: organization.id,
    network_id: network.id,
    daemon_id: daemon,
    host_id: null,
    phase: "Queued",
    progress: 0,
    hosts_discovered: null,
    error: null,
    subnet_ids: null,
    is_full_scan: null,
    started_at: null,
    finished_at: null,
    cancel_requested_at: null,
  });
  const read = await openApi().send("GET", String(answer.headers.get("location")), {
    key: organization.keys.viewer,
  });
  expect(recordIn(read)).toEqual(session);
  expect(read.headers.get("etag")).toBe(answer.headers.get("etag"));
});

test("a scan accepts only subnets of the daemon's network", async () => {
  const { organization, network, scan } = await arrange();
  const own = await mintSubnet(organization.id, network.id);
  expect(recordIn(await scan({ subnet_ids: [own] }), 201)).toMatchObject({ subnet_ids: [own] });
  const foreign = await mintSubnet(organization.id, organization.networks[1].id);
  expect(await scan({ subnet_ids: [own, foreign] })).toMatchObject({
    status: 400,
    body: {
      code: "entity_reference_invalid",
      params: { entity: "Subnet", field: "body.subnet_ids", id: foreign },
    },
  });
});

test.each([true, false, null])("is_full_scan is stored as requested: %j", async (is_full_scan) => {
  const { scan } = await arrange();
  expect(recordIn(await scan({ is_full_scan }), 201)).toMatchObject({ is_full_scan });
});

test.each([
  { subnet_ids: [] },
  { subnet_ids: "all" },
  { subnets: null },
  { is_full_scan: "yes" },
  [],
])("rejects the body %j", async (json) => {
  const { scan } = await arrange();
  expect(await scan(json)).toMatchObject({ status: 400, body: { code: "validation_failed" } });
});

test("a daemon can have at most ten unfinished scans", async () => {
  const { organization, network, daemon, scan } = await arrange();
  await mintSession(organization.id, network.id, daemon, inPhase("Complete"));
  await mintSession(organization.id, network.id, daemon, inPhase("Scanning"));
  for (let waiting = 1; waiting < 10; waiting++) {
    expect(await scan({})).toMatchObject({ status: 201 });
  }
  expect(await scan({})).toMatchObject({
    status: 409,
    body: {
      code: "too_many_scans",
      params: { id: daemon, maximum: 10 },
    },
  });
});

test("at most 300 scans per daemon can be requested in 24 hours, not counting scheduled scans", async () => {
  const { organization, network, daemon, scan } = await arrange();
  const cancelled = (count: number, age: string, isScheduled: boolean) => sql`
    insert into discovery_sessions
      (organization_id, network_id, daemon_id, created_at, phase, finished_at, is_scheduled)
    select ${organization.id}, ${network.id}, ${daemon}, now() - ${age}::interval, 'Cancelled', now(),
      ${isScheduled} from generate_series(1, ${count}::int)`;
  await cancelled(500, "25 hours", false);
  await cancelled(500, "2 hours", true);
  await cancelled(1, "23 hours", false);
  await cancelled(298, "1 hour", false);
  expect(await scan({})).toMatchObject({ status: 201 });
  const answer = await scan({});
  expect(answer).toMatchObject({
    status: 429,
    body: {
      code: "rate_limit_exceeded",
      error: expect.stringContaining(
        "Too many scans of this daemon were requested within 24 hours",
      ),
      params: { limit: "scans_of_daemon", retry_after_seconds: expect.any(Number) },
    },
  });
  // The oldest of the 300 is 23 hours old.
  const seconds = Number(answer.headers.get("retry-after"));
  expect(seconds).toBeGreaterThan(3500);
  expect(seconds).toBeLessThanOrEqual(3600);
  expect(
    await sql`select count(*)::int from discovery_sessions where daemon_id = ${daemon} and phase = 'Queued'`,
  ).toEqual([{ count: 1 }]);
  const other = await mintDaemon(organization.id, network.id);
  const path = `/api/v1/daemons/${other}/scan`;
  expect(
    await openApi().send("POST", path, { key: organization.keys.member, json: {} }),
  ).toMatchObject({ status: 201 });
});

/** Records this many requested scans of this age, for daemons that have since been deleted. */
const recordRequests = (organization: string, count: number, age: string) => sql`
  insert into app.requested_scans (organization_id, requested_at)
  select ${organization}, now() - ${age}::interval from generate_series(1, ${count}::int)`;

test("an organization can request at most 10,000 scans in 24 hours, including scans of deleted daemons", async () => {
  const { organization, network, daemon, scan } = await arrange();
  await recordRequests(organization.id, 100, "25 hours");
  await recordRequests(organization.id, 1, "23 hours");
  await recordRequests(organization.id, 9997, "1 hour");
  await mintSession(organization.id, network.id, daemon, inPhase("Complete"));
  expect(await scan({})).toMatchObject({ status: 201 });
  await sql`delete from daemons where id = ${daemon}`;
  const other = await mintDaemon(organization.id, network.id);
  const scanOther = () =>
    openApi().send("POST", `/api/v1/daemons/${other}/scan`, {
      key: organization.keys.member,
      json: {},
    });
  expect(await scanOther()).toMatchObject({ status: 201 });
  const answer = await scanOther();
  expect(answer).toMatchObject({
    status: 429,
    body: {
      code: "rate_limit_exceeded",
      error: expect.stringContaining("The organization requested too many scans within 24 hours"),
      params: { limit: "scans_of_organization", retry_after_seconds: expect.any(Number) },
    },
  });
  // The oldest of the 10,000 is 23 hours old.
  const seconds = Number(answer.headers.get("retry-after"));
  expect(seconds).toBeGreaterThan(3500);
  expect(seconds).toBeLessThanOrEqual(3600);
  expect(
    await sql`select count(*)::int from app.requested_scans
      where organization_id = ${organization.id} and requested_at > now() - interval '1 day'`,
  ).toEqual([{ count: 10_000 }]);
});

test("scans requested by one organization do not count toward another's limit", async () => {
  const { scan } = await arrange();
  await recordRequests((await mintOrganization()).id, 10_000, "1 hour");
  expect(await scan({})).toMatchObject({ status: 201 });
});

test.runIf(inject("isRealPostgres"))(
  "twenty concurrent requests result in ten queued scans",
  async () => {
    const { daemon, scan } = await arrange();
    const answers = await Promise.all(Array.from({ length: 20 }, () => scan({})));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    for (const { status, body } of answers.filter((answer) => answer.status !== 201)) {
      expect({ status, body }).toMatchObject({ status: 409, body: { code: "too_many_scans" } });
    }
    expect(
      await sql`select count(*)::int from discovery_sessions where daemon_id = ${daemon}`,
    ).toEqual([{ count: 10 }]);
  },
);

test("a key limited to specific networks can start and read scans only on those networks", async () => {
  const { organization, network, daemon } = await arrange();
  const session = await mintSession(organization.id, network.id, daemon);
  const key = await mintKey(organization.id, { role: "Owner" }, [organization.networks[1].id]);
  const api = openApi();
  for (const [method, path] of [
    ["POST", `/api/v1/daemons/${daemon}/scan`],
    ["GET", `/api/v1/discovery/sessions/${session}`],
    ["POST", `/api/v1/discovery/sessions/${session}/cancel`],
  ] as const) {
    const json = path.endsWith("scan") ? {} : undefined;
    expect(await api.send(method, path, { key, json })).toMatchObject({ status: 404 });
  }
  expect(await api.send("GET", "/api/v1/discovery/sessions", { key })).toMatchObject({
    body: { data: [], meta: { pagination: { total_count: 0 } } },
  });
});
