import { beforeAll, describe, expect, test, vi } from "vitest";
import { hashApiKey } from "../../src/api-key.ts";
import { bodyPace } from "../../src/http/body/paced-reader.ts";
import { failed, seen, unauthorized } from "../helpers/answers.ts";
import { type Fault, openApi, type RequestOptions } from "../helpers/api.ts";
import { abortionOf, becomeApi, refusalOf, sql } from "../helpers/database.ts";
import { fakeLimiter } from "../helpers/limiter.ts";
import { operationOf, operations, operatorOperations, perform } from "../helpers/operations.ts";
import { mintOperator } from "../helpers/operators.ts";
import { mintKey, mintOrganization } from "../helpers/organization.ts";
import {
  mintPopulatedOrganization,
  type PopulatedOrganization,
} from "../helpers/populated-organization.ts";
import { changingNothing, tableNames } from "../helpers/rows.ts";
import { mintToken } from "../helpers/tokens.ts";

const path = "/api/v1/organizations";
const list = `${path}?all=true`;

let organization: PopulatedOrganization;
let operator: { key: string; id: string };

beforeAll(async () => {
  organization = await mintPopulatedOrganization();
  operator = await mintOperator({ name: "Billing" });
});

const plan = {
  type: "Starter",
  base_cents: 1499,
  rate: "Month",
  trial_days: 14,
  seat_cents: null,
  network_cents: null,
  host_cents: null,
  included_seats: null,
  included_networks: 3,
  included_hosts: null,
};

/** The operations for operators. Without `all`, the list's path belongs to organizations. */
const requests = [
  { name: "the list of all organizations", method: "GET", path: list },
  ...operatorOperations.map(({ name, method, path }) => ({ name, method, path })),
].map((request) => ({
  ...request,
  pathOf: (id: string) => request.path.replace(":id", id),
}));

describe.each(requests)("$name", ({ method, pathOf }) => {
  const send = (key?: string) => {
    const api = openApi();
    const json = method === "POST" ? { name: "Never" } : undefined;
    return api
      .send(method, pathOf(organization.id), { ...(key && { key }), json })
      .then(async (answer) => ({ answer: seen(answer), calls: await api.calls() }));
  };

  test("makes no database call without a key", async () => {
    expect(await send()).toEqual({
      answer: unauthorized("auth_not_authenticated", { reason: "missing" }),
      calls: 0,
    });
  });

  test("answers 403 to every valid key and token of an organization, and changes nothing", async () => {
    const limited = await mintKey(organization.id, { role: "Owner" }, [organization.network.id]);
    const token = await mintToken(organization.keys.owner);
    for (const key of [...Object.values(organization.keys), limited, token]) {
      const { answer, calls } = await changingNothing(organization.id, () => send(key));
      expect(answer).toEqual(failed("auth_operator_required"));
      expect(calls).toBe(1);
    }
  });

  test("answers 401 to keys that are not valid, of either type", async () => {
    const past = "2026-01-01T00:00:00.000Z";
    for (const [key, expected] of [
      [await mintKey(organization.id, { is_enabled: false }), unauthorized("auth_key_disabled")],
      [
        await mintKey(organization.id, { expires_at: past }),
        unauthorized("auth_key_expired", { expired_at: past }),
      ],
      [(await mintOperator({ revoked_at: past })).key, unauthorized("auth_key_disabled")],
      [
        (await mintOperator({ expires_at: past })).key,
        unauthorized("auth_key_expired", { expired_at: past }),
      ],
    ] as const) {
      const { answer } = await changingNothing(organization.id, () => send(key));
      expect(answer).toEqual(expected);
    }
    const unknown = await mintOperator();
    await sql`delete from app.operator_keys where id = ${unknown.id}`;
    expect((await send(unknown.key)).answer).toEqual(unauthorized("auth_not_authenticated"));
  });

  test("checks the key before the request", async () => {
    const answer = await openApi().send(
      method,
      `${pathOf("x")}${pathOf("x").includes("?") ? "&" : "?"}u=1`,
      {
        key: organization.keys.owner,
      },
    );
    expect(seen(answer)).toEqual(failed("auth_operator_required"));
  });
});

describe.each(operatorOperations)("$name", ({ method, path: pattern, json }) => {
  const send = (api = openApi(), options: RequestOptions = {}) =>
    api.send(method, pattern.replace(":id", organization.id), {
      key: operator.key,
      ...(json && options.body === undefined && { json: { name: "Never" } }),
      ...options,
    });
  const faults: [number, Fault][] = [
    [409, { kind: "sqlstate", code: "40001", message: "two changes met" }],
    [500, { kind: "sqlstate", code: "42P01", message: "a bug" }],
    [503, { kind: "refuse" }],
  ];

  test.each(faults)("changes nothing if it fails with %i", async (status, fault) => {
    const api = openApi();
    await api.disturb({ faults: [fault] });
    const answer = await changingNothing(organization.id, () => send(api));
    expect(answer.status).toBe(status);
  });

  test("changes nothing if the key is over its limit, or the query has an unknown parameter", async () => {
    const limited = openApi({ RATE_LIMITS: "on", KEY_RATE_LIMIT: fakeLimiter(0) });
    expect((await changingNothing(organization.id, () => send(limited))).status).toBe(429);
    const unknown = `${pattern.replace(":id", organization.id)}?unknown=1`;
    const answer = await changingNothing(organization.id, () =>
      openApi().send(method, unknown, {
        key: operator.key,
        ...(json && { json: { name: "Never" } }),
      }),
    );
    expect(answer.status).toBe(400);
  });

  test.runIf(json !== undefined)("rejects a body that is no JSON, or that stalls", async () => {
    expect((await send(openApi(), { body: "text" })).status).toBe(415);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const body = new ReadableStream({ type: "bytes", pull: () => new Promise(() => {}) });
      const headers = { "Content-Type": "application/json" };
      const answer = send(openApi(), { headers, body });
      await vi.waitUntil(() => vi.getTimerCount() > 0);
      vi.advanceTimersByTime(bodyPace.wholeMilliseconds);
      expect((await answer).status).toBe(408);
    } finally {
      vi.useRealTimers();
    }
  });
});

test("an operator key gives no access to any operation of an organization, and makes no database call", async () => {
  for (const operation of operations) {
    const api = openApi();
    const answer = await perform(api, operation, organization, { key: operator.key });
    expect(seen(answer), operation.name).toEqual(
      unauthorized("auth_not_authenticated", { reason: "operator_key" }),
    );
    expect(await api.calls()).toBe(0);
  }
  expect(operations).toContain(operationOf("GET /api/v1/organizations"));
});

test("assistants cannot use an operator key", async () => {
  const answer = await openApi().send("POST", "/mcp", {
    key: operator.key,
    json: { jsonrpc: "2.0", id: 1, method: "tools/list" },
  });
  expect(answer.status).toBe(401);
});

describe("in the database", () => {
  const set = (hash: string) => sql`select set_config('app.key_hash', ${hash}, true)`;

  test("the hash of an operator key gives no access to any table", async () => {
    const hash = await hashApiKey(operator.key);
    for (const table of await tableNames()) {
      const attempt = sql.transaction([
        set(hash),
        becomeApi(),
        sql.query(`select count(*)::int from ${table}`),
      ]);
      expect((await refusalOf(attempt)).code, table).toBeOneOf(["INV01", "42501"]);
    }
  });

  test("the gate of organizations rejects an operator key", async () => {
    const attempt = sql`
      select * from app.enter(sha256(convert_to(${operator.key}, 'UTF8')), 'Viewer', 8000)`;
    expect(await abortionOf(attempt)).toMatchObject({ detail: { code: "auth_not_authenticated" } });
  });

  test("without an operator key, no function for operators works, whatever the settings are", async () => {
    const calls = await sql`
      select proname from pg_proc where pronamespace = 'app'::regnamespace
        and pg_get_functiondef(oid) like '%app.presented_operator()%' and prokind = 'f'
        and has_function_privilege('inventory_api', oid, 'execute') and proname <> 'enter_operator'`;
    expect(calls.length).toBeGreaterThan(2);
    const none = await sql`
      select proname, string_agg(format('null::%s', kind), ', ') as arguments
      from pg_proc cross join lateral (
        select format_type(argument, null) as kind
        from unnest(proargtypes::oid[]) with ordinality as listed (argument, place) order by place) as kinds
      where pronamespace = 'app'::regnamespace and proname = any (${calls.map(({ proname }) => proname)})
      group by proname`;
    const argumentsOf = new Map(none.map(({ proname, arguments: listed }) => [proname, listed]));
    const hash = await hashApiKey(organization.keys.owner);
    for (const { proname } of calls) {
      for (const [before, code] of [
        [[], "auth_not_authenticated"],
        [
          [sql`select set_config('app.operator_id', ${operator.id}, true)`],
          "auth_not_authenticated",
        ],
        [[set(operator.id.replaceAll("-", ""))], "auth_not_authenticated"],
        [[set(hash)], "auth_operator_required"],
      ] as const) {
        const call = `select * from app.${proname}(${argumentsOf.get(proname) ?? ""})`;
        const attempt = sql.transaction([...before, becomeApi(), sql.query(call)]);
        expect(await abortionOf(attempt), call).toMatchObject({ detail: { code } });
      }
    }
  });

  test("the service's roles cannot read operator keys or change them", async () => {
    const [privileges] = await sql`
      select has_any_column_privilege('inventory_api', 'app.operator_keys', 'select, insert, update') as api,
        has_any_column_privilege('inventory_poller', 'app.operator_keys', 'select, insert, update') as poller,
        has_table_privilege('inventory_api', 'app.operator_keys', 'delete') as deletes`;
    expect(privileges).toEqual({ api: false, poller: false, deletes: false });
    for (const statement of [
      "select app.presented_operator()",
      "select app.add_organization(null, null, null)",
    ]) {
      const attempt = sql.transaction([becomeApi(), sql.query(statement)]);
      expect(await refusalOf(attempt), statement).toMatchObject({ code: "42501" });
    }
  });
});

describe("creating an organization", () => {
  test("returns it with its first key, an Owner key, in one call; only its hash is stored", async () => {
    const api = openApi();
    const answer = await api.send("POST", path, {
      key: operator.key,
      json: { name: " Acme ", plan, key_name: "Backend" },
    });
    const { organization: made, key, api_key } = Object(answer.body).data;
    expect(await api.calls()).toBe(1);
    expect(answer.status).toBe(201);
    expect(answer.headers.get("location")).toBe(`${path}/${made.id}`);
    expect(made).toMatchObject({ name: "Acme", plan });
    expect(api_key).toEqual({
      id: expect.any(String),
      name: "Backend",
      permissions: "Owner",
      key_hint: key.slice(-4),
    });
    const own = await openApi().send("GET", "/api/v1/auth/whoami", { key });
    expect(own.body).toMatchObject({
      data: {
        api_key: { id: api_key.id, permissions: "Owner", network_ids: null, expires_at: null },
        organization: { id: made.id, name: "Acme" },
      },
    });
    const [stored] = await sql`
      select count(*)::int from user_api_key_secrets where organization_id = ${made.id}
        and key_hash = decode(${await hashApiKey(key)}, 'hex')`;
    expect(stored).toEqual({ count: 1 });
    const read = await openApi().send("GET", path, { key });
    expect(read.body).toMatchObject({
      data: { onboarding: ["OrgCreated", "FirstUserApiKeyCreated"], plan },
    });
  });

  test("is recorded in the organization's audit log with the operator", async () => {
    const made = await openApi().send("POST", path, {
      key: operator.key,
      json: { name: "Acme" },
      headers: { "X-Request-Id": "create-acme" },
    });
    const { key, organization } = Object(made.body).data;
    const audit = await openApi().send("GET", "/api/v1/audit", { key });
    const by = {
      actor: { type: "operator", id: operator.id, name: "Billing" },
      request_id: "create-acme",
    };
    expect(Object(audit.body).data).toHaveLength(2);
    expect(Object(audit.body).data).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ action: "created", entity: "ApiKey", label: "Owner", ...by }),
        expect.objectContaining({
          action: "created",
          entity: "Organization",
          entity_id: organization.id,
          label: "Acme",
          ...by,
        }),
      ]),
    );
  });

  test("can be repeated with a chosen id without creating another", async () => {
    const id = crypto.randomUUID();
    const send = () =>
      openApi().send("POST", path, { key: operator.key, json: { id, name: "Acme" } });
    expect((await send()).body).toMatchObject({ data: { organization: { id } } });
    expect(seen(await send())).toEqual(
      failed("entity_already_exists", { entity: "Organization", field: "body.id", id }),
    );
  });

  test.each([
    [{}, "body.name"],
    [{ name: " " }, "body.name"],
    [{ name: "x".repeat(101) }, "body.name"],
    [{ name: "Acme", key_name: "" }, "body.key_name"],
    [{ name: "Acme", plan: { ...plan, rate: "Week" } }, "body.plan.rate"],
    [{ name: "Acme", plan: { ...plan, surplus: 1 } }, "body.plan.surplus"],
    [{ name: "Acme", keyname: "x" }, "body.keyname"],
  ])("rejects %j", async (json, wrong) => {
    const answer = await openApi().send("POST", path, { key: operator.key, json });
    expect(answer).toMatchObject({ status: 400, body: { params: { issues: [{ path: wrong }] } } });
  });

  test("rejects a body of more than 64 KiB", async () => {
    const json = { name: "x".repeat(65_536) };
    const answer = await openApi().send("POST", path, { key: operator.key, json });
    expect(seen(answer)).toEqual(failed("request_too_large", { max_bytes: 65_536 }));
  });
});

describe("the list of all organizations", () => {
  test("contains every organization once, in creation order, by cursor as by offset", async () => {
    const own = [await mintOrganization({ name: "One" }), await mintOrganization({ name: "Two" })];
    const get = async (query: string) => {
      const api = openApi();
      const { body } = await api.send("GET", `${list}${query}`, { key: operator.key });
      expect(await api.calls()).toBe(1);
      return Object(body);
    };
    const byCursor: { id: string; created_at: string }[] = [];
    for (let cursor = ""; ; ) {
      const { data, meta } = await get(`&limit=100${cursor && `&cursor=${cursor}`}`);
      byCursor.push(...data);
      const { has_more, next_cursor, offset } = meta.pagination;
      expect(offset).toBe(byCursor.length - data.length);
      expect(next_cursor !== null).toBe(has_more);
      if (!has_more) {
        break;
      }
      cursor = next_cursor;
    }
    const ids = byCursor.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(own.map(({ id }) => id)));
    const keys = byCursor.map(({ created_at, id }) => `${created_at} ${id}`);
    expect(keys).toEqual([...keys].sort());
    const last = await get(`&limit=1&offset=${ids.length - 1}`);
    expect(last.data).toMatchObject([{ id: ids.at(-1) }]);
  });

  test("shows only what operators manage", async () => {
    const { body } = await openApi().send("GET", `${list}&limit=1`, { key: operator.key });
    expect(Object.keys(Object(body).data[0]).sort()).toEqual([
      "created_at",
      "deletes_at",
      "id",
      "name",
      "plan",
      "state",
      "suspended_at",
      "updated_at",
    ]);
  });

  test("answers 304 to a caller who has the page, until an organization changes", async () => {
    const get = (etag: string) =>
      openApi().send("GET", `${list}&limit=1`, {
        key: operator.key,
        headers: { "If-None-Match": etag },
      });
    const first = await get('"other"');
    const etag = first.headers.get("etag") ?? "";
    expect((await get(etag)).status).toBe(304);
    const [{ id }] = Object(first.body).data;
    await sql`update organizations set name = name || '!' where id = ${id}`;
    expect((await get(etag)).status).toBe(200);
  });

  test("rejects a cursor of another operator key, and unknown parameters", async () => {
    const { body } = await openApi().send("GET", `${list}&limit=1`, { key: operator.key });
    const { next_cursor } = Object(body).meta.pagination;
    const other = await mintOperator();
    const answer = await openApi().send("GET", `${list}&limit=1&cursor=${next_cursor}`, {
      key: other.key,
    });
    expect(answer.status).toBe(400);
    for (const query of ["&limit=0", "&limit=1001", "&x=1", "&all=true", "&name=x"]) {
      const wrong = await openApi().send("GET", `${list}${query}`, { key: operator.key });
      expect([query, wrong.status]).toEqual([query, 400]);
    }
  });

  test("does not change the caller's own organization without `all`, or with `all=false`", async () => {
    for (const [query, status] of [
      ["", 200],
      ["?all=false", 200],
      ["?all=no", 400],
      ["?limit=1&offset=2", 200],
      ["?cursor=x", 400],
    ] as const) {
      const answer = await openApi().send("GET", `${path}${query}`, {
        key: organization.keys.viewer,
      });
      expect([query, answer.status]).toEqual([query, status]);
    }
  });
});

test("the use of an operator key is recorded at most once a minute, and its requests are logged", async () => {
  const used = () => sql`select last_used_at from app.operator_keys where id = ${operator.id}`;
  await openApi().send("GET", list, { key: operator.key });
  const first = await used();
  await openApi().send("GET", list, { key: operator.key });
  expect(first).toEqual([{ last_used_at: expect.any(String) }]);
  expect(await used()).toEqual(first);
});
