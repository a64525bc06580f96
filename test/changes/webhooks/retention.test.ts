import { beforeAll, beforeEach, expect, test } from "vitest";
import { failed, seen } from "../../helpers/answers.ts";
import { sql } from "../../helpers/database.ts";
import { openFreshDatabase } from "../../helpers/poller.ts";
import { keepFor, limitOf, moveIntoPast, sweepAll } from "../../helpers/retention.ts";
import { openWebhooks, passTime, raiseReceiver } from "../../helpers/webhooks.ts";
import { pageOfChanges } from "../helpers.ts";

let variables: Record<string, string>;

beforeAll(async () => {
  variables = await openFreshDatabase();
}, 60_000);

// A cycle claims the webhooks of all organizations.
beforeEach(async () => {
  await sql`delete from organizations`;
});

const days = 30;
const history_from = limitOf(days);

const dead = { kind: "answer", status: 500 } as const;
const alive = { kind: "answer" } as const;

/**
 * Creates an organization for testing webhooks, with changes from long ago: one host was created
 * and deleted before the limit, one was created at the limit, and one was created and deleted after
 * it.
 */
async function openPast() {
  const hooks = await openWebhooks(variables);
  const comeAndGo = async (name: string) => {
    await hooks.send("DELETE", `hosts/${await hooks.addHost(name)}`);
  };
  await comeAndGo("before");
  await hooks.addHost("at the limit");
  const limit = (await hooks.feed()).at(-1)?.at ?? "";
  await comeAndGo("later");
  const toPast = async () => {
    await moveIntoPast(hooks.organization.id, limit, days);
    await sql`
      update webhooks set position_at = position_at - (${limit}::timestamptz - ${history_from}::timestamptz)
      where organization_id = ${hooks.organization.id}`;
    await sql`
      update webhook_deliveries set
        after_at = after_at - (${limit}::timestamptz - ${history_from}::timestamptz),
        until_at = until_at - (${limit}::timestamptz - ${history_from}::timestamptz)
      where organization_id = ${hooks.organization.id}`;
  };
  const cut = async () => {
    await keepFor(hooks.organization.id, days);
    await sweepAll();
  };
  return { ...hooks, comeAndGo, toPast, cut };
}

/** Moves a webhook to the start of the feed. */
const toBeginning = (id: string) => sql`
  update webhooks set position_at = '2000-01-01', position_entity = '~',
    position_id = '00000000-0000-0000-0000-000000000000' where id = ${id}`;

test("a webhook behind the start of history resumes with the changes that are still kept, and reports the loss", async () => {
  const hooks = await openPast();
  const receiver = raiseReceiver();
  const { id, secret } = await hooks.create({ url: receiver.url });
  await toBeginning(id);
  await hooks.toPast();
  await hooks.cut();
  await hooks.settle();
  const messages = await receiver.messages(secret);
  expect(messages.flatMap(({ data }) => data.changes)).toEqual(
    await hooks.feed({ since: history_from }),
  );
  expect(messages.flatMap(({ data }) => data.changes.map(({ label }) => label))).toEqual([
    "later",
    "later",
  ]);
  const webhook = await hooks.webhook(id);
  expect(webhook).toMatchObject({
    is_enabled: true,
    last_error: { code: "history_expired", http_status: null },
  });
  expect(webhook.last_failure_at).not.toBeNull();
  await hooks.addHost("new");
  await hooks.settle();
  expect((await hooks.webhook(id)).last_failure_at).toBe(webhook.last_failure_at);
  expect(await receiver.messages(secret)).toHaveLength(2);
});

test("a webhook that is up to date loses nothing, no matter how long ago the last change was", async () => {
  const hooks = await openPast();
  const receiver = raiseReceiver();
  const { id, secret } = await hooks.create({ url: receiver.url });
  await hooks.toPast();
  const newest = (await hooks.feed()).at(-1)?.at ?? "";
  await moveIntoPast(hooks.organization.id, newest, days + 5);
  await sql`
    update webhooks set position_at = (
      select max(changed_at) from transactions where organization_id = ${hooks.organization.id})
    where id = ${id}`;
  await hooks.cut();
  await hooks.addHost("new");
  await hooks.settle();
  const [message] = await receiver.messages(secret);
  expect(message?.data.changes.map(({ label }) => label)).toEqual(["new"]);
  expect(await hooks.webhook(id)).toMatchObject({ last_error: null });
});

test("a delivery whose changes have all been deleted fails, and one that has lost only some of its changes sends the rest", async () => {
  const hooks = await openPast();
  const receiver = raiseReceiver();
  await receiver.behave(dead);
  const { id, secret } = await hooks.create({ url: receiver.url, changes: ["deleted"] });
  await toBeginning(id);
  await hooks.settle();
  await hooks.toPast();
  const [whole] = await hooks.deliveries(id);
  await sql`
    insert into webhook_deliveries (organization_id, webhook_id, message_id, after_at, after_entity, after_id,
      until_at, until_entity, until_id, state, attempt_count, last_attempt_at, next_attempt_at, duration_ms, error)
    select organization_id, webhook_id, 'msg_gone', after_at, after_entity, after_id,
      ${history_from}::timestamptz - interval '1 millisecond', '~', after_id, 'retrying', 1, now(), now(), 1, 'timed_out'
    from webhook_deliveries where id = ${whole?.id}`;
  await hooks.cut();
  await receiver.behave(alive);
  await passTime(id, "1 day");
  await hooks.settle();
  const states = (await hooks.deliveries(id)).map(({ message_id, state, error }) => [
    ...[message_id === "msg_gone", state, error?.code],
  ]);
  expect(states.sort()).toEqual([
    [false, "delivered", undefined],
    [true, "failed", "history_expired"],
  ]);
  const messages = await receiver.messages(secret);
  expect(messages.at(-1)?.data.changes.map(({ label }) => label)).toEqual(["later"]);
});

test("rejects a replay of deleted changes", async () => {
  const hooks = await openPast();
  const { id } = await hooks.create({ url: raiseReceiver().url });
  await hooks.toPast();
  const get = (path: string) => hooks.send("GET", path);
  const { meta } = await pageOfChanges(get, { limit: "1" });
  await hooks.cut();
  const before = new Date(Date.parse(history_from) - 1).toISOString();
  const replay = (json: object) => hooks.send("POST", `webhooks/${id}/replay`, json);
  expect(seen(await replay({ since: before }))).toEqual(
    failed("history_expired", { history_from }),
  );
  expect(seen(await replay({ cursor: meta.next_cursor }))).toEqual(
    failed("cursor_expired", { history_from }),
  );
  expect(await replay({ since: history_from })).toMatchObject({ status: 200 });
});
