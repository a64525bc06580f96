import { createScheduledController } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import worker from "../../src/index.ts";
import { type Fault, openApi } from "../helpers/api.ts";
import { recordConsole } from "../helpers/console.ts";
import { sentSecret } from "../helpers/credentials.ts";
import { leaseDaemon, raiseDaemon } from "../helpers/daemons.ts";
import { sql } from "../helpers/database.ts";
import { fakeLimiter } from "../helpers/limiter.ts";
import { mintOrganization } from "../helpers/organization.ts";
import { daemonToken, openFreshDatabase, openPoller } from "../helpers/poller.ts";
import { openWebhooks, raiseReceiver } from "../helpers/webhooks.ts";

let variables: Record<string, string>;

// Cycles in other tests would claim the webhooks and daemons of these.
beforeAll(async () => {
  variables = await openFreshDatabase();
}, 60_000);

/** A dataset that records the data points written to it. */
function openDataset() {
  const points: unknown[] = [];
  return { points, METRICS: { writeDataPoint: (point: unknown) => points.push(point) } };
}

const ms = expect.toSatisfy((it) => typeof it === "number" && it >= 0, "milliseconds");

const point = (index: string, blobs: string[], doubles: unknown[]) => ({
  indexes: [index],
  blobs,
  doubles,
});

describe("a request", () => {
  test("writes one data point, with the time spent in the database", async () => {
    const { points, METRICS } = openDataset();
    const { id, keys } = await mintOrganization();
    const api = openApi({ ...variables, METRICS });
    await api.disturb({ delay_ms: 50 });
    await api.send("GET", "/api/v1/tags?limit=1", { key: keys.viewer });
    expect(points).toEqual([point(id, ["request", "GET /api/v1/tags", "ok"], [200, ms, ms, 0])]);
    const [, whole, ofDatabase] = Object(points[0]).doubles;
    expect(ofDatabase).toBeGreaterThanOrEqual(49);
    expect(whole).toBeGreaterThanOrEqual(ofDatabase);
  });

  const fault: Fault = { kind: "sqlstate", code: "55P03", message: "a canary" };
  test.each([
    ["refused", "GET", "/nowhere", {}, ["none", "refused"], 404, undefined],
    ["refused", "GET", "/api/v1/tags", {}, ["GET /api/v1/tags", "auth_not_authenticated"], 401],
    ["failed", "GET", "/api/v1/tags", {}, ["GET /api/v1/tags", "lock"], 503, fault],
  ] as const)(
    "that is %s: %s %s %j",
    async (_, method, path, __, names, status, broken?: Fault) => {
      const { points, METRICS } = openDataset();
      const { keys } = await mintOrganization();
      const api = openApi({ ...variables, METRICS });
      if (broken) {
        await api.disturb({ faults: [broken, broken] });
      }
      await api.send(method, path, broken ? { key: keys.viewer } : {});
      expect(points).toEqual([point("none", ["request", ...names], [status, ms, ms, 0])]);
    },
  );

  test("writes the organization of a known key that exceeds a limit", async () => {
    const { points, METRICS } = openDataset();
    const { id, keys } = await mintOrganization();
    const api = openApi({
      ...variables,
      METRICS,
      RATE_LIMITS: "on",
      KEY_RATE_LIMIT: fakeLimiter(1),
      ORGANIZATION_RATE_LIMIT: fakeLimiter(1000),
    });
    await api.send("GET", "/api/v1/tags?limit=1", { key: keys.viewer });
    await api.send("GET", "/api/v1/tags?limit=1", { key: keys.viewer });
    expect(points).toEqual([
      point(id, ["request", "GET /api/v1/tags", "ok"], [200, ms, ms, 0]),
      point(id, ["request", "GET /api/v1/tags", "rate_limit_exceeded"], [429, ms, 0, 0]),
    ]);
  });

  test("writes a data point even if the configuration is invalid", async () => {
    const { points, METRICS } = openDataset();
    recordConsole();
    await openApi({ ...variables, METRICS, SEALING_KEYS: "" }).send("GET", "/api/version");
    expect(points).toEqual([
      point("none", ["request", "GET /api/version", "configuration"], [503, ms, 0, 0]),
    ]);
  });

  test("does not write any of its contents", async () => {
    const { points, METRICS } = openDataset();
    const { keys } = await mintOrganization();
    const api = openApi({ ...variables, METRICS });
    await api.send("POST", `/api/v1/tags?secret=${sentSecret}`, {
      key: keys.owner,
      json: { name: sentSecret },
    });
    await api.send("GET", `/${sentSecret}`, { key: keys.owner });
    expect(points).toHaveLength(2);
    expect(JSON.stringify(points)).not.toMatch(
      new RegExp(`${sentSecret}|${keys.owner}|${keys.owner.slice(-4)}`),
    );
  });

  test("succeeds even without a dataset, and even if writing to the dataset fails", async () => {
    const { keys } = await mintOrganization();
    const METRICS = {
      writeDataPoint: () => {
        throw new Error("too many");
      },
    };
    for (const api of [
      openApi({ ...variables, METRICS: undefined }),
      openApi({ ...variables, METRICS }),
    ]) {
      expect(await api.send("GET", "/api/v1/tags", { key: keys.viewer })).toMatchObject({
        status: 200,
      });
    }
  });
});

describe("the poller", () => {
  test("writes a data point for each poll, and another for the batch", async () => {
    const { points, METRICS } = openDataset();
    const poller = openPoller({ ...variables, METRICS });
    const organization = await mintOrganization();
    const healthy = raiseDaemon();
    const ids = [
      await poller.mintDaemon({ url: healthy.url }, organization),
      await poller.mintDaemon({}, organization),
      await poller.mintDaemon({}, organization, "demo.unused"),
    ];
    recordConsole();
    await poller.poll(...(await Promise.all(ids.map(leaseDaemon))));
    const of = (outcome: string, status: number) =>
      point(organization.id, ["poll", "poll", outcome], [status, ms, ms, 0]);
    expect(points).toHaveLength(4);
    expect(points).toEqual(
      expect.arrayContaining([
        of("ok", 200),
        of("connection_refused", 0),
        of("token_unreadable", 0),
        point(organization.id, ["poll_batch", "poll_batch", "ok"], [0, ms, 0, 0]),
      ]),
    );
    expect(JSON.stringify(points)).not.toMatch(new RegExp(`${daemonToken}|127\\.0\\.0\\.1`));
  });

  test("writes a data point if no job can run because the configuration is invalid", async () => {
    const { points, METRICS } = openDataset();
    const poller = openPoller({ ...variables, METRICS });
    recordConsole();
    const unusable = { ...poller.env, DATABASE_DEADLINE_MS: sentSecret };
    await worker.scheduled(createScheduledController(), unusable);
    expect(points).toEqual([
      point("none", ["job", "configuration", "configuration"], [0, 0, 0, 0]),
    ]);
  });

  test("writes a data point for a failed job, with the reason", async () => {
    const { points, METRICS } = openDataset();
    const poller = openPoller({ ...variables, METRICS });
    recordConsole();
    await poller.deliver("no message");
    await poller.disturb({ faults: [{ kind: "sqlstate", code: "53300", message: "a canary" }] });
    const id = crypto.randomUUID();
    await poller.deliver({
      cancellations: [
        { organization_id: id, session_id: id, daemon_id: id, url: "http://a", sealed_token: "a" },
      ],
    });
    expect(points).toEqual([
      point("none", ["job", "poll_batch", "ZodError"], [0, 0, 0, 0]),
      point("none", ["job", "poll_batch", "resources"], [0, 0, 0, 0]),
    ]);
  });
});

describe("webhooks", () => {
  test("write a data point for each delivery, and another for the batch", async () => {
    const { points, METRICS } = openDataset();
    const hooks = await openWebhooks({ ...variables, METRICS });
    const [accepting, failing] = [raiseReceiver(), raiseReceiver()];
    await failing.behave({ kind: "answer", status: 500 });
    await hooks.create({ url: accepting.url });
    await hooks.create({ url: failing.url });
    const { id } = await hooks.create({ url: accepting.url });
    await sql`update webhook_secrets set sealed = 'demo.AAAA' where webhook_id = ${id}`;
    await hooks.addHost("host");
    recordConsole();
    points.length = 0;
    await hooks.deliver((await hooks.lanes()).fast[0]);
    const of = (outcome: string, status: number) =>
      point(
        hooks.organization.id,
        ["webhook_delivery", "webhook_delivery", outcome],
        [status, ms, 0, 0],
      );
    expect(points).toHaveLength(4);
    expect(points).toEqual(
      expect.arrayContaining([
        of("ok", 200),
        of("http_status", 500),
        of("secret_unreadable", 0),
        point(hooks.organization.id, ["webhook_batch", "webhook_batch", "ok"], [0, ms, 0, 0]),
      ]),
    );
  });
});
