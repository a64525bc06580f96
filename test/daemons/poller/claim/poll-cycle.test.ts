import { beforeAll, beforeEach, expect, test } from "vitest";
import { type PollMessage, pollMessageSchema } from "../../../../src/daemons/poller/claim/cycle.ts";
import { recordConsole } from "../../../helpers/console.ts";
import { daemonRow, endLease, raiseDaemon, sealedToken } from "../../../helpers/daemons.ts";
import { sql } from "../../../helpers/database.ts";
import {
  mintDueDaemons,
  mintOrganization,
  type Organization,
  unreachable,
} from "../../../helpers/organization.ts";
import { openFreshDatabase, openPoller } from "../../../helpers/poller.ts";

let variables: Record<string, string>;
let organization: Organization;

/**
 * The number of database calls that the cron makes in addition to each cycle: for schedules,
 * cancellations, webhooks, counts and sweeps.
 */
const otherCalls = 15;

beforeAll(async () => {
  variables = await openFreshDatabase();
}, 60_000);

beforeEach(async () => {
  await sql`delete from organizations`;
  organization = await mintOrganization();
});

const open = (more: Record<string, unknown> = {}) => openPoller({ ...variables, ...more });

/** Returns the daemons in these messages, which must match the consumer's schema. */
const daemonsIn = (messages: unknown[]): PollMessage["daemons"] =>
  messages.flatMap((message) => pollMessageSchema.parse(message).daemons);

const idsIn = (messages: unknown[]) => daemonsIn(messages).map(({ id }) => id);

test("a cycle claims each due daemon once, with the fields that a poll needs", async () => {
  const poller = open();
  const id = await poller.mintDaemon({ url: "https://daemon.example.com/a" }, organization);
  const before = await daemonRow(id);

  const messages = await poller.cycle();

  const after = await daemonRow(id);
  const { lease_expires_at } = after;
  expect(after).toEqual({
    ...before,
    lease_expires_at,
    due_at: lease_expires_at,
    poll_generation: 1,
  });
  const remaining = Date.parse(String(lease_expires_at)) - Date.now();
  expect(remaining).toBeGreaterThan(290_000);
  expect(remaining).toBeLessThan(310_000);
  expect(messages).toEqual([
    {
      daemons: [
        {
          organization_id: after.organization_id,
          id,
          network_id: after.network_id,
          is_introduced: false,
          has_work: false,
          url: "https://daemon.example.com/a",
          sealed_token: await sealedToken(id),
          poll_generation: 1,
          lease_expires_at: Date.parse(String(lease_expires_at)),
        },
      ],
    },
  ]);
  expect(await poller.calls()).toBe(1 + otherCalls);
  expect(await poller.cycle()).toEqual([]);
});

test("a cycle in which no daemon is due sends nothing", async () => {
  const poller = open();
  await poller.mintDaemon({ next_poll_at: "2099-01-01Z" }, organization);
  await poller.mintDaemon(unreachable, organization);
  await poller.mintDaemon({ lease_expires_at: "2099-01-01Z" }, organization);
  expect(await poller.cycle()).toEqual([]);
  expect(await poller.calls()).toBe(1 + otherCalls);
});

test("a daemon with an expired lease is claimed again, with the next generation", async () => {
  const poller = open();
  const id = await poller.mintDaemon({}, organization);
  await poller.cycle();
  await endLease(id);
  expect(daemonsIn(await poller.cycle())).toMatchObject([{ id, poll_generation: 2 }]);
});

test("a daemon is polled in each cycle until it is unreachable, and again after retry-connection", async () => {
  const poller = open();
  const daemon = raiseDaemon();
  await daemon.behave({ kind: "answer", status: 500 });
  const id = await poller.mintDaemon({ url: daemon.url }, organization);
  /** Makes the daemon due if it is still polled, runs a cycle and delivers its messages. */
  const cycle = async () => {
    await sql`update daemons set next_poll_at = now() where next_poll_at is not null`;
    const messages = await poller.cycle();
    for (const message of messages) {
      await poller.deliver(message);
    }
    return idsIn(messages);
  };

  for (let failures = 1; failures <= 5; failures += 1) {
    expect(await cycle()).toEqual([id]);
    expect(await daemonRow(id)).toMatchObject({
      consecutive_failures: failures,
      is_unreachable: failures === 5,
    });
  }
  await daemon.behave({ kind: "answer", body: '{"success":true,"data":{"version":"0.14.3"}}' });
  expect(await cycle()).toEqual([]);
  expect(await daemon.requests()).toHaveLength(5);

  const path = `/api/v1/daemons/${id}/retry-connection`;
  expect(await poller.send("POST", path, { key: organization.keys.member })).toMatchObject({
    status: 200,
  });
  const messages = await poller.cycle();
  expect(idsIn(messages)).toEqual([id]);
  await poller.deliver(messages[0]);
  expect(await daemonRow(id)).toMatchObject({
    is_unreachable: false,
    version: "0.14.3",
    last_error: null,
  });
});

test("1,001 daemons produce eleven messages, with two database calls in total", async () => {
  const poller = open({ MAX_DAEMONS_PER_ORGANIZATION: "2000" });
  await mintDueDaemons(organization, 1001);
  const messages = await poller.cycle();
  expect(messages.map((message) => daemonsIn([message]).length)).toEqual([
    ...Array<number>(10).fill(100),
    1,
  ]);
  expect(new Set(idsIn(messages)).size).toBe(1001);
  expect(await poller.calls()).toBe(2 + otherCalls);
});

test("a cycle and its batches take at most two database calls per 100 daemons", async () => {
  const poller = open({ PRIVATE_DAEMON_ADDRESSES: "forbidden" });
  const ids = await Promise.all(
    Array.from({ length: 250 }, () => poller.mintDaemon({}, organization)),
  );
  for (const message of await poller.cycle()) {
    await poller.deliver(message);
  }
  expect(await daemonRow(ids[249] ?? "")).toMatchObject({ last_error: "url_forbidden" });
  expect(await poller.calls()).toBeLessThanOrEqual(5 + otherCalls);
});

test("messages and batches stay within the queue's limits, however long the URLs are", async () => {
  const sent: { body: unknown }[][] = [];
  const poller = open({
    POLL_QUEUE: {
      sendBatch: async (messages: Iterable<{ body: unknown }>) => {
        sent.push([...messages]);
      },
    },
  });
  await mintDueDaemons(
    organization,
    300,
    "1 minute",
    `https://daemon.example.com/${"ü".repeat(2000)}`,
  );
  await poller.cycle();
  const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length;
  for (const messages of sent) {
    expect(messages.length).toBeLessThanOrEqual(100);
    expect(bytes(messages)).toBeLessThan(256_000);
    for (const { body } of messages) {
      expect(bytes(body)).toBeLessThan(128_000);
    }
  }
  expect(new Set(idsIn(sent.flat().map(({ body }) => body))).size).toBe(300);
});

test("a daemon whose message does not reach the queue is due again when its lease ends, but not earlier", async () => {
  const broken = open({
    POLL_QUEUE: { sendBatch: () => Promise.reject(new Error("Too Many Requests")) },
  });
  const poller = open();
  const id = await poller.mintDaemon({}, organization);
  const logs = recordConsole();
  await broken.cycle();
  expect(logs()).toContain('"event":"job_failed","job":"poll_cycle"');
  expect(await poller.cycle()).toEqual([]);
  await endLease(id);
  expect(idsIn(await poller.cycle())).toEqual([id]);
});

test("a cycle does not claim anything if the database fails", async () => {
  const poller = open();
  const id = await poller.mintDaemon({}, organization);
  const before = await daemonRow(id);
  // The cron's schedules, cancellations, webhooks and sweeps fail first.
  await poller.disturb({
    faults: Array.from({ length: otherCalls + 1 }, () => ({ kind: "refuse" as const })),
  });
  expect(await poller.cycle()).toEqual([]);
  expect(await daemonRow(id)).toEqual(before);
});

test("the daemon that has been due longest is claimed first", async () => {
  const poller = open();
  await mintDueDaemons(organization, 1000);
  const id = await poller.mintDaemon({ next_poll_at: "2026-01-01Z" }, organization);
  const messages = await poller.cycle();
  // The first ten messages are from the first claim.
  expect(idsIn(messages.slice(0, 10))).toContain(id);
});
