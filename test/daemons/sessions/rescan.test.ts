import { expect, inject, test } from "vitest";
import { openApi } from "../../helpers/api.ts";
import { sql } from "../../helpers/database.ts";
import { mintDaemon, mintKey, mintOrganization, unreachable } from "../../helpers/organization.ts";
import { recordIn } from "../../helpers/records.ts";
import { inPhase, mintSession } from "../../helpers/sessions.ts";

/** The host of an organization's first network has the addresses 192.0.2.1 and 192.0.2.2. */
const attached = { interfaced_cidrs: ["192.0.2.0/24"] };

async function arrange() {
  const organization = await mintOrganization();
  const [network, otherNetwork] = organization.networks;
  const rescan = (
    options: { key?: string; headers?: Record<string, string>; json?: unknown; host?: string } = {},
  ) =>
    openApi().send("POST", `/api/v1/hosts/${options.host ?? network.host_id}/rescan`, {
      key: options.key ?? organization.keys.member,
      json: options.json,
      headers: options.headers ?? {},
    });
  return {
    organization,
    network,
    otherNetwork,
    rescan,
    mint: (values: Parameters<typeof mintDaemon>[2] = {}, network_id = network.id) =>
      mintDaemon(organization.id, network_id, { ...attached, ...values }),
  };
}

const noDaemon = (id: string) => ({
  status: 409,
  body: {
    code: "no_daemon",
    error: expect.stringContaining("provision a daemon there"),
    params: { id },
  },
});

test("a rescan is queued as a light scan of one host, and the Location header points to it", async () => {
  const { organization, network, rescan, mint } = await arrange();
  const daemon = await mint();
  const answer = await rescan();
  const session = recordIn(answer, 201);
  expect(session).toEqual({
    id: session.id,
    created_at: session.created_at,
    updated_at: session.created_at,
    organization_id: organization.id,
    network_id: network.id,
    daemon_id: daemon,
    host_id: network.host_id,
    phase: "Queued",
    progress: 0,
    hosts_discovered: null,
    error: null,
    subnet_ids: null,
    is_full_scan: false,
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

test.each<[string, Parameters<typeof mintDaemon>[2]]>([
  ["is unreachable", unreachable],
  ["is attached to other subnets", { interfaced_cidrs: ["192.0.3.0/24", "192.0.2.128/25"] }],
  ["has not reported its subnets", { interfaced_cidrs: [] }],
])("a daemon that %s does not reach the host", async (_, values) => {
  const { network, rescan, mint } = await arrange();
  expect(await rescan()).toMatchObject(noDaemon(network.host_id));
  await mint(values);
  expect(await rescan()).toMatchObject(noDaemon(network.host_id));
  expect(await sql`select from discovery_sessions where network_id = ${network.id}`).toEqual([]);
  await mint();
  expect(await rescan()).toMatchObject({ status: 201 });
});

test("a daemon of another network does not reach the host", async () => {
  const { network, otherNetwork, rescan, mint } = await arrange();
  await mint({}, otherNetwork.id);
  expect(await rescan()).toMatchObject(noDaemon(network.host_id));
});

test("no daemon reaches a host without an address", async () => {
  const { organization, network, rescan, mint } = await arrange();
  await mint();
  const created = await openApi().send("POST", "/api/v1/hosts", {
    key: organization.keys.member,
    json: { name: "Test", network_id: network.id, tags: [] },
  });
  const { id } = recordIn(created, 201);
  expect(await rescan({ host: id })).toMatchObject(noDaemon(id));
});

test.each([
  ["loopback", "127.0.0.1", "127.0.0.0/8", "Unknown"],
  ["link-local", "169.254.3.4", "169.254.0.0/16", "Unknown"],
  ["container bridge", "172.17.0.1", "172.17.0.0/16", "DockerBridge"],
])("a daemon does not reach a host at a %s address", async (_, address, cidr, type) => {
  const { organization, network, rescan, mint } = await arrange();
  await sql`insert into subnets (organization_id, network_id, id, cidr, name, subnet_type)
    values (${organization.id}, ${network.id}, gen_random_uuid(), ${cidr}, 'Test', ${type})`;
  await sql`insert into ip_addresses (organization_id, network_id, host_id, id, address)
    values (${organization.id}, ${network.id}, ${network.host_id}, gen_random_uuid(), ${address})`;
  await mint({ interfaced_cidrs: [cidr] });
  expect(await rescan()).toMatchObject(noDaemon(network.host_id));
});

test("the daemon that last found the host scans it; otherwise, the daemon that was seen last", async () => {
  const { organization, network, rescan, mint } = await arrange();
  const failing = { consecutive_failures: 1, last_error: "timed_out" } as const;
  const last_error_at = "2026-01-02T03:04:05.678Z";
  await mint();
  const finder = await mint({
    ...failing,
    last_error_at,
    last_seen_at: "2026-01-01T00:00:00.000Z",
  });
  await mint({ ...failing, last_error_at, last_seen_at: "2026-01-09T00:00:00.000Z" });
  const healthy = await mint({ last_seen_at: "2026-01-02T00:00:00.000Z" });
  await mint({ last_seen_at: "2026-01-01T12:00:00.000Z" });
  expect(recordIn(await rescan(), 201)).toMatchObject({ daemon_id: healthy });
  const found = await mintSession(organization.id, network.id, finder, inPhase("Complete"));
  await sql`update hosts set last_discovery_id = ${found} where id = ${network.host_id}`;
  expect(recordIn(await rescan(), 201)).toMatchObject({ daemon_id: finder });
});

test("a host of another organization, a deleted host and an unknown host are not found", async () => {
  const { rescan, mint, network, organization } = await arrange();
  await mint();
  const other = await arrange();
  await other.mint();
  const notFound = { status: 404, body: { code: "entity_not_found", params: { entity: "Host" } } };
  expect(await rescan({ host: other.network.host_id })).toMatchObject(notFound);
  expect(await rescan({ host: crypto.randomUUID() })).toMatchObject(notFound);
  await openApi().send("DELETE", `/api/v1/hosts/${network.host_id}`, {
    key: organization.keys.member,
  });
  expect(await rescan()).toMatchObject(notFound);
});

test("a key limited to specific networks can rescan hosts only on those networks", async () => {
  const { organization, network, otherNetwork, rescan, mint } = await arrange();
  await mint();
  const beyond = await mintKey(organization.id, { role: "Owner" }, [otherNetwork.id]);
  expect(await rescan({ key: beyond })).toMatchObject({ status: 404 });
  const within = await mintKey(organization.id, { role: "Member" }, [network.id]);
  expect(await rescan({ key: within })).toMatchObject({ status: 201 });
});

test("a rescan requires the role Member", async () => {
  const { organization, rescan, mint } = await arrange();
  await mint();
  expect(await rescan({ key: organization.keys.viewer })).toMatchObject({
    status: 403,
    body: { code: "auth_permission_denied", params: { required_role: "Member" } },
  });
});

test("a repeated request with the same Idempotency-Key returns the same rescan", async () => {
  const { network, rescan, mint } = await arrange();
  await mint();
  const headers = { "Idempotency-Key": crypto.randomUUID() };
  const first = await rescan({ headers });
  const second = await rescan({ headers });
  expect(second.headers.get("Idempotent-Replayed")).toBe("true");
  expect(recordIn(second, 201)).toEqual(recordIn(first, 201));
  expect(
    await sql`select count(*)::int from discovery_sessions where host_id = ${network.host_id}`,
  ).toEqual([{ count: 1 }]);
  expect(await rescan({ headers, json: { id: crypto.randomUUID() } })).toMatchObject({
    status: 422,
    body: { code: "idempotency_key_reused" },
  });
});

test("rescans count towards the limit of waiting and running scans", async () => {
  const { organization, network, rescan, mint } = await arrange();
  const daemon = await mint();
  for (let waiting = 0; waiting < 9; waiting++) {
    await mintSession(organization.id, network.id, daemon);
  }
  expect(await rescan()).toMatchObject({ status: 201 });
  expect(await rescan()).toMatchObject({
    status: 409,
    body: { code: "too_many_scans", params: { id: daemon, maximum: 10 } },
  });
});

test("the caller can choose the id of a rescan", async () => {
  const { rescan, mint } = await arrange();
  await mint();
  const id = crypto.randomUUID();
  expect(recordIn(await rescan({ json: { id } }), 201)).toMatchObject({ id });
  expect(await rescan({ json: { id } })).toMatchObject({
    status: 409,
    body: { code: "entity_already_exists" },
  });
  expect(await rescan({ json: { is_full_scan: true } })).toMatchObject({
    status: 400,
    body: { code: "validation_failed" },
  });
});

test.runIf(inject("isRealPostgres"))(
  "of a rescan and the deletion of the only daemon, either the rescan fails or it is deleted",
  async () => {
    const { organization, network, rescan, mint } = await arrange();
    const daemon = await mint();
    const [answer, deleted] = await Promise.all([
      rescan(),
      openApi().send("DELETE", `/api/v1/daemons/${daemon}`, { key: organization.keys.member }),
    ]);
    expect(deleted.status).toBe(200);
    expect([201, 409]).toContain(answer.status);
    expect(await sql`select from discovery_sessions where host_id = ${network.host_id}`).toEqual(
      [],
    );
  },
);
