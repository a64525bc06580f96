import { Webhook } from "standardwebhooks";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { watchWebhooks } from "../../../src/jobs.ts";
import { sql } from "../../helpers/database.ts";
import { openFreshDatabase } from "../../helpers/poller.ts";
import { passHours, sweepStaleAll } from "../../helpers/stale.ts";
import { openWebhooks, passTime, raiseReceiver } from "../../helpers/webhooks.ts";

let variables: Record<string, string>;

beforeAll(async () => {
  variables = await openFreshDatabase();
}, 60_000);

// A cycle claims the webhooks of all organizations.
beforeEach(async () => {
  await sql`delete from organizations`;
});

const open = (more: Record<string, unknown> = {}) => openWebhooks({ ...variables, ...more });

const dead = { kind: "answer", status: 500 } as const;
const alive = { kind: "answer" } as const;

test("sends every change since the webhook was created, signed and in order", async () => {
  const hooks = await open();
  const receiver = raiseReceiver();
  await hooks.addHost("before");
  const { id, secret } = await hooks.create({ url: receiver.url });
  const { updated_at } = await hooks.webhook(id);
  const { meta } = (await hooks.send("GET", "changes?cursor=now")).body as {
    meta: { next_cursor: string };
  };
  for (let nth = 0; nth < 3; nth++) {
    const host = await hooks.addHost(`host ${nth}`);
    await hooks.send("PATCH", `hosts/${host}`, { name: `renamed ${nth}` });
    await hooks.send("DELETE", `hosts/${host}`);
  }
  await hooks.settle();
  const messages = await receiver.messages(secret);
  expect(messages.flatMap(({ data }) => data.changes)).toEqual(
    await hooks.feed({ cursor: meta.next_cursor }),
  );
  const [{ timestamp, data } = { timestamp: "", data: { next_cursor: "" } }] = messages;
  expect(timestamp).toBe(messages[0]?.data.changes.at(-1)?.at);
  await hooks.addHost("next");
  const after = await hooks.feed({ cursor: data.next_cursor ?? "" });
  expect(after.map(({ label }) => label)).toEqual(["next"]);
  expect(await hooks.webhook(id)).toMatchObject({ updated_at, last_error: null });
  expect((await hooks.webhook(id)).last_success_at).not.toBeNull();
  expect(await hooks.deliveries(id)).toEqual([]);
});

test("sends the changes of a host that becomes stale and is seen again", async () => {
  const hooks = await open();
  const receiver = raiseReceiver();
  const id = await hooks.addHost("host");
  const { secret } = await hooks.create({ url: receiver.url });
  await hooks.send("PATCH", `networks/${hooks.network_id}`, { stale_after_hours: 24 });
  await passHours(25, id);
  await sweepStaleAll();
  await hooks.send("POST", `networks/${hooks.network_id}/imports`, {
    hosts: [{ id, addresses: [{ ip_address: "192.0.2.7" }] }],
  });
  await hooks.settle();
  const messages = await receiver.messages(secret);
  const received = messages
    .flatMap(({ data }) => data.changes)
    .filter(({ entity }) => entity === "Host");
  expect(received).toMatchObject([
    {
      change: "updated",
      entity_id: id,
      changed: ["is_stale"],
      after: { is_stale: true },
      actor: { type: "system", id: null, name: null },
    },
    {
      change: "updated",
      changed: ["is_stale"],
      after: { is_stale: false },
      actor: { type: "import" },
    },
  ]);
});

test("sends 250 changes in messages of up to 100, each with its own id", async () => {
  const hooks = await open();
  const receiver = raiseReceiver();
  const { secret } = await hooks.create({ url: receiver.url });
  for (let part = 0; part < 250; part += 50) {
    const hosts = Array.from({ length: 50 }, (_, nth) => ({
      network_id: hooks.network_id,
      name: `host ${part + nth}`,
    }));
    await hooks.send("POST", "hosts/bulk", hosts);
  }
  await hooks.settle();
  const messages = await receiver.messages(secret);
  expect(messages.map(({ data }) => data.changes.length)).toEqual([100, 100, 50]);
  expect(new Set(messages.map(({ id }) => id)).size).toBe(3);
});

test("sends only the changes that match a webhook's filters", async () => {
  const hooks = await open();
  const [network] = hooks.organization.networks;
  const receivers = {
    hosts: { entities: ["Host"], changes: ["created"] },
    updates: { changes: ["updated"] },
    network: { network_ids: [hooks.network_id] },
  };
  const made = await Promise.all(
    Object.entries(receivers).map(async ([name, values]) => {
      const receiver = raiseReceiver();
      return { name, receiver, ...(await hooks.create({ ...values, url: receiver.url })) };
    }),
  );
  const host = await hooks.addHost("mine");
  await hooks.addHost("elsewhere", network.id);
  await hooks.send("POST", "ports", { host_id: host, number: 80, protocol: "Tcp" });
  await hooks.send("PATCH", `hosts/${host}`, { name: "changed" });
  await hooks.settle();
  const received = Object.fromEntries(
    await Promise.all(
      made.map(async ({ name, receiver, secret }) => {
        const changes = (await receiver.messages(secret)).flatMap(({ data }) => data.changes);
        return [name, changes.map(({ change, label }) => `${change} ${label}`)] as const;
      }),
    ),
  );
  expect(received).toEqual({
    hosts: ["created mine", "created elsewhere"],
    updates: ["updated changed"],
    network: ["created mine", "created 80/Tcp", "updated changed"],
  });
  // Changes that matched no filter are not read again.
  expect(await hooks.lanes()).toEqual({ fast: [], slow: [] });
});

describe("a receiver that fails", () => {
  test("is sent a failed delivery again according to the retry schedule, with the same id, for up to eight attempts", async () => {
    const hooks = await open();
    const receiver = raiseReceiver();
    await receiver.behave(dead);
    const { id, secret } = await hooks.create({ url: receiver.url });
    await hooks.addHost("host");
    await hooks.settle();
    const waits = [5, 300, 1800, 7200, 18_000, 36_000, 36_000];
    for (const [nth, seconds] of waits.entries()) {
      const [delivery] = await hooks.deliveries(id);
      expect(delivery).toMatchObject({
        state: "retrying",
        attempt_count: nth + 1,
        error: { code: "http_status", http_status: 500 },
      });
      const { last_attempt_at = "", next_attempt_at = "" } = delivery ?? {};
      expect(Date.parse(next_attempt_at ?? "") - Date.parse(last_attempt_at)).toBe(seconds * 1000);
      await passTime(id, `${seconds - 1} seconds`);
      await hooks.settle();
      expect(await receiver.requests()).toHaveLength(nth + 1);
      await passTime(id, "1 second");
      await hooks.settle();
      expect(await receiver.requests()).toHaveLength(nth + 2);
    }
    expect(await hooks.deliveries(id, "?state=failed")).toMatchObject([
      { attempt_count: 8, next_attempt_at: null },
    ]);
    expect(await hooks.deliveries(id, "?state=retrying")).toEqual([]);
    const messages = await receiver.messages(secret);
    expect(new Set(messages.map((message) => message.id)).size).toBe(1);
    expect(new Set((await receiver.requests()).map(({ body }) => body)).size).toBe(1);
  });

  test("gets newer changes once a minute in the meantime, and failed deliveries when it recovers", async () => {
    const hooks = await open();
    const receiver = raiseReceiver();
    await receiver.behave(dead);
    const { id, secret } = await hooks.create({ url: receiver.url });
    await hooks.addHost("first");
    await hooks.settle();
    await hooks.addHost("second");
    await hooks.settle();
    expect(await receiver.requests()).toHaveLength(1);
    await receiver.behave(alive);
    await sql`update webhooks set newer_at = now() where id = ${id}`;
    await hooks.settle();
    await passTime(id, "5 seconds");
    await hooks.settle();
    const received = (await receiver.messages(secret)).map(({ data }) => data.changes[0]?.label);
    expect(received).toEqual(["first", "second", "first"]);
    expect(await hooks.deliveries(id)).toMatchObject([
      { state: "delivered", attempt_count: 2, error: null, next_attempt_at: null },
    ]);
  });

  test("has at most 100 waiting deliveries: newer changes stay in the feed until a delivery ends", async () => {
    const hooks = await open();
    const receiver = raiseReceiver();
    await receiver.behave(dead);
    const { id, secret } = await hooks.create({ url: receiver.url });
    await hooks.addHost("first");
    await hooks.settle();
    await sql`
      insert into webhook_deliveries (organization_id, webhook_id, message_id, after_at, after_entity,
        after_id, until_at, until_entity, until_id, state, attempt_count, last_attempt_at,
        next_attempt_at, duration_ms, error)
      select organization_id, webhook_id, message_id || nth, after_at, after_entity, after_id, until_at,
        until_entity, until_id, state, 1, last_attempt_at, now() + interval '1 hour', 1, 'timed_out'
      from webhook_deliveries, generate_series(1, 98) as nth where webhook_id = ${id}`;
    await hooks.addHost("second");
    await sql`update webhooks set newer_at = now() where id = ${id}`;
    await hooks.settle();
    await hooks.addHost("third");
    await passTime(id, "2 minutes");
    await receiver.behave(dead);
    await sql`update webhook_deliveries set next_attempt_at = now() + interval '1 hour'
      where webhook_id = ${id} and state = 'retrying'`;
    await sql`update webhooks set retry_at = now() + interval '1 hour' where id = ${id}`;
    await hooks.settle();
    expect(await receiver.requests()).toHaveLength(2);
    await receiver.behave(alive);
    const [{ id: last } = { id: "" }] = await hooks.deliveries(id);
    await hooks.send("POST", `webhooks/${id}/deliveries/${last}/retry`);
    await hooks.settle();
    const received = (await receiver.messages(secret)).map(({ data }) => data.changes[0]?.label);
    expect(received.slice(-2)).toEqual(["second", "third"]);
  });

  test("with status 410 gets no more deliveries until the webhook is enabled again", async () => {
    const hooks = await open();
    const receiver = raiseReceiver();
    await receiver.behave({ kind: "answer", status: 410 });
    const { id, secret } = await hooks.create({ url: receiver.url });
    const before = (await hooks.send("GET", `webhooks/${id}`)).headers.get("etag") ?? "";
    await hooks.addHost("first");
    await hooks.settle();
    expect(await hooks.webhook(id)).toMatchObject({
      is_enabled: false,
      disabled_reason: "gone",
      last_error: { code: "http_status", http_status: 410 },
    });
    const stale = await hooks.api.send("PATCH", `/api/v1/webhooks/${id}`, {
      key: hooks.organization.keys.admin,
      json: { name: "stale" },
      headers: { "If-Match": before },
    });
    expect(stale.status).toBe(412);
    await hooks.addHost("second");
    await passTime(id, "1 day");
    await hooks.settle();
    expect(await receiver.requests()).toHaveLength(1);
    await receiver.behave(alive);
    await hooks.send("PATCH", `webhooks/${id}`, { is_enabled: true });
    expect(await hooks.webhook(id)).toMatchObject({ is_enabled: true, disabled_reason: null });
    await hooks.settle();
    const received = (await receiver.messages(secret)).map(({ data }) => data.changes[0]?.label);
    expect(received).toEqual(["first", "first", "second"]);
  });

  test.each([
    ["4 days 23:00:00", null],
    ["5 days", "failing"],
  ])(
    "after %s without a success, has the disabled reason %s",
    async (interval, disabled_reason) => {
      const hooks = await open();
      const receiver = raiseReceiver();
      await receiver.behave(dead);
      const { id } = await hooks.create({ url: receiver.url });
      await hooks.addHost("host");
      await hooks.settle();
      await passTime(id, interval);
      await hooks.settle();
      expect(await hooks.webhook(id)).toMatchObject({ disabled_reason });
    },
  );
});

test.each([
  ["redirects", { kind: "answer", status: 307, headers: { Location: "/" } }, "redirected", 307],
  ["never responds", { kind: "hang" }, "timed_out", null],
  [
    "responds with an invalid status",
    { kind: "raw", text: "HTTP/1.1 999 No\r\n\r\n" },
    "http_status",
    null,
  ],
  ["breaks the connection", { kind: "raw", text: "" }, "connection_refused", null],
] as const)(
  "does not treat a delivery as accepted if the receiver %s",
  async (_, behavior, code, http_status) => {
    const hooks = await open();
    const receiver = raiseReceiver();
    await receiver.behave(behavior);
    const { id } = await hooks.create({ url: receiver.url });
    await hooks.addHost("host");
    await hooks.settleImpatiently();
    expect(await hooks.webhook(id)).toMatchObject({ last_error: { code, http_status } });
    expect(await receiver.requests()).toHaveLength(1);
  },
);

test.each(["flood", "drip"] as const)("does not read an endless response (%s)", async (kind) => {
  const hooks = await open();
  const receiver = raiseReceiver();
  await receiver.behave({ kind });
  const { id } = await hooks.create({ url: receiver.url });
  await hooks.addHost("host");
  const startedAt = Date.now();
  await hooks.settle();
  expect(Date.now() - startedAt).toBeLessThan(5000);
  expect(await hooks.webhook(id)).toMatchObject({ last_error: null });
});

test.each([
  ["http://receiver.example.com/", "url_not_encrypted"],
  ["https://10.0.0.1/", "url_forbidden"],
  ["https://[::ffff:127.0.0.1]/", "url_forbidden"],
  ["https://metadata.internal/", "url_forbidden"],
])("sends nothing to the stored URL %s", async (url, code) => {
  const hooks = await open({ PRIVATE_WEBHOOK_ADDRESSES: "forbidden" });
  const { id } = await hooks.create({ url: "https://receiver.example.com/" });
  await sql`update webhooks set url = ${url} where id = ${id}`;
  await hooks.addHost("host");
  await hooks.settle();
  expect(await hooks.webhook(id)).toMatchObject({ last_error: { code, http_status: null } });
});

test("an unreadable secret is not treated as a failure of the receiver, and no change is lost", async () => {
  const hooks = await open();
  const receiver = raiseReceiver();
  const { id } = await hooks.create({ url: receiver.url });
  await sql`update webhook_secrets set sealed = 'demo.AAAA' where webhook_id = ${id}`;
  await hooks.addHost("host");
  await hooks.settle();
  expect(await hooks.webhook(id)).toMatchObject({ last_error: { code: "secret_unreadable" } });
  expect(await hooks.deliveries(id)).toEqual([]);
  await hooks.send("POST", `webhooks/${id}/rotate`, {});
  await passTime(id, "5 minutes");
  await hooks.settle();
  expect(await receiver.requests()).toHaveLength(1);
});

test("if a consumer crashes between sending and recording, no change is lost and the message is sent again with the same id", async () => {
  const hooks = await open();
  const receiver = raiseReceiver();
  await receiver.behave({ kind: "hold" });
  const { id, secret } = await hooks.create({ url: receiver.url });
  await hooks.addHost("host");
  const { fast } = await hooks.lanes();
  const dying = hooks.deliver(fast[0]);
  await expect.poll(async () => (await receiver.requests()).length).toBe(1);
  await sql`update webhooks set lease_expires_at = now() where id = ${id}`;
  await receiver.behave(alive);
  await hooks.settle();
  const messages = await receiver.messages(secret);
  expect(messages).toHaveLength(2);
  expect(messages[0]?.id).toBe(messages[1]?.id);
  expect(messages[0]?.data.changes).toEqual(messages[1]?.data.changes);
  // The first consumer's late result is discarded.
  await receiver.release({ kind: "answer", status: 500 });
  await dying;
  expect(await hooks.webhook(id)).toMatchObject({ last_error: null });
  expect(await hooks.deliveries(id)).toEqual([]);
});

/** Moves a webhook's claim or lease into the past, as if time had passed. */
const passLease = (id: string, seconds: number) =>
  sql`update webhooks set lease_expires_at = lease_expires_at - make_interval(secs => ${seconds})
    where id = ${id}`;

test("after 30 seconds, repeats a claim that no consumer has taken, and ignores the late message", async () => {
  const hooks = await open();
  const receiver = raiseReceiver();
  const { id } = await hooks.create({ url: receiver.url });
  await hooks.addHost("host");
  const { fast: lost } = await hooks.lanes();
  await passLease(id, 29);
  expect(await hooks.lanes()).toEqual({ fast: [], slow: [] });
  await passLease(id, 1);
  const { fast: again } = await hooks.lanes();
  expect(again).toHaveLength(1);
  await hooks.deliver(again[0]);
  await hooks.deliver(lost[0]);
  expect(await receiver.requests()).toHaveLength(1);
});

test("a message that waits in the queue for longer than its claim lasts is delivered once", async () => {
  const hooks = await open();
  const receiver = raiseReceiver();
  const { id } = await hooks.create({ url: receiver.url });
  await hooks.addHost("host");
  const messages: unknown[] = [];
  for (let nth = 0; nth < 3; nth++) {
    messages.push(...(await hooks.lanes()).fast);
    await passLease(id, 30);
  }
  expect(messages).toHaveLength(3);
  await Promise.all(messages.map((message) => hooks.deliver(message)));
  expect(await receiver.requests()).toHaveLength(1);
});

test("if a consumer crashes during a delivery, delivers its message again within 40 seconds", async () => {
  const hooks = await open();
  const receiver = raiseReceiver();
  await receiver.behave({ kind: "hold" });
  const { id, secret } = await hooks.create({ url: receiver.url });
  await hooks.addHost("host");
  const { fast } = await hooks.lanes();
  const dying = hooks.deliver(fast[0]);
  await expect.poll(async () => (await receiver.requests()).length).toBe(1);
  await receiver.behave(alive);
  await passLease(id, 10);
  // Its lease is still valid, so a consumer that gets the message again skips the webhook.
  await hooks.deliver(fast[0]);
  await hooks.settle();
  expect(await receiver.requests()).toHaveLength(1);
  await passLease(id, 30);
  await hooks.settle();
  const messages = await receiver.messages(secret);
  expect(new Set(messages.map((message) => message.id)).size).toBe(1);
  const [first, second, ...more] = (await receiver.requests()).map(({ body }) => body);
  expect(first).toBe(second);
  expect(more).toEqual([]);
  await receiver.release({ kind: "answer", status: 500 });
  await dying;
  expect(await hooks.webhook(id)).toMatchObject({ last_error: null });
});

test("sends only one request for a queue message that is consumed twice", async () => {
  const hooks = await open();
  const receiver = raiseReceiver();
  await hooks.create({ url: receiver.url });
  await hooks.addHost("host");
  const { fast } = await hooks.lanes();
  await hooks.deliver(fast[0]);
  await hooks.deliver(fast[0]);
  expect(await receiver.requests()).toHaveLength(1);
});

test("uses the slow queue after a receiver has taken more than a second to respond", async () => {
  const hooks = await open();
  const receiver = raiseReceiver();
  await hooks.create({ url: receiver.url });
  await hooks.addHost("first");
  await hooks.settleImpatiently({ slow: -1 });
  await hooks.addHost("second");
  expect(await hooks.lanes()).toMatchObject({ fast: [], slow: [expect.anything()] });
});

test("signs with both secrets during a rotation, and only with the new one afterwards", async () => {
  const hooks = await open();
  const receiver = raiseReceiver();
  const { id, secret: old } = await hooks.create({ url: receiver.url });
  const rotate = async (overlap_seconds: number) => {
    const answer = await hooks.send("POST", `webhooks/${id}/rotate`, { overlap_seconds });
    return (answer.body as unknown as { data: { secret: string } }).data.secret;
  };
  const verifiedBy = async (secrets: string[]) => {
    const { body = "", signed = {} } = (await receiver.requests()).at(-1) ?? {};
    return secrets.map((secret) => {
      try {
        return new Webhook(secret).verify(body, signed) !== undefined;
      } catch {
        return false;
      }
    });
  };
  const second = await rotate(3600);
  await hooks.addHost("first");
  await hooks.settle();
  expect(await verifiedBy([old, second])).toEqual([true, true]);
  await sql`update webhook_secrets set expires_at = now() where webhook_id = ${id} and is_former`;
  await hooks.addHost("second");
  await hooks.settle();
  expect(await verifiedBy([old, second])).toEqual([false, true]);
  const third = await rotate(0);
  await hooks.addHost("third");
  await hooks.settle();
  expect(await verifiedBy([old, second, third])).toEqual([false, false, true]);
  expect(await hooks.webhook(id)).toMatchObject({ secret_hint: third.slice(-4) });
});

test("a replay sends everything again from an instant or a cursor, with new ids", async () => {
  const hooks = await open();
  const receiver = raiseReceiver();
  const { id, secret } = await hooks.create({ url: receiver.url });
  await hooks.addHost("first");
  await hooks.addHost("second");
  await hooks.settle();
  const [first] = await receiver.messages(secret);
  const [created] = first?.data.changes ?? [];
  await hooks.send("POST", `webhooks/${id}/replay`, { since: created?.at });
  await hooks.settle();
  await hooks.send("POST", `webhooks/${id}/replay`, { cursor: first?.data.next_cursor });
  await hooks.settle();
  await hooks.send("POST", `webhooks/${id}/replay`, { since: "2020-01-01T00:00:00Z" });
  await hooks.settle();
  const messages = await receiver.messages(secret);
  const received = messages.map(({ data }) => data.changes.map(({ label }) => label));
  expect(received[1]).toEqual(["second"]);
  expect(received[2]?.slice(-2)).toEqual(["first", "second"]);
  expect(new Set(messages.map((message) => message.id)).size).toBe(messages.length);
});

test("1,000 webhooks of one organization do not delay the webhook of another", async () => {
  const many = await open();
  const one = await open();
  await many.create({ url: "http://127.0.0.1:9/" });
  await one.create({ url: "http://127.0.0.1:9/" });
  await sql`
    insert into webhooks (organization_id, id, name, url, secret_hint, position_at, position_entity,
      position_id, newer_at)
    select organization_id, gen_random_uuid(), name, url, secret_hint, position_at, position_entity,
      position_id, now() - interval '1 day'
    from webhooks, generate_series(1, 999) where organization_id = ${many.organization.id}`;
  await many.addHost("host");
  await one.addHost("host");
  const { fast } = await many.lanes();
  const counts = fast.map((message) => {
    const { webhooks } = message as { webhooks: { organization_id: string }[] };
    return [webhooks[0]?.organization_id, webhooks.length];
  });
  expect(Object.fromEntries(counts)).toEqual({
    [many.organization.id]: 20,
    [one.organization.id]: 1,
  });
});

test("sends a change within five seconds, because each trigger checks fifteen times within a minute", async () => {
  const hooks = await open();
  const before = await hooks.api.calls();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const watching = watchWebhooks(hooks.settings, 60_000);
    for (let checks = 1; checks < 15; checks++) {
      await vi.waitUntil(() => vi.getTimerCount() > 0);
      vi.advanceTimersByTime(4000);
    }
    await watching;
  } finally {
    vi.useRealTimers();
  }
  expect((await hooks.api.calls()) - before).toBe(15);
});
