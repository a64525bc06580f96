import {
  createExecutionContext,
  createMessageBatch,
  createScheduledController,
  waitOnExecutionContext,
} from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { msUntilDue } from "../src/database/sweep.ts";
import type { AgendaNamespace } from "../src/env.ts";
import { settingsOf } from "../src/env.ts";
import worker from "../src/index.ts";
import { maximumRestMs, runEveryMinute } from "../src/jobs.ts";
import { isDue } from "../src/outbound/agenda.ts";
import { openApi } from "./helpers/api.ts";
import { recordConsole } from "./helpers/console.ts";
import { sql } from "./helpers/database.ts";
import {
  mintDaemon,
  mintOrganization,
  type Organization,
  unreachable,
} from "./helpers/organization.ts";
import { openFreshDatabase } from "./helpers/poller.ts";

let variables: Record<string, string>;
let organization: Organization;

beforeAll(async () => {
  variables = await openFreshDatabase();
}, 60_000);

/** Leaves one organization without anything that is due. */
beforeEach(async () => {
  await sql`delete from organizations`;
  organization = await mintOrganization();
  await sql`delete from webhooks`;
  await sql`delete from daemons`;
});

/** A new agenda, and a Worker that uses it, with queues that only record messages. */
function openIdle(more: Record<string, unknown> = {}) {
  const id = env.AGENDA.idFromName(crypto.randomUUID());
  let pending = 0;
  const counted = async <Result>(answer: Promise<Result>): Promise<Result> => {
    pending++;
    try {
      return await answer;
    } finally {
      pending--;
    }
  };
  const namespace: AgendaNamespace = {
    idFromName: () => id,
    get: () => ({
      isDue: () => counted(env.AGENDA.get(id).isDue()),
      begin: () => counted(env.AGENDA.get(id).begin()),
      rest: (attempt, milliseconds) => counted(env.AGENDA.get(id).rest(attempt, milliseconds)),
      wake: () => counted(env.AGENDA.get(id).wake()),
    }),
  };
  const sent: unknown[] = [];
  const queue = {
    sendBatch: async (messages: Iterable<{ body: unknown }>) => {
      sent.push(...Array.from(messages, ({ body }) => body));
    },
  };
  const api = openApi({
    ...variables,
    POLL_QUEUE: queue,
    SLOW_POLL_QUEUE: queue,
    WEBHOOK_QUEUE: queue,
    SLOW_WEBHOOK_QUEUE: queue,
    PRIVATE_WEBHOOK_ADDRESSES: "allowed",
    AGENDA: namespace,
    ...more,
  });
  const agenda = () => namespace.get(id);
  return {
    ...api,
    /** The number of calls of the agenda that have not been answered. */
    pending: () => pending,
    agenda,
    sent,
    /** Runs the jobs of a minute, with one check for webhooks, and returns the number of calls. */
    async minute(): Promise<number> {
      const before = await api.calls();
      await runEveryMinute(api.env, 1);
      return (await api.calls()) - before;
    },
    /** Sends a request, and waits for the work that goes on after the response. */
    async request(method: string, path: string, json?: unknown): Promise<number> {
      const context = createExecutionContext();
      const request = new Request(`https://api.example.com/api/v1/${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${organization.keys.owner}`,
          "Content-Type": "application/json",
        },
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      });
      const response = await worker.fetch(request, api.env, context);
      await response.text();
      await waitOnExecutionContext(context);
      return response.status;
    },
  };
}

type Idle = ReturnType<typeof openIdle>;

/** An idle service that rests. */
async function openResting(more: Record<string, unknown> = {}): Promise<Idle> {
  const idle = openIdle(more);
  // The first run can find something to sweep.
  for (let minutes = 1; minutes <= 3 && (await idle.agenda().isDue()); minutes++) {
    await idle.minute();
  }
  expect(await idle.agenda().isDue()).toBe(false);
  return idle;
}

describe("an idle service", () => {
  test("makes no database call for an hour", async () => {
    const { minute } = await openResting();
    for (let minutes = 1; minutes <= 60; minutes++) {
      expect([minutes, await minute()]).toEqual([minutes, 0]);
    }
  });

  test("makes no database call in a run of the cron trigger, which checks fifteen times", async () => {
    const { env: configured, calls, pending } = await openResting();
    const before = await calls();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const controller = createScheduledController({ cron: "* * * * *" });
      const running = worker.scheduled(controller, configured);
      for (let pauses = 1; pauses < 15; pauses++) {
        // The calls of the agenda also have timers.
        await vi.waitUntil(() => pending() === 0 && vi.getTimerCount() === 1, { timeout: 10_000 });
        vi.advanceTimersByTime(4000);
      }
      await running;
    } finally {
      vi.useRealTimers();
    }
    expect(await calls()).toBe(before);
  });

  test("queries the database in every run if it has no agenda", async () => {
    const { minute } = openIdle({ AGENDA: undefined });
    await minute();
    expect(await minute()).toBeGreaterThan(10);
    expect(await minute()).toBeGreaterThan(10);
  });
});

describe("a rest ends", () => {
  test("with each request that may have changed something, after its response", async () => {
    const idle = await openResting();
    const [{ id: network_id }] = organization.networks;
    expect(await idle.request("POST", "hosts", { network_id, name: "new" })).toBe(201);
    expect(await idle.agenda().isDue()).toBe(true);
    expect(await idle.minute()).toBeGreaterThan(10);
  });

  test("with a change through a tool of an assistant", async () => {
    const idle = await openResting();
    const context = createExecutionContext();
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call" };
    const daemon_id = await mintDaemon(organization.id, organization.networks[0].id, {
      next_poll_at: new Date(Date.now() + 3_600_000).toISOString(),
    });
    const params = { name: "scan_network", arguments: { daemon_id } };
    const response = await worker.fetch(
      new Request("https://api.example.com/mcp", {
        method: "POST",
        headers: {
          Authorization: `Bearer ${organization.keys.owner}`,
          "Content-Type": "application/json",
          Accept: "application/json, text/event-stream",
          "Mcp-Protocol-Version": "2025-11-25",
        },
        body: JSON.stringify({ ...body, params }),
      }),
      idle.env,
      context,
    );
    expect(await response.json()).toMatchObject({ result: { isError: false } });
    await waitOnExecutionContext(context);
    expect(await idle.agenda().isDue()).toBe(true);
  });

  test("with a response whose outcome is unknown, since the change may have been committed", async () => {
    const idle = await openResting();
    const [{ id: network_id }] = organization.networks;
    await idle.disturb({ faults: [{ kind: "lost_answer" }] });
    expect(await idle.request("POST", "hosts", { network_id, name: "new" })).toBe(503);
    expect(await idle.agenda().isDue()).toBe(true);
  });

  test("but not with a read or a request that is rejected", async () => {
    const idle = await openResting();
    expect(await idle.request("GET", "hosts")).toBe(200);
    expect(await idle.request("POST", "hosts", { name: 1 })).toBe(400);
    expect(await idle.request("DELETE", `hosts/${crypto.randomUUID()}`)).toBe(404);
    expect(await idle.agenda().isDue()).toBe(false);
  });

  test("when a consumer has processed a message, even one that failed", async () => {
    for (const body of [{ webhooks: [] }, { unknown: true }]) {
      const idle = await openResting();
      const message = { id: crypto.randomUUID(), timestamp: new Date(), attempts: 1, body };
      await worker.queue(createMessageBatch("network-inventory-webhooks", [message]), idle.env);
      expect(await idle.agenda().isDue()).toBe(true);
    }
  });

  test("after its time", async () => {
    const { agenda } = openIdle();
    const attempt = await agenda().begin();
    expect(await agenda().rest(attempt, 60)).toBe(true);
    expect(await agenda().isDue()).toBe(false);
    await vi.waitUntil(async () => agenda().isDue(), { interval: 5 });
  });
});

describe("the service does not rest", () => {
  test("if something changes while the jobs run", async () => {
    const { agenda } = openIdle();
    const attempt = await agenda().begin();
    await agenda().wake();
    expect(await agenda().rest(attempt, 60_000)).toBe(false);
    expect(await agenda().isDue()).toBe(true);
  });

  test("if another run has begun in the meantime, which decides", async () => {
    const { agenda } = openIdle();
    const first = await agenda().begin();
    const second = await agenda().begin();
    expect(await agenda().rest(first, 60_000)).toBe(false);
    expect(await agenda().rest(second, 60_000)).toBe(true);
    expect(await agenda().rest(second, 120_000)).toBe(false);
  });

  test("if jobs have failed", async () => {
    const idle = await openResting();
    await idle.agenda().wake();
    await idle.disturb({ faults: Array.from({ length: 12 }, () => ({ kind: "refuse" as const })) });
    const logs = recordConsole();
    await idle.minute();
    expect(logs()).toContain("job_failed");
    expect(await idle.agenda().isDue()).toBe(true);
    await idle.minute();
    expect(await idle.agenda().isDue()).toBe(false);
  });

  test("if the agenda fails, and the log says so without data of callers", async () => {
    const failing = { isDue: fail, begin: fail, rest: fail, wake: fail };
    const id = env.AGENDA.idFromName(crypto.randomUUID());
    const idle = openIdle({ AGENDA: { idFromName: () => id, get: () => failing } });
    const logs = recordConsole();
    await idle.minute();
    expect(await idle.minute()).toBeGreaterThan(10);
    expect(logs()).toContain('{"event":"agenda_failed","operation":"is_due","error":"broken"}');
    expect(logs()).toContain('{"event":"agenda_failed","operation":"begin","error":"broken"}');
  });

  test("if the agenda does not respond within two seconds", async () => {
    const hanging = { isDue: () => new Promise<boolean>(() => {}) };
    const id = env.AGENDA.idFromName(crypto.randomUUID());
    const { AGENDA } = settingsOf(
      openIdle({ AGENDA: { idFromName: () => id, get: () => hanging } }).env,
    );
    if (AGENDA === undefined) {
      throw new Error("The agenda is not configured.");
    }
    const logs = recordConsole();
    const startedAt = Date.now();
    expect(await isDue(AGENDA)).toBe(true);
    expect(Date.now() - startedAt).toBeLessThan(4000);
    expect(logs()).toContain("It did not respond.");
  });
});

test("a wake that fails is repeated", async () => {
  const id = env.AGENDA.idFromName(crypto.randomUUID());
  let failures = 1;
  const get = () => ({
    ...{ isDue: fail, begin: fail, rest: fail },
    async wake() {
      if (failures-- > 0) {
        throw new Error("broken");
      }
      await env.AGENDA.get(id).wake();
    },
  });
  const attempt = await env.AGENDA.get(id).begin();
  await env.AGENDA.get(id).rest(attempt, 60_000);
  recordConsole();
  const idle = openIdle({ AGENDA: { idFromName: () => id, get } });
  const [{ id: network_id }] = organization.networks;
  expect(await idle.request("POST", "hosts", { network_id, name: "new" })).toBe(201);
  expect(await env.AGENDA.get(id).isDue()).toBe(true);
});

describe("a resting service is on time", () => {
  test("with the change that a webhook receives, which the next check sends", async () => {
    const idle = await openResting();
    const [{ id: network_id }] = organization.networks;
    const json = { name: "hook", url: "http://127.0.0.1:9/hook" };
    expect(await idle.request("POST", "webhooks", json)).toBe(201);
    // The webhook exists, and the service rests again.
    await idle.minute();
    await idle.minute();
    expect(await idle.agenda().isDue()).toBe(false);
    expect(idle.sent).toEqual([]);
    expect(await idle.request("POST", "hosts", { network_id, name: "new" })).toBe(201);
    await idle.minute();
    expect(idle.sent).toEqual([
      { webhooks: [expect.objectContaining({ organization_id: organization.id })] },
    ]);
  });

  test("with a daemon that is provisioned, which the next run polls", async () => {
    const idle = await openResting();
    const [{ id: network_id }] = organization.networks;
    const json = { network_id, name: "new", url: "https://daemon.example.com" };
    expect(await idle.request("POST", "daemons/provision", json)).toBe(201);
    await idle.minute();
    expect(idle.sent).toEqual([{ daemons: [expect.objectContaining({ network_id })] }]);
  });

  test("with a schedule, which ends the rest by itself", async () => {
    const idle = openIdle();
    const id = await mintDaemon(organization.id, organization.networks[0].id, {
      ...unreachable,
      schedule_cron: "0 0 * * *",
      schedule_timezone: "UTC",
      next_scan_at: new Date(Date.now() + 1500).toISOString(),
    });
    await vi.waitUntil(
      async () => {
        await idle.minute();
        return !(await idle.agenda().isDue());
      },
      { timeout: 10_000 },
    );
    await scheduler.wait(1600);
    await idle.minute();
    expect(await sql`select is_scheduled from discovery_sessions where daemon_id = ${id}`).toEqual([
      { is_scheduled: true },
    ]);
  });
});

async function fail(): Promise<never> {
  throw new Error("broken");
}

describe("the time until something is due", () => {
  const minute = 60_000;
  const day = 24 * 60 * minute;
  const ms = (maximum = maximumRestMs) => msUntilDue(settingsOf(openIdle().env), maximum);
  /** A time within the last seconds of an interval, since the test takes a while. */
  const about = (milliseconds: number) => ({
    asymmetricMatch: (actual: number) =>
      actual <= milliseconds + 1000 && actual > milliseconds - 10_000,
  });
  const daemon = (values: Parameters<typeof mintDaemon>[2]) =>
    mintDaemon(organization.id, organization.networks[0].id, values);
  const later = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString();
  /** Makes hosts stale after two hours that were seen some time ago. */
  const seen = async (ago: string) => {
    await sql`update hosts set last_seen_at = now() - ${ago}::interval`;
    await sql`update networks set stale_after_hours = 2`;
  };
  const webhook = (values: string) =>
    sql.query(`
      insert into webhooks (organization_id, name, url, secret_hint, position_at, position_entity,
        position_id, newer_at, retry_at, lease_expires_at, disabled_reason)
      select id, 'hook', 'https://hook.example.com', '0000', ${values} from organizations`);
  const noId = "'00000000-0000-0000-0000-000000000000'::uuid";
  const settled = `now(), '~', ${noId}`;
  const behind = `'2020-01-01', '~', ${noId}`;

  test("is the maximum if nothing is due, six hours in production", async () => {
    expect(maximumRestMs).toBe(6 * 60 * minute);
    expect(await ms()).toBe(maximumRestMs);
    expect(await ms(1000)).toBe(1000);
  });

  const cases: [string, () => Promise<unknown>, number][] = [
    ["a daemon that is polled", () => daemon({ next_poll_at: later(5000) }), 0],
    [
      "a daemon whose poll is retried later",
      () => daemon({ next_poll_at: later(5 * minute) }),
      5 * minute,
    ],
    ["a daemon that is unreachable", () => daemon(unreachable), maximumRestMs],
    [
      "a schedule",
      () =>
        daemon({
          ...unreachable,
          schedule_cron: "0 0 * * *",
          schedule_timezone: "UTC",
          next_scan_at: later(30 * minute),
        }),
      30 * minute,
    ],
    [
      "a scan that makes no progress",
      async () => {
        const id = await daemon(unreachable);
        await sql`
          insert into discovery_sessions
            (organization_id, network_id, daemon_id, phase, started_at, moved_at, is_full_scan)
          values (${organization.id}, ${organization.networks[0].id}, ${id}, 'Scanning', now(),
            now() - interval '3 minutes', false)`;
      },
      2 * minute,
    ],
    [
      "the cancellation of a scan",
      () => sql`
        insert into app.scan_cancellations
          (organization_id, session_id, daemon_id, url, sealed_token, next_try_at)
        values (${organization.id}, gen_random_uuid(), gen_random_uuid(), 'https://d.example.com',
          'demo.unused', now() + interval '2 minutes')`,
      2 * minute,
    ],
    [
      "a webhook without changes",
      () => webhook(`${settled}, now(), null, null, null`),
      maximumRestMs,
    ],
    ["a webhook with changes", () => webhook(`${behind}, now(), null, null, null`), 0],
    [
      "a webhook with changes and a failed delivery",
      () => webhook(`${behind}, now() + interval '1 minute 30 seconds', null, null, null`),
      1.5 * minute,
    ],
    [
      "a retry",
      () => webhook(`${settled}, null, now() + interval '30 minutes', null, null`),
      30 * minute,
    ],
    [
      "a webhook that is being delivered to",
      () => webhook(`${behind}, now(), null, now() + interval '3 minutes', null`),
      3 * minute,
    ],
    [
      "a disabled webhook",
      () => webhook(`${behind}, now(), null, null, 'requested'`),
      maximumRestMs,
    ],
    ["a host that becomes stale", () => seen("90 minutes"), 30 * minute],
    ["a host that has become stale", () => seen("3 hours"), 0],
    [
      "a suspended organization, which has nothing to do",
      async () => {
        await daemon({ next_poll_at: later(5000) });
        await webhook(`${behind}, now(), null, null, null`);
        await seen("3 hours");
        await sql`update organizations set suspended_at = now(), history_days = 7`;
      },
      maximumRestMs,
    ],
    [
      "an organization that is deleted later",
      () => sql`
        update organizations
        set suspended_at = now(), deletes_at = now() + interval '30 minutes'`,
      30 * minute,
    ],
    ["history that is no longer kept", () => sql`update organizations set history_days = 7`, 0],
  ];

  test.each(cases)("takes account of %s", async (_, given, expected) => {
    await given();
    expect(await ms()).toEqual(
      expected === 0 || expected === maximumRestMs ? expected : about(expected),
    );
  });

  test("ends at midnight UTC while an organization limits its history", async () => {
    const idle = openIdle();
    await sql`update organizations set history_days = 7`;
    await idle.minute();
    expect(await ms(2 * day)).toEqual(about(day - (Date.now() % day)));
  });
});
