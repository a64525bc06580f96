import { beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../helpers/database.ts";
import { mintKey } from "../../helpers/organization.ts";
import { openFreshDatabase } from "../../helpers/poller.ts";
import { openWebhooks, raiseReceiver } from "../../helpers/webhooks.ts";

let variables: Record<string, string>;

beforeAll(async () => {
  variables = await openFreshDatabase();
}, 60_000);

const open = (more: Record<string, unknown> = {}) => openWebhooks({ ...variables, ...more });

const url = "https://receiver.example.com/hook";

/** Creates an Admin key that is limited to the webhooks' network. */
const limitedKey = ({ organization, network_id }: Awaited<ReturnType<typeof open>>) =>
  mintKey(organization.id, { role: "Admin" }, [network_id]);

test("returns the secret once, and stores it sealed", async () => {
  const hooks = await open();
  const { id, secret } = await hooks.create({ url });
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(await hooks.webhook(id)).toMatchObject({ secret_hint: secret.slice(-4) });
  const [row] = await sql`select sealed from webhook_secrets where webhook_id = ${id}`;
  expect(String(row?.["sealed"])).not.toContain(secret.slice(6, 20));
  const list = await hooks.send("GET", "webhooks");
  expect(JSON.stringify(list.body)).not.toContain(secret);
});

test("the audit log records the actions on a webhook, but not its deliveries", async () => {
  const hooks = await open();
  const receiver = raiseReceiver();
  const { id } = await hooks.create({ url: receiver.url });
  await hooks.addHost("host");
  await hooks.settle();
  await hooks.send("POST", `webhooks/${id}/rotate`, {});
  await hooks.send("PATCH", `webhooks/${id}`, { is_enabled: false, changes: ["deleted"] });
  await hooks.send("DELETE", `webhooks/${id}`);
  const log = await hooks.send("GET", `audit?entity_id=${id}`);
  expect(log).toMatchObject({
    body: {
      data: [
        { action: "deleted" },
        { action: "updated", changed: ["changes", "is_enabled"] },
        { action: "rotated", changed: [] },
        { action: "created", entity: "Webhook", label: "hook", changed: [] },
      ],
    },
  });
});

test("the audit log records the actor and request of replays, tests and retries", async () => {
  const hooks = await open();
  const receiver = raiseReceiver();
  await receiver.behave({ kind: "answer", status: 500 });
  const { id } = await hooks.create({ url: receiver.url });
  await hooks.addHost("host");
  await hooks.settle();
  const [delivery] = await hooks.deliveries(id);
  const acts = [
    ["retried", `webhooks/${id}/deliveries/${delivery?.id}/retry`, undefined],
    ["tested", `webhooks/${id}/test`, undefined],
    ["replayed", `webhooks/${id}/replay`, { since: "2020-01-01T00:00:00Z" }],
  ] as const;
  for (const [action, path, json] of acts) {
    const { status } = await hooks.api.send("POST", `/api/v1/${path}`, {
      key: hooks.organization.keys.admin,
      json,
      headers: { "X-Request-Id": `request-${action}` },
    });
    expect(status).toBe(200);
  }
  await hooks.settle();
  // Rejected requests do not leave an entry.
  await hooks.send("POST", `webhooks/${id}/replay`, { cursor: "x" });
  await hooks.send("POST", `webhooks/${id}/deliveries/${id}/retry`);
  const { body } = await hooks.send("GET", `audit?entity_id=${id}`);
  expect(body).toMatchObject({
    data: [
      ...acts.toReversed().map(([action]) => ({
        action,
        entity: "Webhook",
        label: "hook",
        changed: [],
        actor: { type: "key", name: "Test" },
        request_id: `request-${action}`,
      })),
      { action: "created" },
    ],
  });
  expect((body as unknown as { data: unknown[] }).data).toHaveLength(4);
});

test("an organization has at most 20 webhooks", async () => {
  const hooks = await open();
  for (let nth = 0; nth < 20; nth++) {
    await hooks.create({ url });
  }
  const answer = await hooks.send("POST", "webhooks", { name: "more", url });
  expect(answer).toMatchObject({
    status: 400,
    body: { params: { issues: [{ code: "too_big", path: "body" }] } },
  });
});

describe("the URL", () => {
  test.each(["Viewer", "Member"] as const)(
    "is reduced to its origin for a %s, in every format",
    async (role) => {
      const hooks = await open();
      const path = "services/T0/B0/SECRETPATH";
      const { id } = await hooks.create({ url: `https://receiver.example.com:8443/${path}` });
      const key = await mintKey(hooks.organization.id, { role });
      for (const [address, accept] of [
        [`webhooks/${id}`, "application/json"],
        ["webhooks", "application/json"],
        ["webhooks?limit=0", "application/json"],
        ["webhooks", "text/csv"],
        ["webhooks", "application/x-ndjson"],
        ["webhooks?limit=0", "application/x-ndjson"],
      ] as const) {
        const answer = await hooks.api.send("GET", `/api/v1/${address}`, {
          key,
          headers: { Accept: accept },
        });
        expect(answer.text, address).toContain("https://receiver.example.com:8443");
        expect(answer.text, address).not.toContain("SECRETPATH");
        expect(answer.text, address).not.toContain("services");
      }
      expect(await hooks.webhook(id)).toMatchObject({
        url: `https://receiver.example.com:8443/${path}`,
      });
    },
  );

  test("is searched by `q` only in the part that the caller can read", async () => {
    const hooks = await open();
    const { id } = await hooks.create({ url: "https://receiver.example.com/SECRETPATH" });
    const viewer = await mintKey(hooks.organization.id, { role: "Viewer" });
    const found = async (q: string, key?: string) => {
      const { body } = await hooks.send("GET", `webhooks?q=${q}`, undefined, key);
      return (body as unknown as { data: { id: string }[] }).data.map((webhook) => webhook.id);
    };
    expect(await found("secretpath")).toEqual([id]);
    expect(await found("secretpath", viewer)).toEqual([]);
    expect(await found("com/", viewer)).toEqual([]);
    expect(await found("receiver.example", viewer)).toEqual([id]);
    expect(await found("hook", viewer)).toEqual([id]);
  });

  test("gives the webhook a different entity tag once the key has the role Admin, but If-Match treats both tags as equal", async () => {
    const hooks = await open();
    const { id } = await hooks.create({ url });
    const key = await mintKey(hooks.organization.id, { role: "Viewer" });
    const read = (headers: Record<string, string> = {}) =>
      hooks.api.send("GET", `/api/v1/webhooks/${id}`, { key, headers });
    const etag = (await read()).headers.get("etag") ?? "";
    expect(await read({ "If-None-Match": etag })).toMatchObject({ status: 304 });
    await sql`update user_api_keys set role = 'Admin' where organization_id = ${hooks.organization.id}
      and role = 'Viewer'`;
    expect(await read({ "If-None-Match": etag })).toMatchObject({ status: 200 });
    const changed = await hooks.api.send("PATCH", `/api/v1/webhooks/${id}`, {
      key,
      json: { name: "changed" },
      headers: { "If-Match": etag },
    });
    expect(changed).toMatchObject({ status: 200, body: { data: { url } } });
  });

  test.each([1, 22, 80, 444, 1023])(
    "with port %i is rejected, unless the webhook already has it",
    async (port) => {
      const hooks = await open({ PRIVATE_WEBHOOK_ADDRESSES: "forbidden" });
      const refused = `https://receiver.example.com:${port}/`;
      const problem = { status: 400, body: { params: { issues: [{ path: "body.url" }] } } };
      expect(await hooks.send("POST", "webhooks", { name: "hook", url: refused })).toMatchObject(
        problem,
      );
      const { id } = await hooks.create({ url });
      expect(await hooks.send("PATCH", `webhooks/${id}`, { url: refused })).toMatchObject(problem);
      await sql`update webhooks set url = ${refused} where id = ${id}`;
      const whole = { name: "renamed", url: refused };
      expect(await hooks.send("PUT", `webhooks/${id}`, whole)).toMatchObject({ status: 200 });
      expect(await hooks.send("PATCH", `webhooks/${id}`, { is_enabled: false })).toMatchObject({
        status: 200,
      });
    },
  );

  test.each([443, 1024, 8443, 65_535])("with port %i is accepted", async (port) => {
    const hooks = await open({ PRIVATE_WEBHOOK_ADDRESSES: "forbidden" });
    await hooks.create({ url: `https://receiver.example.com:${port}/` });
  });

  test.each([
    ["http://receiver.example.com/"],
    ["https://127.0.0.1/"],
    ["https://[::1]/"],
    ["https://localhost/"],
    ["https://db.internal/"],
    ["https://user:password@receiver.example.com/"],
    ["https://receiver.example.com/?token=1"],
    ["https://receiver.example.com/#1"],
    ["ftp://receiver.example.com/"],
    ["receiver"],
  ])("%s is rejected", async (refused) => {
    const hooks = await open({ PRIVATE_WEBHOOK_ADDRESSES: "forbidden" });
    const answer = await hooks.send("POST", "webhooks", { name: "hook", url: refused });
    expect(answer).toMatchObject({
      status: 400,
      body: { code: "validation_failed", params: { issues: [{ path: "body.url" }] } },
    });
    const { id } = await hooks.create({ url });
    const changed = await hooks.send("PATCH", `webhooks/${id}`, { url: refused });
    expect(changed.status).toBe(400);
  });
});

test.each([
  [{ entities: ["Tag"] }],
  [{ entities: ["Host", "Host"] }],
  [{ changes: ["seen"] }],
  [{ secret: "whsec_x" }],
])("rejects a webhook with %j", async (values) => {
  const hooks = await open();
  const answer = await hooks.send("POST", "webhooks", { name: "hook", url, ...values });
  expect(answer.status).toBe(400);
});

test("accepts a webhook in the form in which it was read", async () => {
  const hooks = await open();
  const { id } = await hooks.create({
    url,
    entities: ["Port", "Host"],
    changes: ["deleted", "created"],
    network_ids: [hooks.network_id],
  });
  const before = await hooks.webhook(id);
  expect(before).toMatchObject({ entities: ["Host", "Port"], changes: ["created", "deleted"] });
  const answer = await hooks.send("PUT", `webhooks/${id}`, before);
  expect(answer).toMatchObject({
    status: 200,
    body: { data: { ...before, updated_at: expect.any(String) } },
  });
});

test("a webhook that is disabled and enabled again continues from its position", async () => {
  const hooks = await open();
  const receiver = raiseReceiver();
  const { id, secret } = await hooks.create({ url: receiver.url });
  await hooks.send("PATCH", `webhooks/${id}`, { is_enabled: false });
  expect(await hooks.webhook(id)).toMatchObject({ disabled_reason: "requested" });
  await hooks.addHost("meanwhile");
  await hooks.settle();
  expect(await receiver.requests()).toEqual([]);
  await hooks.send("PATCH", `webhooks/${id}`, { is_enabled: true });
  await hooks.settle();
  expect((await receiver.messages(secret)).map(({ data }) => data.changes[0]?.label)).toEqual([
    "meanwhile",
  ]);
});

describe("a key that is limited to specific networks", () => {
  test("can create, read and change only webhooks of its own networks", async () => {
    const hooks = await open();
    const key = await limitedKey(hooks);
    const [other] = hooks.organization.networks;
    const all = await hooks.create({ url });
    const elsewhere = await hooks.create({ url, network_ids: [other.id] });
    const both = await hooks.create({ url, network_ids: [other.id, hooks.network_id] });
    const own = await hooks.create({ url, network_ids: [hooks.network_id] }, key);
    const list = await hooks.send("GET", "webhooks", undefined, key);
    expect(list).toMatchObject({
      body: { data: [{ id: own.id }], meta: { pagination: { total_count: 1 } } },
    });
    for (const { id } of [all, elsewhere, both]) {
      for (const [method, path, json] of [
        ["GET", `webhooks/${id}`],
        ["PATCH", `webhooks/${id}`, { name: "mine" }],
        ["DELETE", `webhooks/${id}`],
        ["POST", `webhooks/${id}/rotate`, {}],
        ["POST", `webhooks/${id}/test`],
        ["POST", `webhooks/${id}/replay`, { since: "2020-01-01T00:00:00Z" }],
        ["GET", `webhooks/${id}/deliveries`],
      ] as const) {
        const answer = await hooks.send(method, path, json, key);
        expect(answer, `${method} ${path}`).toMatchObject({ status: 404 });
      }
    }
    for (const [method, path] of [
      ["POST", "webhooks"],
      ["PUT", `webhooks/${own.id}`],
    ] as const) {
      const send = (network_ids: string[] | null) =>
        hooks.send(method, path, { name: "hook", url, network_ids }, key);
      expect(await send(null)).toMatchObject({ status: 403, body: { code: "auth_scope_denied" } });
      expect(await send([])).toMatchObject({ status: 403, body: { code: "auth_scope_denied" } });
      expect(await send([other.id])).toMatchObject({
        status: 400,
        body: { code: "entity_reference_invalid" },
      });
      expect(await send([hooks.network_id])).toMatchObject({ body: { success: true } });
    }
  });

  test("does not see a webhook whose networks have all been deleted, and the webhook gets no more deliveries", async () => {
    const hooks = await open();
    const receiver = raiseReceiver();
    const key = await limitedKey(hooks);
    const { id } = await hooks.create({ url: receiver.url, network_ids: [hooks.network_id] }, key);
    const owner = hooks.organization.keys.owner;
    const deletion = await hooks.send(
      "DELETE",
      `networks/${hooks.network_id}?cascade=true`,
      undefined,
      owner,
    );
    expect(deletion.status).toBe(200);
    expect(await hooks.webhook(id)).toMatchObject({ network_ids: [] });
    expect(await hooks.send("GET", `webhooks/${id}`, undefined, key)).toMatchObject({
      status: 404,
    });
    await hooks.addHost("elsewhere", hooks.organization.networks[0].id);
    await hooks.settle();
    expect(await receiver.requests()).toEqual([]);
  });
});

describe("a test request", () => {
  test("sends a signed sample immediately, even to a disabled webhook, and returns the result", async () => {
    const hooks = await open();
    const receiver = raiseReceiver();
    const { id, secret } = await hooks.create({ url: receiver.url, is_enabled: false });
    const answer = await hooks.send("POST", `webhooks/${id}/test`);
    expect(answer).toMatchObject({
      status: 200,
      body: { data: { is_delivered: true, http_status: 200, error: null } },
    });
    expect(await receiver.messages(secret)).toMatchObject([
      { type: "inventory.test", data: { changes: [], next_cursor: null } },
    ]);
    await receiver.behave({ kind: "answer", status: 503 });
    expect(await hooks.send("POST", `webhooks/${id}/test`)).toMatchObject({
      body: {
        data: { is_delivered: false, error: { code: "http_status", http_status: 503 } },
      },
    });
    expect(await hooks.webhook(id)).toMatchObject({ last_success_at: null, last_failure_at: null });
  });

  const refusal = {
    status: 429,
    body: {
      code: "rate_limit_exceeded",
      params: { limit: "tests_of_webhook", retry_after_seconds: expect.any(Number) },
    },
  };

  test("is limited to ten per minute per webhook, even if the webhook is created again", async () => {
    const hooks = await open();
    const receiver = raiseReceiver();
    const { id } = await hooks.create({ url: receiver.url });
    const { headers } = await hooks.send("GET", `webhooks/${id}`);
    for (let nth = 0; nth < 10; nth++) {
      expect(await hooks.send("POST", `webhooks/${id}/test`)).toMatchObject({ status: 200 });
    }
    const refused = await hooks.send("POST", `webhooks/${id}/test`);
    expect(refused).toMatchObject(refusal);
    const wait = Number(refused.headers.get("retry-after"));
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60);
    const { headers: after } = await hooks.send("GET", `webhooks/${id}`);
    expect(after.get("etag")).toBe(headers.get("etag"));
    const other = await hooks.create({ url: receiver.url });
    expect(await hooks.send("POST", `webhooks/${other.id}/test`)).toMatchObject({ status: 200 });
    await hooks.send("DELETE", `webhooks/${id}`);
    await hooks.create({ id, url: receiver.url });
    expect(await hooks.send("POST", `webhooks/${id}/test`)).toMatchObject(refusal);
    expect(await receiver.requests()).toHaveLength(11);
    await sql`alter table audit_entries disable trigger refuse_change`;
    await sql`update audit_entries set at = at - interval '1 minute' where entity_id = ${id}`;
    await sql`alter table audit_entries enable trigger refuse_change`;
    expect(await hooks.send("POST", `webhooks/${id}/test`)).toMatchObject({ status: 200 });
  });

  test("is limited to one at a time per webhook, and three per organization", async () => {
    const hooks = await open();
    const receiver = raiseReceiver();
    await receiver.behave({ kind: "hold" });
    const made = await Promise.all(
      Array.from({ length: 4 }, () => hooks.create({ url: receiver.url })),
    );
    const [first, second, third, fourth] = made.map(({ id }) => `webhooks/${id}/test`);
    const running = hooks.send("POST", first ?? "");
    await expect.poll(async () => (await receiver.requests()).length).toBe(1);
    expect(await hooks.send("POST", first ?? "")).toMatchObject(refusal);
    const others = [hooks.send("POST", second ?? ""), hooks.send("POST", third ?? "")];
    await expect.poll(async () => (await receiver.requests()).length).toBe(3);
    expect(await hooks.send("POST", fourth ?? "")).toMatchObject(refusal);
    await receiver.release({ kind: "answer", status: 500 });
    for (const answer of await Promise.all([running, ...others])) {
      expect(answer).toMatchObject({
        status: 200,
        body: { data: { is_delivered: false, error: { http_status: 500 } } },
      });
    }
    await receiver.behave({ kind: "answer" });
    expect(await hooks.send("POST", first ?? "")).toMatchObject({ status: 200 });
  });
});

test.each([[{}], [{ since: "2020-01-01T00:00:00Z", cursor: "x" }], [{ cursor: "x" }]])(
  "rejects a replay from %j",
  async (body) => {
    const hooks = await open();
    const { id } = await hooks.create({ url });
    expect(await hooks.send("POST", `webhooks/${id}/replay`, body)).toMatchObject({
      status: 400,
      body: { code: "validation_failed" },
    });
  },
);

test("a replay and the list of deliveries reject a cursor from another organization", async () => {
  const [hooks, other] = [await open(), await open()];
  const { id } = await hooks.create({ url });
  const { body } = await other.send("GET", "changes?cursor=now");
  const cursor = (body as unknown as { meta: { next_cursor: string } }).meta.next_cursor;
  expect(await hooks.send("POST", `webhooks/${id}/replay`, { cursor })).toMatchObject({
    status: 400,
    body: { params: { issues: [{ path: "body.cursor" }] } },
  });
  const path = `webhooks/${id}/deliveries?cursor=${encodeURIComponent(cursor)}`;
  expect(await hooks.send("GET", path)).toMatchObject({
    status: 400,
    body: { params: { issues: [{ path: "query.cursor" }] } },
  });
});

test("the list of deliveries continues from its cursor", async () => {
  const hooks = await open();
  const { id } = await hooks.create({ url });
  await sql`
    insert into webhook_deliveries (organization_id, webhook_id, message_id, after_at, after_entity,
      after_id, until_at, until_entity, until_id, state, attempt_count, last_attempt_at,
      next_attempt_at, duration_ms, error, created_at)
    select organization_id, id, 'msg_' || nth, now(), '~', id, now(), '~', id, 'retrying', 1, now(),
      now(), 1, 'timed_out', now() - nth * interval '1 minute'
    from webhooks, generate_series(1, 5) as nth where id = ${id}`;
  const seen: string[] = [];
  let cursor = "";
  for (let pages = 0; pages < 3; pages++) {
    const { body } = await hooks.send("GET", `webhooks/${id}/deliveries?limit=2${cursor}`);
    const { data, meta } = body as unknown as {
      data: { message_id: string }[];
      meta: { next_cursor: string; has_more: boolean };
    };
    seen.push(...data.map(({ message_id }) => message_id));
    expect(meta.has_more).toBe(pages < 2);
    cursor = `&cursor=${encodeURIComponent(meta.next_cursor)}`;
  }
  expect(seen).toEqual(["msg_1", "msg_2", "msg_3", "msg_4", "msg_5"]);
});
