import {
  createExecutionContext,
  createMessageBatch,
  createScheduledController,
  getQueueResult,
} from "cloudflare:test";
import { beforeAll, expect, test, vi } from "vitest";
import worker from "../src/index.ts";
import { recordConsole } from "./helpers/console.ts";
import { leaseDaemon } from "./helpers/daemons.ts";
import { openFreshDatabase, openPoller } from "./helpers/poller.ts";

let variables: Record<string, string>;

beforeAll(async () => {
  variables = await openFreshDatabase();
}, 60_000);

const secret = "secret-in-a-message";

const message = (body: unknown = null) => ({
  id: crypto.randomUUID(),
  timestamp: new Date(),
  attempts: 1,
  body,
});

/** Returns the log lines of failed jobs, with their reasons. */
const failedJobs = (logs: string) =>
  logs
    .split("\n")
    .filter((line) => line.startsWith('{"event":"job_failed"'))
    .map((line): unknown => JSON.parse(line));

/** A logged error: its name and at least one stack frame. */
const errorLike = (name: string) => ({
  name,
  frames: expect.arrayContaining([expect.any(String)]),
});

const refused = { event: "job_failed", reason: "network", sqlstate: null, error: null };

test("each failed job logs one line with its reason, and does not stop other jobs", async () => {
  const poller = openPoller(variables);
  const logs = recordConsole();
  // These are the first calls of the fourteen jobs that start concurrently. The poll cycle starts after
  // the job for scheduled scans.
  await poller.disturb({ faults: Array.from({ length: 14 }, () => ({ kind: "refuse" as const })) });
  await poller.cycle();
  expect(failedJobs(logs())).toEqual(
    expect.arrayContaining([
      { ...refused, job: "scheduled_scans" },
      { ...refused, job: "idempotency_sweep" },
      { ...refused, job: "session_sweep" },
      { ...refused, job: "token_sweep" },
      { ...refused, job: "version_sweep" },
      { ...refused, job: "history_sweep" },
      { ...refused, job: "audit_sweep" },
      { ...refused, job: "stale_sweep" },
      { ...refused, job: "count_fold" },
      { ...refused, job: "webhook_cycle" },
      { ...refused, job: "webhook_delivery_sweep" },
      { ...refused, job: "scan_cancellations" },
      { ...refused, job: "organization_sweep" },
      { ...refused, job: "usage_count" },
    ]),
  );
  expect(failedJobs(logs())).toHaveLength(14);
  expect(logs()).toContain(
    '"event":"poll_cycle","claimed":0,"slow":0,"batches":0,"completed":true',
  );
});

test.each([
  ["57P01", "of an unavailable database", { reason: "connection", error: null }],
  [
    "42501",
    "of an internal error, with its stack frames",
    { reason: null, error: errorLike("DatabaseFailure") },
  ],
])("a failed job logs the SQLSTATE %s %s, but not Postgres' message", async (sqlstate, _, why) => {
  const poller = openPoller(variables);
  const claimed = await leaseDaemon(await poller.mintDaemon());
  const logs = recordConsole();
  await poller.disturb({ faults: [{ kind: "sqlstate", code: sqlstate, message: secret }] });
  await poller.poll(claimed);
  expect(failedJobs(logs())).toEqual([
    { event: "job_failed", job: "poll_batch", sqlstate, ...why },
  ]);
  expect(logs()).not.toContain(secret);
});

test("for an internal error, a job logs the error's name and stack frames, but not its message", async () => {
  const poller = openPoller({
    ...variables,
    POLL_QUEUE: { sendBatch: () => Promise.reject(new TypeError(secret)) },
  });
  await poller.mintDaemon();
  const logs = recordConsole();
  await poller.cycle();
  expect(failedJobs(logs())).toEqual([
    {
      event: "job_failed",
      job: "poll_cycle",
      reason: null,
      sqlstate: null,
      error: errorLike("TypeError"),
    },
  ]);
  expect(logs()).not.toContain(secret);
});

test("with an invalid configuration, no job runs and the log names the variable", async () => {
  const poller = openPoller(variables);
  const unusable = { ...poller.env, DATABASE_DEADLINE_MS: secret };
  const logs = recordConsole();
  await worker.scheduled(createScheduledController(), unusable);
  const batch = createMessageBatch("network-inventory-polls", [message({ daemons: [] })]);
  await worker.queue(batch, unusable);
  expect(await getQueueResult(batch, createExecutionContext())).toMatchObject({
    explicitAcks: [],
    retryMessages: [{ msgId: expect.any(String) }],
  });
  expect(logs().split("\n")).toHaveLength(2);
  for (const line of logs().split("\n")) {
    expect(JSON.parse(line)).toEqual({
      event: "misconfigured",
      problem: expect.stringMatching(/^DATABASE_DEADLINE_MS/),
    });
  }
  expect(logs()).not.toContain(secret);
  expect(await poller.calls()).toBe(0);
});

test("a message that fails is redelivered after ten seconds, and a message that succeeds is acknowledged", async () => {
  const { env } = openPoller(variables);
  const [bad, good] = [message(), message({ daemons: [] })];
  const batch = createMessageBatch("network-inventory-polls", [bad, good]);
  const retries = batch.messages.map((one) => vi.spyOn(one, "retry"));
  await worker.queue(batch, env);
  expect(retries.map(({ mock }) => mock.calls)).toEqual([[[{ delaySeconds: 10 }]], []]);
  expect(await getQueueResult(batch, createExecutionContext())).toMatchObject({
    explicitAcks: [good.id],
    retryMessages: [{ msgId: bad.id }],
  });
});
