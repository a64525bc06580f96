import { decode } from "hono/jwt";
import { beforeAll, describe, expect, test } from "vitest";
import { failed, invalidAt, listed, seen, succeeded, unauthorized } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { keyIdOf, whoami } from "../helpers/api-keys.ts";
import { sql } from "../helpers/database.ts";
import { fakeLimiter } from "../helpers/limiter.ts";
import { mintKey, mintOrganization, type Organization } from "../helpers/organization.ts";
import { changingNothing } from "../helpers/rows.ts";
import { issuedIn, mintToken } from "../helpers/tokens.ts";

const path = "/api/v1/auth/tokens";
const valid = { permissions: "Viewer", subject: "user-4711" };
const inSeconds = (seconds: number) =>
  new Date(Math.ceil(Date.now() / 1000 + seconds) * 1000).toISOString();

let own: Organization;

beforeAll(async () => {
  own = await mintOrganization();
});

const issue = (key: string, json: unknown) => openApi().send("POST", path, { key, json });

const read = (key: string, resource = "hosts") =>
  openApi().send("GET", `/api/v1/${resource}`, { key });

describe("an issued token", () => {
  test("is accepted like a key, and names its subject and its key", async () => {
    const api = openApi();
    const answer = await api.send("POST", path, { key: own.keys.admin, json: valid });
    expect(answer).toMatchObject({ status: 201 });
    expect(await api.calls()).toBe(1);
    const { token, expires_at } = issuedIn(answer);
    expect(decode(token)).toEqual({
      header: { alg: "EdDSA", typ: "JWT", kid: "demo" },
      payload: {
        iss: "network-inventory-api",
        aud: "network-inventory-api",
        sub: "user-4711",
        client_id: await keyIdOf(own.keys.admin),
        jti: expect.stringMatching(/^[\w-]{43}$/),
        iat: expect.any(Number),
        exp: Date.parse(expires_at) / 1000,
      },
    });
    expect(await whoami(openApi(), token)).toMatchObject({
      status: 200,
      body: {
        data: {
          api_key: { id: await keyIdOf(own.keys.admin), permissions: "Admin" },
          token: { ...valid, network_ids: null, expires_at },
          organization: { id: own.id },
        },
      },
    });
  });

  test("is valid for 15 minutes by default, and for one minute to one hour on request", async () => {
    for (const [sent, seconds] of [
      [{}, 900],
      [{ expires_in: 60 }, 60],
      [{ expires_in: 3600 }, 3600],
    ] as const) {
      const before = Date.now();
      const { expires_at } = issuedIn(await issue(own.keys.admin, { ...valid, ...sent }));
      const left = (Date.parse(expires_at) - before) / 1000;
      // The end is rounded down to a second, and the database has its own clock.
      expect(left).toBeGreaterThan(seconds - 2);
      expect(left).toBeLessThan(seconds + 10);
    }
  });

  test("expires no later than the key that issued it", async () => {
    const expires_at = inSeconds(120);
    const key = await mintKey(own.id, { role: "Admin", expires_at });
    expect(issuedIn(await issue(key, valid)).expires_at).toBe(expires_at);
  });

  test("has a subject of 1 to 200 characters after trimming", async () => {
    for (const subject of ["x", "🙂".repeat(200), ` ${"x".repeat(200)} `]) {
      const { token } = issuedIn(await issue(own.keys.admin, { ...valid, subject }));
      expect(await whoami(openApi(), token)).toMatchObject({
        body: { data: { token: { subject: subject.trim() } } },
      });
    }
  });

  test.each([
    ["a character of four bytes", "🙂"],
    ["a character that JSON escapes with six", "\u0001"],
  ])("is accepted with the longest subject, made of %s", async (_, character) => {
    const subject = character.repeat(200);
    const { token } = issuedIn(await issue(own.keys.admin, { ...valid, subject }));
    expect(await whoami(openApi(), token)).toMatchObject({
      body: { data: { token: { subject } } },
    });
  });
});

test.each([
  ["an unknown field", { tags: [] }, "body.tags"],
  ["a blank subject", { subject: " " }, "body.subject"],
  ["a subject of 201 characters", { subject: "x".repeat(201) }, "body.subject"],
  ["an unknown role", { permissions: "Root" }, "body.permissions"],
  ["59 seconds", { expires_in: 59 }, "body.expires_in"],
  ["3601 seconds", { expires_in: 3601 }, "body.expires_in"],
  ["part of a second", { expires_in: 60.5 }, "body.expires_in"],
])("rejects %s", async (_, values, issuePath) => {
  const answer = await changingNothing(own.id, () =>
    issue(own.keys.admin, { ...valid, ...values }),
  );
  expect(seen(answer)).toEqual(invalidAt(issuePath));
});

test("a key cannot issue a token with a higher role than its own", async () => {
  const answer = await changingNothing(own.id, () =>
    issue(own.keys.admin, { ...valid, permissions: "Owner" }),
  );
  expect(seen(answer)).toEqual(
    failed("auth_permission_denied", { required_role: "Owner", role: "Admin" }),
  );
});

test("a key cannot issue a token for networks outside its own", async () => {
  const other = await mintOrganization();
  const [first, second] = own.networks;
  const limited = await mintKey(own.id, { role: "Admin" }, [first.id]);
  for (const [key, id] of [
    [own.keys.admin, other.networks[0].id],
    [own.keys.admin, crypto.randomUUID()],
    [limited, second.id],
  ] as const) {
    const answer = await changingNothing(own.id, () =>
      issue(key, { ...valid, network_ids: [first.id, id] }),
    );
    expect(seen(answer)).toEqual(
      failed("entity_reference_invalid", { entity: "Network", field: "body.network_ids", id }),
    );
  }
  const { token } = issuedIn(await issue(limited, { ...valid, network_ids: [first.id] }));
  expect(listed((await read(token, "networks")).body).map(({ id }) => id)).toEqual([first.id]);
});

test("a key can have 10,000 valid tokens, and expired ones do not count", async () => {
  const key = await mintKey(own.id, { role: "Admin" });
  const fill = (count: number, expires_at: string) => sql`
    insert into user_api_tokens (
      organization_id, api_key_id, key_hash, token_hash, role, subject, expires_at)
    select organization_id, api_key_id, key_hash, sha256(convert_to(gen_random_uuid()::text, 'UTF8')),
      'Viewer', 'user', ${expires_at}
    from user_api_key_secrets cross join generate_series(1, ${count}::int)
    where key_hash = sha256(convert_to(${key}, 'UTF8'))`;
  await fill(1, "2026-01-01T00:00:00Z");
  await fill(9999, inSeconds(600));
  expect(await issue(key, valid)).toMatchObject({ status: 201 });
  const answer = await changingNothing(own.id, () => issue(key, valid));
  expect(answer).toMatchObject({
    status: 429,
    body: { code: "rate_limit_exceeded", params: { limit: "tokens_of_key" } },
  });
  const wait = Number(answer.headers.get("retry-after"));
  expect(wait).toBeGreaterThan(500);
  expect(wait).toBeLessThanOrEqual(601);
  expect(await issue(own.keys.admin, valid)).toMatchObject({ status: 201 });
});

describe("a token cannot", () => {
  const keysPath = "/api/v1/auth/keys";
  test.each([
    ["issue a token", "POST", () => path, valid],
    ["create a key", "POST", () => keysPath, { name: "New", permissions: "Viewer" }],
    ["create keys", "POST", () => `${keysPath}/bulk`, [{ name: "New", permissions: "Viewer" }]],
    [
      "replace a key",
      "PUT",
      (id: string) => `${keysPath}/${id}`,
      { name: "New", permissions: "Viewer" },
    ],
    ["change a key", "PATCH", (id: string) => `${keysPath}/${id}`, { name: "New" }],
    ["rotate a key", "POST", (id: string) => `${keysPath}/${id}/rotate`, {}],
    ["delete a key", "DELETE", (id: string) => `${keysPath}/${id}`, undefined],
  ] as const)("%s", async (_, method, pathOf, json) => {
    const token = await mintToken(own.keys.owner);
    const id = await keyIdOf(own.keys.viewer);
    const answer = await changingNothing(own.id, () =>
      openApi().send(method, pathOf(id), { key: token, json }),
    );
    expect(seen(answer)).toEqual(failed("auth_scope_denied", { reason: "token" }));
  });

  test("delete keys in bulk", async () => {
    const token = await mintToken(own.keys.owner);
    const answer = await changingNothing(own.id, async () =>
      openApi().send("POST", `${keysPath}/bulk-delete`, {
        key: token,
        json: [await keyIdOf(own.keys.viewer)],
      }),
    );
    expect(seen(answer)).toEqual(failed("auth_scope_denied", { reason: "token" }));
  });
});

describe("a token ends", () => {
  test.each([
    [
      "is disabled",
      (id: string) => sql`update user_api_keys set is_enabled = false where id = ${id}`,
    ],
    ["is deleted", (id: string) => sql`delete from user_api_keys where id = ${id}`],
    ["expires", (id: string) => sql`update user_api_keys set expires_at = now() where id = ${id}`],
  ])("when its key %s", async (_, end) => {
    const key = await mintKey(own.id, { role: "Admin" });
    const token = await mintToken(key);
    expect(seen(await read(token))).toEqual(succeeded());
    await end(await keyIdOf(key));
    const api = openApi();
    const answer = await changingNothing(own.id, () =>
      api.send("POST", "/api/v1/tags", { key: token, json: { name: "New" } }),
    );
    expect(seen(answer)).toEqual(unauthorized("auth_not_authenticated"));
    expect(await api.calls()).toBe(1);
  });

  test("when its key's plaintext is replaced, after the overlap", async () => {
    const key = await mintKey(own.id, { role: "Admin" });
    const id = await keyIdOf(key);
    const token = await mintToken(key);
    const rotate = (overlap_seconds: number) =>
      openApi().send("POST", `/api/v1/auth/keys/${id}/rotate`, {
        key: own.keys.owner,
        json: { overlap_seconds },
      });
    expect(await rotate(60)).toMatchObject({ status: 200 });
    expect(seen(await read(token))).toEqual(succeeded());
    await sql`update user_api_key_secrets set expires_at = now()
      where api_key_id = ${id} and expires_at is not null`;
    expect(seen(await read(token))).toEqual(unauthorized("auth_not_authenticated"));
  });

  test("when its key's plaintext is replaced without an overlap", async () => {
    const key = await mintKey(own.id, { role: "Admin" });
    const token = await mintToken(key);
    const answer = await openApi().send("POST", `/api/v1/auth/keys/${await keyIdOf(key)}/rotate`, {
      key: own.keys.owner,
      json: {},
    });
    expect(answer).toMatchObject({ status: 200 });
    expect(seen(await read(token))).toEqual(unauthorized("auth_not_authenticated"));
  });

  test("when it expires, which needs no database call", async () => {
    const expires_at = "2026-01-02T03:04:05.000Z";
    const api = openApi();
    const answer = await api.send("GET", "/api/v1/hosts", {
      key: await mintToken(own.keys.owner, { expires_at }),
    });
    expect(seen(answer)).toEqual(unauthorized("auth_token_expired", { expired_at: expires_at }));
    expect(await api.calls()).toBe(0);
  });

  test("when the database considers it expired, even if the Worker's clock is behind", async () => {
    const token = await mintToken(own.keys.owner, { subject: "behind" });
    await sql`update user_api_tokens set expires_at = '2026-01-02T03:04:05Z'
      where organization_id = ${own.id} and subject = 'behind'`;
    expect(seen(await read(token))).toEqual(
      unauthorized("auth_token_expired", { expired_at: "2026-01-02T03:04:05.000Z" }),
    );
  });
});

describe("a token has at most the current rights of its key", () => {
  test("its role is the lower of both", async () => {
    const key = await mintKey(own.id, { role: "Admin" });
    const token = await mintToken(key, { role: "Owner" });
    const create = () =>
      openApi().send("POST", "/api/v1/tags", { key: token, json: { name: crypto.randomUUID() } });
    expect(await create()).toMatchObject({ status: 201 });
    await sql`update user_api_keys set role = 'Viewer' where id = ${await keyIdOf(key)}`;
    expect(seen(await create())).toEqual(
      failed("auth_permission_denied", { required_role: "Admin", role: "Viewer" }),
    );
    expect(await whoami(openApi(), token)).toMatchObject({
      body: { data: { token: { permissions: "Viewer" } } },
    });
  });

  test("its networks are those of both", async () => {
    const { id, keys, networks } = await mintOrganization();
    const [first, second] = networks;
    const limited = await mintKey(id, { role: "Admin" }, [first.id]);
    const both = [first.id, second.id];
    for (const [key, network_ids, expected] of [
      [keys.admin, null, both],
      [keys.admin, [first.id], [first.id]],
      [keys.admin, [], []],
      [limited, null, [first.id]],
      [limited, both, [first.id]],
      [limited, [second.id], []],
    ] as const) {
      const token = await mintToken(key, { network_ids: network_ids && [...network_ids] });
      const hosts = listed((await read(token)).body).map((host) => host["network_id"]);
      expect(hosts.sort()).toEqual([...expected].sort());
      const isUnlimited = key === keys.admin && network_ids === null;
      expect(await whoami(openApi(), token)).toMatchObject({
        body: { data: { token: { network_ids: isUnlimited ? null : [...expected].sort() } } },
      });
      const rename = await openApi().send("POST", "/api/v1/tags", {
        key: token,
        json: { name: crypto.randomUUID() },
      });
      expect(rename.status).toBe(isUnlimited ? 201 : 403);
    }
  });

  test("it loses a network that its key loses", async () => {
    const { id, networks } = await mintOrganization();
    const key = await mintKey(
      id,
      { role: "Admin" },
      networks.map((network) => network.id),
    );
    const token = await mintToken(key, { network_ids: networks.map((network) => network.id) });
    expect(listed((await read(token)).body)).toHaveLength(2);
    await sql`delete from user_api_key_networks where network_id = ${networks[0].id}`;
    expect(listed((await read(token)).body)).toMatchObject([{ network_id: networks[1].id }]);
  });

  test("it loses a network that is deleted", async () => {
    const { keys, networks } = await mintOrganization();
    const [first, second] = networks;
    const token = await mintToken(keys.admin, { network_ids: [first.id, second.id] });
    await sql`delete from networks where id = ${first.id}`;
    expect(await whoami(openApi(), token)).toMatchObject({
      body: { data: { token: { network_ids: [second.id] } } },
    });
  });
});

test("the use of a token counts as use of its key", async () => {
  const key = await mintKey(own.id, { role: "Admin" });
  await read(await mintToken(key));
  const [row] = await sql`select last_used_at from user_api_keys where id = ${await keyIdOf(key)}`;
  expect(row?.["last_used_at"]).not.toBeNull();
});

test("the feed and the audit log name the subject of a token and the id of its key", async () => {
  const { keys, networks } = await mintOrganization();
  const [network] = networks;
  const token = await mintToken(keys.admin, { subject: "user-4711" });
  const send = (resource: string, json: unknown) =>
    openApi().send("POST", `/api/v1/${resource}`, { key: token, json });
  expect(await send("tags", { name: "New" })).toMatchObject({ status: 201 });
  const host = { network_id: network.id, name: "by a token" };
  expect(await send("hosts", host)).toMatchObject({ status: 201 });
  const report = { hosts: [{ name: "imported", addresses: [{ ip_address: "192.0.2.77" }] }] };
  expect(await send(`networks/${network.id}/imports`, report)).toMatchObject({ status: 200 });
  const actor = { type: "token", id: await keyIdOf(keys.admin), name: "user-4711" };
  const audit = await read(keys.admin, "audit?entity=Tag&limit=1");
  expect(listed(audit.body)).toMatchObject([{ action: "created", actor }]);
  const changes = listed((await read(keys.admin, "changes?entity=Host")).body);
  expect(changes.filter(({ label }) => label === "by a token")).toMatchObject([
    { actor, source: { type: "Manual" } },
  ]);
  expect(changes.filter(({ label }) => label === "imported")).toMatchObject([
    { actor: { ...actor, type: "import" }, source: { type: "Import" } },
  ]);
});

test("tokens with different subjects do not share Idempotency-Keys, neither with each other nor with their key", async () => {
  const { keys } = await mintOrganization();
  const headers = { "Idempotency-Key": "one" };
  const create = async (key: string, name: string) => {
    const json = { name };
    return await openApi().send("POST", "/api/v1/tags", { key, json, headers });
  };
  const [jane, again, john] = [
    await mintToken(keys.admin, { subject: "user-4711" }),
    await mintToken(keys.admin, { subject: "user-4711" }),
    await mintToken(keys.admin, { subject: "john" }),
  ];
  const first = await create(jane, "A");
  expect(first).toMatchObject({ status: 201 });
  const replayed = await create(again, "A");
  expect(replayed.headers.get("idempotent-replayed")).toBe("true");
  for (const [key, name] of [
    [john, "B"],
    [keys.admin, "C"],
  ] as const) {
    const answer = await create(key, name);
    expect(answer).toMatchObject({ status: 201 });
    expect(answer.headers.get("idempotent-replayed")).toBeNull();
  }
});

test("a cursor works only for tokens with the same subject", async () => {
  const { keys } = await mintOrganization();
  const tokenOf = (subject: string) => mintToken(keys.viewer, { subject });
  const { body } = await read(await tokenOf("user-4711"), "hosts?limit=1");
  const { meta } = body as { meta: { pagination: { next_cursor: string } } };
  const next = `hosts?limit=1&cursor=${meta.pagination.next_cursor}`;
  expect(seen(await read(await tokenOf("user-4711"), next))).toEqual(succeeded());
  for (const key of [await tokenOf("john"), keys.viewer]) {
    expect(seen(await read(key, next))).toEqual(invalidAt("query.cursor"));
  }
});

test("the tokens of one subject share a rate limit, and all tokens count against the organization", async () => {
  const { keys, id } = await mintOrganization();
  const [KEY_RATE_LIMIT, ORGANIZATION_RATE_LIMIT] = [fakeLimiter(2), fakeLimiter(100)];
  const api = openApi({ RATE_LIMITS: "on", KEY_RATE_LIMIT, ORGANIZATION_RATE_LIMIT });
  const statuses = [];
  for (const subject of ["user-4711", "user-4711", "user-4711", "john"]) {
    const key = await mintToken(keys.viewer, { subject });
    statuses.push((await api.send("GET", "/api/v1/hosts", { key })).status);
  }
  expect(statuses).toEqual([200, 200, 429, 200]);
  expect(ORGANIZATION_RATE_LIMIT.counted).toEqual([id, id, id]);
});
