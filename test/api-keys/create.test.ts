import { describe, expect, test } from "vitest";
import { typeOfKey } from "../../src/api-key.ts";
import { roles } from "../../src/roles.ts";
import { failed, invalidAt, seen, unauthorized } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { allShownIn, createKey, shownIn, whoami } from "../helpers/api-keys.ts";
import { sql } from "../helpers/database.ts";
import { mintKey, mintOrganization } from "../helpers/organization.ts";
import { changingNothing, rowsHolding } from "../helpers/rows.ts";

const path = "/api/v1/auth/keys";
const valid = { name: "CI", permissions: "Viewer" };

test("returns the plaintext once, the key works immediately, and the database stores only its hash", async () => {
  const api = openApi();
  const { id: organization_id, keys } = await mintOrganization();
  const answer = await api.send("POST", path, { key: keys.admin, json: valid });
  expect(await api.calls()).toBe(1);
  const { api_key, key } = shownIn(answer);
  expect(typeOfKey(key)).toBe("user");
  expect(api_key).toEqual({
    ...valid,
    id: expect.any(String),
    created_at: expect.any(String),
    updated_at: expect.any(String),
    organization_id,
    network_ids: null,
    expires_at: null,
    is_enabled: true,
    last_used_at: null,
    key_hint: key.slice(-4),
  });
  expect(answer.status).toBe(201);
  expect(answer.headers.get("location")).toBe(`${path}/${api_key.id}`);
  const read = await api.send("GET", `${path}/${api_key.id}`, { key: keys.viewer });
  expect(read.headers.get("etag")).toBe(answer.headers.get("etag"));
  expect(read).toMatchObject({ status: 200, body: { data: api_key } });
  expect(await whoami(api, key)).toMatchObject({ body: { data: { api_key: { id: api_key.id } } } });
  expect(await rowsHolding([key, key.slice(6, -6)])).toEqual([]);
  const stored = await sql`
    select key_hash = sha256(convert_to(${key}, 'UTF8')) as is_hash, expires_at
    from user_api_key_secrets where api_key_id = ${api_key.id}`;
  expect(stored).toEqual([{ is_hash: true, expires_at: null }]);
});

test("no other response contains a plaintext", async () => {
  const api = openApi();
  const { keys } = await mintOrganization();
  const { api_key, key } = await createKey(api, keys.owner, valid);
  const answers = [
    await api.send("GET", `${path}/${api_key.id}`, { key: keys.owner }),
    await api.send("GET", path, { key: keys.owner }),
    await api.send("GET", `${path}?limit=0`, { key: keys.owner }),
    await api.send("PUT", `${path}/${api_key.id}`, { key: keys.owner, json: valid }),
    await whoami(api, key),
  ];
  for (const { status, text } of answers) {
    expect(status).toBe(200);
    expect(text).not.toContain("inv_u_");
  }
});

describe("assigning a role to a new key", () => {
  const callers = ["admin", "owner"] as const;
  test.each(callers.flatMap((caller) => roles.map((role) => ({ caller, role }))))(
    "$role, by a key with the role $caller",
    async ({ caller, role }) => {
      const api = openApi();
      const { id, keys } = await mintOrganization();
      const json = { ...valid, permissions: role };
      if (caller === "admin" && role === "Owner") {
        const params = { required_role: "Owner", role: "Admin" };
        const attempt = () => api.send("POST", path, { key: keys.admin, json });
        expect(seen(await changingNothing(id, attempt))).toEqual(
          failed("auth_permission_denied", params),
        );
      } else {
        const { key } = await createKey(api, keys[caller], json);
        expect(await whoami(api, key)).toMatchObject({
          status: 200,
          body: { data: { api_key: { permissions: role } } },
        });
      }
    },
  );
});

test.each([
  ["POST", ""],
  ["POST", "/bulk"],
  ["POST", "/bulk-delete"],
  ["PUT", "/:id"],
  ["DELETE", "/:id"],
  ["POST", "/:id/rotate"],
])(
  "rejects %s %s with a key limited to specific networks, even if its role is Owner",
  async (method, rest) => {
    const api = openApi();
    const { id, keys, networks } = await mintOrganization();
    const { api_key } = await createKey(api, keys.owner, valid);
    const limited = await mintKey(id, { role: "Owner" }, [networks[0].id, networks[1].id]);
    const bodies: Record<string, unknown> = {
      "": valid,
      "/bulk": [valid],
      "/bulk-delete": [api_key.id],
      "/:id": valid,
      "/:id/rotate": {},
    };
    const json = method === "DELETE" ? undefined : bodies[rest];
    const attempt = () =>
      api.send(method, path + rest.replace(":id", api_key.id), { key: limited, json });
    expect(seen(await changingNothing(id, attempt))).toEqual(failed("auth_scope_denied"));
  },
);

describe("assigning networks to a new key", () => {
  test("null gives access to all networks, including networks created later", async () => {
    const api = openApi();
    const { keys, networks } = await mintOrganization();
    const { key } = await createKey(api, keys.admin, { ...valid, network_ids: null });
    const listed = await api.send("GET", "/api/v1/networks", { key });
    expect(listed).toMatchObject({
      body: { meta: { pagination: { total_count: networks.length } } },
    });
  });

  test("a list gives access only to the networks in it, and an empty list gives access to none", async () => {
    const api = openApi();
    const { keys, networks } = await mintOrganization();
    const ids = networks.map(({ id }) => id).sort();
    for (const network_ids of [[networks[1].id], ids, []]) {
      const { api_key, key } = await createKey(api, keys.admin, { ...valid, network_ids });
      expect(api_key.network_ids).toEqual(network_ids);
      const listed = await api.send("GET", "/api/v1/networks?order_by=created_at", {
        key,
      });
      expect(listed).toMatchObject({
        status: 200,
        body: { meta: { pagination: { total_count: network_ids.length } } },
      });
      expect(await whoami(api, key)).toMatchObject({
        body: { data: { api_key: { network_ids } } },
      });
    }
  });

  test("rejects another organization's network as if it did not exist", async () => {
    const api = openApi();
    const { id, keys, networks } = await mintOrganization();
    const other = await mintOrganization();
    for (const network of [other.networks[0].id, crypto.randomUUID()]) {
      const params = { entity: "Network", field: "body.network_ids", id: network };
      const json = { ...valid, network_ids: [networks[0].id, network] };
      const attempt = () => api.send("POST", path, { key: keys.admin, json });
      expect(seen(await changingNothing(id, attempt))).toEqual(
        failed("entity_reference_invalid", params),
      );
    }
  });
});

test("a key stops working at its expires_at, and the error contains that time", async () => {
  const api = openApi();
  const { keys } = await mintOrganization();
  const past = "2026-01-02T03:04:05.678Z";
  const { api_key, key } = await createKey(api, keys.admin, valid);
  await sql`update user_api_keys set expires_at = ${past} where id = ${api_key.id}`;
  expect(seen(await whoami(api, key))).toEqual(
    unauthorized("auth_key_expired", { expired_at: past }),
  );
  const later = await createKey(api, keys.admin, {
    ...valid,
    expires_at: "2999-01-01T01:00:00+01:00",
  });
  expect(later.api_key.expires_at).toBe("2999-01-01T00:00:00.000Z");
  expect((await whoami(api, later.key)).status).toBe(200);
});

test("a key created as disabled does not work", async () => {
  const api = openApi();
  const { keys } = await mintOrganization();
  const { key } = await createKey(api, keys.admin, { ...valid, is_enabled: false });
  expect(seen(await whoami(api, key))).toEqual(unauthorized("auth_key_disabled"));
});

test("ignores response-only fields, and reports unknown and invalid fields", async () => {
  const api = openApi();
  const { keys } = await mintOrganization();
  const first = await createKey(api, keys.admin, valid);
  const second = await createKey(api, keys.admin, { ...first.api_key, id: crypto.randomUUID() });
  expect(second.api_key.key_hint).toBe(second.key.slice(-4));
  const wrong = {
    name: " ",
    permissions: "viewer",
    network_ids: "all",
    expires_at: "2027-01-01",
    is_enabled: "yes",
  };
  const answer = await api.send("POST", path, { key: keys.admin, json: wrong });
  expect(seen(answer)).toEqual(invalidAt(...Object.keys(wrong).map((name) => `body.${name}`)));
});

test("accepts an unused id from the caller, and rejects one that is taken", async () => {
  const api = openApi();
  const { keys } = await mintOrganization();
  const json = { ...valid, id: crypto.randomUUID() };
  expect((await createKey(api, keys.admin, json)).api_key.id).toBe(json.id);
  const again = await api.send("POST", path, { key: keys.admin, json });
  const params = { entity: "ApiKey", field: "body.id", id: json.id };
  expect(seen(again)).toEqual(failed("entity_already_exists", params));
});

describe("Idempotency-Key", () => {
  test.each([
    ["one key", "", valid],
    ["many keys", "/bulk", [valid, { ...valid, name: "Second" }]],
  ])("replaying %s returns the records without their plaintexts", async (_, rest, json) => {
    const api = openApi();
    const { id, keys } = await mintOrganization();
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const send = () => api.send("POST", path + rest, { key: keys.admin, headers, json });
    const first = await send();
    const created = rest === "" ? [shownIn(first)] : allShownIn(first);
    const replay = await changingNothing(id, send);
    expect(replay.status).toBe(201);
    expect(replay.headers.get("idempotent-replayed")).toBe("true");
    const records = created.map(({ api_key }) => ({ api_key, key: null }));
    expect(replay).toMatchObject({ body: { data: rest === "" ? records[0] : records } });
    expect(replay.text).not.toContain("inv_u_");
    expect(await rowsHolding(created.map(({ key }) => key))).toEqual([]);
    const [count] = await sql`
      select count(*)::int from user_api_keys where organization_id = ${id} and key_hint is not null`;
    expect(count).toEqual({ count: created.length });
  });

  test("replaying the creation of a key that has since been deleted returns 404", async () => {
    const api = openApi();
    const { keys } = await mintOrganization();
    const headers = { "Idempotency-Key": "a" };
    const send = () => api.send("POST", path, { key: keys.admin, headers, json: valid });
    const { id } = shownIn(await send()).api_key;
    await api.send("DELETE", `${path}/${id}`, { key: keys.admin });
    expect(seen(await send())).toEqual(failed("entity_not_found", { entity: "ApiKey", id }));
  });

  test("rejects the same Idempotency-Key with a different body", async () => {
    const api = openApi();
    const { keys } = await mintOrganization();
    const headers = { "Idempotency-Key": "a" };
    await api.send("POST", path, { key: keys.admin, headers, json: valid });
    const json = { ...valid, permissions: "Member" };
    expect(seen(await api.send("POST", path, { key: keys.admin, headers, json }))).toEqual(
      failed("idempotency_key_reused"),
    );
  });
});
