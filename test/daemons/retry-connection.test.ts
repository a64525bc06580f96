import { expect, test } from "vitest";
import { seen, succeeded } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { sql } from "../helpers/database.ts";
import { mintDaemon, mintKey, mintOrganization, unreachable } from "../helpers/organization.ts";

const path = (id: string) => `/api/v1/daemons/${id}/retry-connection`;

/** Returns a daemon's whole row. */
async function daemonRow(id: string) {
  const [daemon] = await sql`select to_jsonb(d) as row from daemons as d where id = ${id}`;
  return daemon?.["row"];
}

const failed = { last_error: "timed_out", last_error_at: "2026-01-02T03:04:05.678Z" } as const;

test.each([
  ["an unreachable daemon", unreachable],
  [
    "a daemon with a few failures",
    { ...failed, consecutive_failures: 3, next_poll_at: "2099-01-01Z" },
  ],
  ["a daemon that is being polled", { lease_expires_at: "2099-01-01Z" }],
  ["a healthy daemon", { next_poll_at: "2099-01-01Z" }],
])("after a retry, %s is reachable, has no failures and is due to be polled", async (_, values) => {
  const api = openApi();
  const { id: organizationId, keys, networks } = await mintOrganization();
  const id = await mintDaemon(organizationId, networks[0].id, values);
  const bystander = await mintDaemon(organizationId, networks[0].id, unreachable);
  const [before, bystanderBefore] = [await daemonRow(id), await daemonRow(bystander)];

  const answer = await api.send("POST", path(id), { key: keys.member });

  expect(seen(answer)).toEqual(succeeded());
  expect(answer.body).toEqual({
    success: true,
    data: {},
    meta: { api_version: 1, server_version: expect.any(String) },
  });
  expect(await api.calls()).toBe(1);
  const after = await daemonRow(id);
  expect(after).toEqual({
    ...before,
    is_unreachable: false,
    unreachable_since: null,
    consecutive_failures: 0,
    lease_expires_at: null,
    poll_generation: before.poll_generation + 1,
    next_poll_at: after.next_poll_at,
    due_at: after.next_poll_at,
    updated_at: after.updated_at,
    revision: before.revision + 1,
  });
  const [due] = await sql`
    select next_poll_at <= now() and next_poll_at > now() - interval '1 minute' as is_now
    from daemons where id = ${id}`;
  expect(due).toEqual({ is_now: true });
  expect(await daemonRow(bystander)).toEqual(bystanderBefore);
});

test("a retry does not move a daemon that is already due", async () => {
  const api = openApi();
  const { id: organizationId, keys, networks } = await mintOrganization();
  const next_poll_at = "2026-01-02T03:04:05.678Z";
  const id = await mintDaemon(organizationId, networks[0].id, { ...failed, next_poll_at });
  expect(await api.send("POST", path(id), { key: keys.member })).toMatchObject({ status: 200 });
  const after = await daemonRow(id);
  expect(Date.parse(after.next_poll_at)).toBe(Date.parse(next_poll_at));
});

test("a retry can be requested again", async () => {
  const api = openApi();
  const { id: organizationId, keys, networks } = await mintOrganization();
  const id = await mintDaemon(organizationId, networks[0].id, unreachable);
  const first = await api.send("POST", path(id), { key: keys.member });
  const second = await api.send("POST", path(id.toUpperCase()), { key: keys.member });
  expect(second).toMatchObject({ status: 200, text: first.text });
  expect(await daemonRow(id)).toMatchObject({ is_unreachable: false, consecutive_failures: 0 });
});

test.each([
  ["JSON", "application/json", '{"is_unreachable":true}'],
  ["malformed JSON", "application/json", "{"],
  ["plain text", "text/plain", "please"],
  ["a form", "application/x-www-form-urlencoded", "id=1"],
])("ignores a body with %s", async (_, type, body) => {
  const api = openApi();
  const { id: organizationId, keys, networks } = await mintOrganization();
  const id = await mintDaemon(organizationId, networks[0].id, unreachable);
  const answer = await api.send("POST", path(id), {
    key: keys.member,
    headers: { "Content-Type": type },
    body,
  });
  expect(answer).toMatchObject({ status: 200, body: { success: true, data: {} } });
  expect(await daemonRow(id)).toMatchObject({ is_unreachable: false, consecutive_failures: 0 });
});

test("a key limited to specific networks can retry daemons on those networks", async () => {
  const api = openApi();
  const { id: organizationId, networks } = await mintOrganization();
  const key = await mintKey(organizationId, { role: "Member" }, [networks[0].id]);
  const id = await mintDaemon(organizationId, networks[0].id, unreachable);
  expect(seen(await api.send("POST", path(id), { key }))).toEqual(succeeded());
  expect(await daemonRow(id)).toMatchObject({ is_unreachable: false });
});
