import { expect, test } from "vitest";
import { inline } from "../helpers/credentials.ts";
import { leaseDaemon } from "../helpers/daemons.ts";
import { enter, sql } from "../helpers/database.ts";
import { mintDaemon } from "../helpers/organization.ts";
import { openOwners, ownDataKinds, recordSchema } from "../helpers/own-data.ts";
import { openAudit } from "./helpers.ts";

/** A complete credential, as callers send it. */
const credential = (organization_id: string, community: string, values: object = {}) => ({
  organization_id,
  name: "Switches",
  credential_type: { type: "SnmpV2c", community: inline(community) },
  tags: [],
  assigned_network_ids: [],
  host_assignments: [],
  ...values,
});

test("creating, changing and deleting a tag each write an entry with the tag's name at that time", async () => {
  const { api, organization, done, page, send } = await openAudit();
  const { id } = await done("POST", "tags", { name: "old", color: "Red" });
  await api.send("PATCH", `/api/v1/tags/${id}`, {
    key: organization.keys.admin,
    json: { name: "new", color: "Blue" },
    headers: { "X-Request-Id": "a-request" },
  });
  await send("DELETE", `tags/${id}`);
  await sql`update user_api_keys set name = 'Later' where organization_id = ${organization.id}`;
  const { data } = await page({ entity_id: id });
  const entry = { entity: "Tag", entity_id: id, actor: { type: "key", name: "Test" } };
  expect(data).toMatchObject([
    { ...entry, action: "deleted", label: "new", changed: [] },
    {
      ...entry,
      action: "updated",
      label: "new",
      changed: ["color", "name"],
      request_id: "a-request",
    },
    { ...entry, action: "created", label: "old", changed: [] },
  ]);
  expect(new Set(data.map(({ actor }) => actor.id)).size).toBe(2);
});

test("changes to stale_after_hours are logged", async () => {
  const { done, logOf } = await openAudit();
  const { id } = await done("POST", "networks", { name: "Home", stale_after_hours: 24 });
  await done("PATCH", `networks/${id}`, { stale_after_hours: 24 });
  await done("PATCH", `networks/${id}`, { stale_after_hours: 48 });
  await done("PATCH", `networks/${id}`, { name: "Flat", stale_after_hours: null });
  expect(await logOf(id)).toEqual([
    "created",
    "updated stale_after_hours",
    "updated name stale_after_hours",
  ]);
});

test("one update to several fields writes one entry, even within a savepoint", async () => {
  const { done, logOf } = await openAudit();
  const { id } = await done("POST", "tags", { name: "old", color: "Red" });
  await sql.query(`do $$ begin
    -- A block with an exception handler runs in a savepoint.
    update tags set name = 'new', color = 'Blue', description = 'Of all' where id = '${id}';
  exception when division_by_zero then null;
  end $$`);
  expect(await logOf(id)).toEqual(["created", "updated color description name"]);
});

test("one request writes one entry per record and action, however many fields it changes", async () => {
  const { organization, done, logOf } = await openAudit();
  const [network, other] = organization.networks;
  const { id } = await done(
    "POST",
    "credentials",
    credential(organization.id, "first", {
      tags: [organization.tags[0]],
      assigned_network_ids: [network.id],
    }),
  );
  expect(await logOf(id)).toEqual(["created", "assigned assigned_network_ids"]);
  await done(
    "PUT",
    `credentials/${id}`,
    credential(organization.id, "second", {
      name: "Access switches",
      tags: [organization.tags[1]],
      assigned_network_ids: [other.id],
      host_assignments: [
        { host_id: network.host_id, ip_address_ids: [network.ip_address_ids[0]] },
        { host_id: other.host_id, ip_address_ids: null },
      ],
    }),
  );
  expect((await logOf(id)).slice(2).sort()).toEqual([
    "assigned assigned_network_ids host_assignments",
    "unassigned assigned_network_ids",
    "updated credential_type name tags",
  ]);
});

test("a request that changes nothing does not write an entry", async () => {
  const { organization, done, logOf } = await openAudit();
  const [network] = organization.networks;
  const body = credential(organization.id, "first", {
    tags: [organization.tags[0]],
    assigned_network_ids: [network.id],
  });
  const { id } = await done("POST", "credentials", body);
  const before = await logOf(id);
  const read = await done<typeof body>("GET", `credentials/${id}`);
  await done("PUT", `credentials/${id}`, { ...body, credential_type: read.credential_type });
  expect(await logOf(id)).toEqual(before);
});

test("replacing a secret is logged as a change to the credential, although its visible fields stay the same", async () => {
  const { organization, done, logOf } = await openAudit();
  const { id } = await done("POST", "credentials", credential(organization.id, "first"));
  await done("PUT", `credentials/${id}`, credential(organization.id, "second"));
  expect(await logOf(id)).toEqual(["created", "updated credential_type"]);
});

test("creating, limiting, rotating and deleting a key are logged, but using it is not", async () => {
  const { organization, done, logOf } = await openAudit();
  const { api_key } = await done<{ api_key: { id: string } }>("POST", "auth/keys", {
    name: "CI",
    permissions: "Viewer",
  });
  await done("PATCH", `auth/keys/${api_key.id}`, {
    permissions: "Member",
    network_ids: [organization.networks[0].id],
  });
  await done("POST", `auth/keys/${api_key.id}/rotate`, { overlap_seconds: 0 });
  await sql`update user_api_keys set last_used_at = now() where id = ${api_key.id}`;
  await done("DELETE", `auth/keys/${api_key.id}`);
  expect(await logOf(api_key.id)).toEqual([
    "created",
    "updated network_ids permissions",
    "rotated",
    "deleted",
  ]);
});

test("a key that rotates or deletes itself is named as the actor", async () => {
  const { done, page, send } = await openAudit();
  const created = () =>
    done<{ key: string; api_key: { id: string } }>("POST", "auth/keys", {
      name: "CI",
      permissions: "Admin",
    });
  const own = { actor: { type: "key", name: "CI" } };
  for (const [action, method, path, json] of [
    ["rotated", "POST", "/rotate", { overlap_seconds: 0 }],
    ["deleted", "DELETE", "", undefined],
  ] as const) {
    const { key, api_key } = await created();
    await send(method, `auth/keys/${api_key.id}${path}`, json, key);
    expect((await page({ entity_id: api_key.id })).data).toMatchObject([
      { action, ...own },
      { action: "created", actor: { name: "Test" } },
    ]);
  }
  const [one, other] = [await created(), await created()];
  await send("POST", "auth/keys/bulk-delete", [one.api_key.id, other.api_key.id], one.key);
  const { data } = await page({ actor_id: one.api_key.id });
  expect(data).toMatchObject([
    { action: "deleted", ...own },
    { action: "deleted", ...own },
  ]);
});

test("changes to a daemon's user settings are logged, but changes to columns that the poller writes are not", async () => {
  const { organization, done, logOf } = await openAudit();
  const id = await mintDaemon(organization.id, organization.networks[0].id, {
    url: "https://daemon.example.com/",
  });
  await leaseDaemon(id);
  await sql.transaction([
    sql`set local role inventory_poller`,
    sql`update daemons set version = '0.13.0', last_seen_at = now() where id = ${id}`,
  ]);
  await done("PATCH", `daemons/${id}`, {
    name: "Cellar",
    scan_schedule: { cron: "0 3 * * *", timezone: "UTC" },
    tags: [organization.tags[0]],
  });
  await done("POST", `daemons/${id}/retry-connection`);
  expect(await logOf(id)).toEqual(["created", "updated name scan_schedule tags"]);
});

test("scans, cancellations and retried connections are logged with their actor, but requests that have no effect are not", async () => {
  const { organization, done, logOf, send, page } = await openAudit();
  const [network] = organization.networks;
  const id = await mintDaemon(organization.id, network.id, {
    consecutive_failures: 2,
    last_error: "timed_out",
    last_error_at: "2026-01-02T03:04:05.678Z",
  });
  await done("POST", `daemons/${id}/retry-connection`);
  await done("POST", `daemons/${id}/retry-connection`);
  const session = await done("POST", `daemons/${id}/scan`, {});
  await done("POST", `discovery/sessions/${session.id}/cancel`);
  expect(await send("POST", `discovery/sessions/${session.id}/cancel`)).toMatchObject({
    status: 409,
  });
  // The poller starts only scheduled sessions.
  await sql.transaction([
    sql`set local role inventory_poller`,
    sql`insert into discovery_sessions (organization_id, network_id, daemon_id, id, is_scheduled)
      values (${organization.id}, ${network.id}, ${id}, gen_random_uuid(), true)`,
  ]);
  await sql`update daemons set interfaced_cidrs = '{192.0.2.0/24}' where id = ${id}`;
  await done("POST", `hosts/${network.host_id}/rescan`);
  expect(await logOf(id)).toEqual(["created", "retried", "scanned", "cancelled", "scanned"]);
  const { data } = await page({ entity_id: id });
  expect(data[0]).toMatchObject({
    entity: "Daemon",
    label: "Test",
    actor: { type: "key", name: "Test" },
    request_id: expect.any(String),
  });
});

test("a change to the organization's name is logged, but its milestones are not", async () => {
  const { organization, done, logOf } = await openAudit();
  await done("POST", "tags", { name: "first" });
  await done("PUT", `organizations/${organization.id}`, "After");
  expect(await logOf(organization.id)).toEqual(["updated name"]);
});

test("a deletion is logged as a change to each remaining record that it affects", async () => {
  const { organization, done, send, logOf } = await openAudit();
  const [network, other] = organization.networks;
  const tag = await done("POST", "tags", { name: "gone" });
  const assigned = await done(
    "POST",
    "credentials",
    credential(organization.id, "first", {
      assigned_network_ids: [network.id],
      host_assignments: [{ host_id: other.host_id, ip_address_ids: [other.ip_address_ids[0]] }],
    }),
  );
  await done("PATCH", `networks/${other.id}`, { tags: [tag.id] });
  await send("DELETE", `hosts/${other.host_id}`);
  await send("DELETE", `networks/${network.id}?cascade=true`);
  await send("DELETE", `tags/${tag.id}`);
  expect(await logOf(assigned.id)).toEqual([
    "created",
    "assigned assigned_network_ids host_assignments",
    "unassigned host_assignments",
    "unassigned assigned_network_ids",
  ]);
  expect(await logOf(other.id)).toEqual(["created", "updated tags", "updated tags"]);
  expect(await logOf(network.id)).toEqual(["created", "deleted"]);
});

test("a bulk request writes one entry per record, and the actor of changes made without a key is the system", async () => {
  const { organization, done, page } = await openAudit();
  const names = Array.from({ length: 50 }, (_, at) => `bulk ${at}`);
  const tags = await done<{ id: string }[]>(
    "POST",
    "tags/bulk",
    names.map((name) => ({ name })),
  );
  await done(
    "POST",
    "tags/bulk-delete",
    tags.map(({ id }) => id),
  );
  const { data } = await page({ entity: "Tag", limit: "1000" });
  expect(data).toMatchObject([
    ...tags.map(() => ({ action: "deleted", actor: { type: "key" } })),
    ...tags.map(() => ({ action: "created", actor: { type: "key" } })),
    ...organization.tags.map(() => ({
      action: "created",
      actor: { type: "system", id: null, name: null },
    })),
  ]);
});

test("a transaction that fails does not write an entry", async () => {
  const { organization, page } = await openAudit();
  const before = await page({ entity: "Tag" });
  const failed = sql.transaction([
    enter(organization.keys.owner),
    sql`insert into tags (organization_id, name) values (${organization.id}, 'never')`,
    sql`select 1 / 0`,
  ]);
  await expect(failed).rejects.toThrow();
  expect((await page({ entity: "Tag" })).data).toEqual(before.data);
});

/** A change to a field that the audit log names, for each kind of records without history. */
const changes: Readonly<Record<string, { first: object; second: object; entry: string }>> = {
  networks: { first: {}, second: { description: "Of the cellar" }, entry: "updated description" },
  tags: { first: {}, second: { color: "Red" }, entry: "updated color" },
  daemons: {
    first: {},
    second: { scan_schedule: { cron: "0 3 * * *", timezone: "UTC" } },
    entry: "updated scan_schedule",
  },
  credentials: {
    first: { credential_type: { type: "SnmpV2c", community: inline("first-secret") } },
    second: { credential_type: { type: "SnmpV2c", community: inline("second-secret") } },
    entry: "updated credential_type",
  },
};

test.each(
  ownDataKinds.flatMap((kind) => {
    const change = changes[kind.collection];
    return change ? [{ ...kind, ...change }] : [];
  }),
)(
  "upserts and bulk patches of $collection write the entries of single requests",
  async ({ collection, body, first, second, entry }) => {
    const opened = await openOwners();
    const { organization } = opened;
    const logsOf = async (ids: readonly string[]) => {
      const { body: log, text } = await opened.send("GET", "audit?limit=1000");
      expect(text).not.toContain("secret");
      const entries: { entity_id: string; action: string; changed: string[] }[] = Object(log).data;
      return ids.map((id) =>
        entries
          .filter(({ entity_id }) => entity_id === id)
          .map(({ action, changed }) => [action, ...changed].join(" "))
          .toReversed(),
      );
    };
    const ids: string[] = [];
    for (const external_id of ["changed", "kept", "replaced"]) {
      const sent = { ...body(opened), ...first };
      const path = `${collection}/by-external-id/${external_id}`;
      const created = Object((await opened.send("PUT", path, sent)).body).data;
      const record = recordSchema.parse(created.daemon ?? created);
      ids.push(record.id);
      // The secrets in a response are masked, and keep the stored ones.
      expect(await opened.send("PUT", path, record)).toMatchObject({ status: 200 });
      if (external_id === "replaced") {
        expect(await opened.send("PUT", path, { ...sent, ...second })).toMatchObject({
          status: 200,
        });
      }
    }
    const [changed, kept] = ids;
    expect(await logsOf(ids)).toEqual([["created"], ["created"], ["created", entry]]);
    const patches = [
      { id: changed, ...second },
      { id: kept, metadata: {} },
    ];
    const patched = await opened.send("PATCH", `${collection}/bulk`, patches);
    expect(patched).toMatchObject({ status: 200 });
    expect(await logsOf(ids)).toEqual([["created", entry], ["created"], ["created", entry]]);
    const stored = await sql`
    select to_jsonb(entry)::text as text from audit_entries as entry
    where organization_id = ${organization.id}`;
    expect(JSON.stringify(stored)).not.toContain("secret");
  },
);
