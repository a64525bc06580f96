import { expect, onTestFinished, test, vi } from "vitest";
import { hashApiKey, mintApiKey, mintOperatorKey } from "../../src/api-key.ts";
import contract from "../../src/docs/contract.md?raw";
import { settingsOf } from "../../src/env.ts";
import { periodSeconds, rateLimits } from "../../src/http/limits/rate-limit.ts";
import wrangler from "../../wrangler.toml?raw";
import { failed, seen, succeeded, unauthorized } from "../helpers/answers.ts";
import { type Fault, openApi } from "../helpers/api.ts";
import { sql } from "../helpers/database.ts";
import { fakeLimiter } from "../helpers/limiter.ts";
import { perform, sampledOperations } from "../helpers/operations.ts";
import { mintOperator } from "../helpers/operators.ts";
import { mintKey, mintOrganization } from "../helpers/organization.ts";
import { mintPopulatedOrganization } from "../helpers/populated-organization.ts";
import { changingNothing } from "../helpers/rows.ts";

const limited = failed(
  "rate_limit_exceeded",
  {
    retry_after_seconds: expect.toSatisfy(
      (seconds) => Number.isInteger(seconds) && seconds >= 1 && seconds <= 60,
    ),
  },
  { ratelimit: expect.stringMatching(/"\w+";r=0;t=\d+$/) },
);

const operatorPath = "/api/v1/organizations?all=true";

/**
 * Sets the clock to this many seconds before the end of a minute. Returns the end of that minute
 * and the mock.
 */
function stopClock(seconds: number) {
  const endOfMinute = Math.ceil(Date.now() / 60_000) * 60_000 + 60_000;
  const clock = vi.spyOn(Date, "now").mockReturnValue(endOfMinute - seconds * 1000);
  onTestFinished(() => clock.mockRestore());
  return { endOfMinute, clock };
}

/** Opens an API with these limits on requests. */
function openLimitedApi({
  perKey = 1000,
  perOrganization = 1000,
  perAddress = 1000,
  perMonitor = 1000,
} = {}) {
  const keys = fakeLimiter(perKey);
  const organizations = fakeLimiter(perOrganization);
  const addresses = fakeLimiter(perAddress);
  const monitors = fakeLimiter(perMonitor);
  const api = openApi({
    RATE_LIMITS: "on",
    KEY_RATE_LIMIT: keys,
    ORGANIZATION_RATE_LIMIT: organizations,
    ADDRESS_RATE_LIMIT: addresses,
    READINESS_RATE_LIMIT: monitors,
  });
  return {
    api,
    keys: keys.counted,
    organizations: organizations.counted,
    addresses: addresses.counted,
    monitors: monitors.counted,
  };
}

const disable = async (key: string) =>
  sql`update user_api_keys set is_enabled = false
    where id = (select api_key_id from user_api_key_secrets
      where key_hash = decode(${await hashApiKey(key)}, 'hex'))`;

const from = (address: string) => ({ "CF-Connecting-IP": address });

test.each(sampledOperations)(
  "$name: a request with a key over its limit does not cause a database call",
  async (operation) => {
    const { api, keys, addresses } = openLimitedApi({ perKey: 1 });
    const organization = await mintPopulatedOrganization();
    const key = organization.keys.owner;
    const send = () => perform(api, operation, organization, { key });
    expect(seen(await send())).toEqual(succeeded());
    expect(await api.calls()).toBe(1);
    expect(seen(await changingNothing(organization.id, send))).toEqual(limited);
    expect(await api.calls()).toBe(1);
    expect(keys).toEqual([await hashApiKey(key), await hashApiKey(key)]);
    expect(addresses).toEqual([]);
  },
);

test.each(sampledOperations)(
  "$name: a request without a key counts against its address",
  async (operation) => {
    const { api, keys, addresses } = openLimitedApi({ perAddress: 1 });
    const organization = await mintPopulatedOrganization();
    const headers = from("192.0.2.1");
    expect(seen(await perform(api, operation, organization, { headers }))).toEqual(
      unauthorized("auth_not_authenticated", { reason: "missing" }),
    );
    const answer = seen(await perform(api, operation, organization, { headers }));
    expect(answer).toEqual(limited);
    expect(answer.headers).not.toHaveProperty("www-authenticate");
    expect(await api.calls()).toBe(0);
    expect({ keys, addresses }).toEqual({ keys: [], addresses: ["192.0.2.1", "192.0.2.1"] });
  },
);

test("each key and each address has its own limit", async () => {
  const { api } = openLimitedApi({ perKey: 1, perAddress: 1 });
  const { keys } = await mintOrganization();
  for (const key of [keys.viewer, keys.member]) {
    const answer = await api.send("GET", "/api/v1/credentials", { key });
    expect(seen(answer)).toEqual(succeeded());
  }
  for (const address of ["192.0.2.1", "2001:db8::1"]) {
    const answer = await api.send("GET", "/api/v1/credentials", { headers: from(address) });
    expect(answer).toMatchObject({ status: 401 });
  }
});

test("requests with unknown, expired or disabled keys count against the address", async () => {
  const { id } = await mintOrganization();
  const bad = [
    mintApiKey(),
    await mintKey(id, { expires_at: "2026-01-02T03:04:05.060Z" }),
    await mintKey(id, { is_enabled: false }),
  ];
  for (const key of bad) {
    const { api, addresses } = openLimitedApi({ perAddress: 1 });
    const options = { key, headers: from("192.0.2.1") };
    expect(await api.send("GET", "/api/v1/bindings", options)).toMatchObject({ status: 401 });
    const answer = seen(await api.send("GET", "/api/v1/bindings", options));
    expect(answer).toEqual(limited);
    expect(answer.headers).not.toHaveProperty("www-authenticate");
    expect(addresses).toEqual(["192.0.2.1", "192.0.2.1"]);
  }
});

test("a request with an unknown key counts against the address even if the request is invalid", async () => {
  const { api, addresses } = openLimitedApi({ perAddress: 0 });
  const options = { key: mintApiKey(), headers: from("192.0.2.1") };
  expect(seen(await api.send("GET", "/api/v1/bindings?limit=x", options))).toEqual(limited);
  expect(addresses).toEqual(["192.0.2.1"]);
});

test("rejected requests with a valid key do not count against the address", async () => {
  const { api, addresses } = openLimitedApi({ perAddress: 0 });
  const { id, keys } = await mintOrganization();
  const path = `/api/v1/organizations/${id}`;
  const refusals = [
    await api.send("PUT", path, { key: keys.viewer, json: "After" }),
    await api.send("PUT", path, { key: keys.owner, json: 5 }),
    await api.send("PUT", `/api/v1/organizations/${keys.owner}`, { key: keys.owner, json: "x" }),
  ];
  expect(refusals.map(({ status }) => status)).toEqual([403, 400, 400]);
  expect(addresses).toEqual([]);
});

test("requests with unknown or revoked operator keys count against the address", async () => {
  const { key: revoked } = await mintOperator({ revoked_at: "2026-01-02T03:04:05.060Z" });
  for (const key of [mintOperatorKey(), revoked]) {
    const { api, addresses } = openLimitedApi({ perAddress: 1 });
    const options = { key, headers: from("192.0.2.1") };
    expect(await api.send("GET", operatorPath, options)).toMatchObject({ status: 401 });
    expect(seen(await api.send("GET", operatorPath, options))).toEqual(limited);
    expect(addresses).toEqual(["192.0.2.1", "192.0.2.1"]);
  }
});

test("rejected requests with a valid operator key, or to operators' paths with a valid key, do not count against the address", async () => {
  const { api, addresses } = openLimitedApi({ perAddress: 0 });
  const { key } = await mintOperator();
  const { keys } = await mintOrganization();
  const refusals = [
    await api.send("GET", `${operatorPath}&limit=0`, { key }),
    await api.send("GET", operatorPath, { key: keys.owner }),
  ];
  expect(refusals.map(({ status }) => status)).toEqual([400, 403]);
  expect(addresses).toEqual([]);
});

test("a recently accepted operator key works from an address over its limit until it is revoked", async () => {
  const { api } = openLimitedApi({ perAddress: 2 });
  const { key, id } = await mintOperator();
  const options = { key, headers: from("192.0.2.1") };
  expect(await api.send("GET", operatorPath, options)).toMatchObject({ status: 200 });
  await sql`update app.operator_keys set revoked_at = now() where id = ${id}`;
  expect(await api.send("GET", operatorPath, options)).toMatchObject({ status: 401 });
  await exhaust(api, "192.0.2.1");
  const calls = await api.calls();
  // As of the 401, the key is no longer considered accepted.
  expect(seen(await api.send("GET", operatorPath, options))).toEqual(limited);
  expect(await api.calls()).toBe(calls);
});

test("health and version are not limited", async () => {
  const { api } = openLimitedApi({ perAddress: 0 });
  for (const path of ["/api/health", "/api/version"]) {
    expect(seen(await api.send("GET", path))).toEqual(succeeded());
  }
});

test("readiness, which takes a database call, has a separate limit per address", async () => {
  const { api, addresses, monitors } = openLimitedApi({ perAddress: 0, perMonitor: 1 });
  const headers = from("192.0.2.1");
  expect(seen(await api.send("GET", "/api/v1/credentials", { headers }))).toEqual(limited);
  expect((await api.send("GET", "/api/health/ready", { headers })).status).not.toBe(429);
  expect(seen(await api.send("GET", "/api/health/ready", { headers }))).toEqual(limited);
  expect(await api.calls()).toBe(1);
  expect({ addresses, monitors }).toEqual({
    addresses: ["192.0.2.1"],
    monitors: ["192.0.2.1", "192.0.2.1"],
  });
});

test.each([
  ["192.0.2.1", "192.0.2.1"],
  ["2001:db8:0:1::1", "2001:db8:0:1::/64"],
  ["2001:DB8:0:1:ffff:ffff:ffff:ffff", "2001:db8:0:1::/64"],
  ["2001:db8:0:2::1", "2001:db8:0:2::/64"],
  ["::1", "0:0:0:0::/64"],
  ["1::", "1:0:0:0::/64"],
  ["1:2:3:4:5:6:7:8", "1:2:3:4::/64"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["::ffff:c000:201", "192.0.2.1"],
])("requests from the address %s count against %s", async (address, counted) => {
  const { api, addresses } = openLimitedApi();
  await api.send("GET", "/api/v1/credentials", { headers: from(address) });
  expect(addresses).toEqual([counted]);
});

test("IPv6 addresses of the same /64 share one limit", async () => {
  const { api } = openLimitedApi({ perAddress: 1 });
  const statuses: number[] = [];
  for (const address of ["2001:db8::1", "2001:db8::2", "2001:db8:0:1::2"]) {
    const options = { key: mintApiKey(), headers: from(address) };
    statuses.push((await api.send("GET", "/api/v1/credentials", options)).status);
  }
  expect(statuses).toEqual([401, 429, 401]);
});

test("requests with 100 invented keys from an address over its limit do not cause any database calls", async () => {
  const { api, keys } = openLimitedApi({ perAddress: 1 });
  const headers = from("192.0.2.1");
  for (let count = 1; count <= 2; count++) {
    await api.send("GET", "/api/v1/credentials", { key: mintApiKey(), headers });
  }
  expect(await api.calls()).toBe(2);
  for (let count = 1; count <= 100; count++) {
    const answer = await api.send("GET", "/api/v1/credentials", { key: mintApiKey(), headers });
    expect(seen(answer)).toEqual(limited);
  }
  expect(await api.calls()).toBe(2);
  expect(keys).toHaveLength(2);
});

/** Uses up an address's limit, which must be 1. */
async function exhaust(api: ReturnType<typeof openApi>, address: string): Promise<void> {
  for (const status of [401, 429]) {
    const answer = await api.send("GET", "/api/v1/credentials", { headers: from(address) });
    expect(answer).toMatchObject({ status });
  }
}

test("a recently accepted key works from an address over its limit", async () => {
  const { api } = openLimitedApi({ perAddress: 1 });
  const { id, keys } = await mintOrganization();
  const options = { key: keys.viewer, headers: from("192.0.2.1") };
  expect(seen(await api.send("GET", "/api/v1/credentials", options))).toEqual(succeeded());
  // A key that is rejected only because of its role is still considered accepted.
  const owners = { key: keys.member, json: "x", headers: from("192.0.2.1") };
  const path = `/api/v1/organizations/${id}`;
  expect(await api.send("PUT", path, owners)).toMatchObject({ status: 403 });
  await exhaust(api, "192.0.2.1");
  expect(seen(await api.send("GET", "/api/v1/credentials", options))).toEqual(succeeded());
  expect(await api.send("PUT", path, owners)).toMatchObject({ status: 403 });
  expect(seen(await api.send("PUT", path, { ...owners, key: keys.owner }))).toEqual(limited);
});

test("a recently accepted key is checked again with every request", async () => {
  const { api } = openLimitedApi({ perAddress: 2 });
  const { keys } = await mintOrganization();
  const options = { key: keys.viewer, headers: from("192.0.2.1") };
  expect(seen(await api.send("GET", "/api/v1/credentials", options))).toEqual(succeeded());
  await disable(keys.viewer);
  expect(seen(await api.send("GET", "/api/v1/credentials", options))).toEqual(
    unauthorized("auth_key_disabled"),
  );
  await exhaust(api, "192.0.2.1");
  // As of this request, the key is no longer considered accepted.
  expect(await api.calls()).toBe(2);
  expect(seen(await api.send("GET", "/api/v1/credentials", options))).toEqual(limited);
  expect(await api.calls()).toBe(2);
});

test("an address is over its limit until the minute ends", async () => {
  const endOfMinute = Math.ceil(Date.now() / 60_000) * 60_000;
  const clock = vi.spyOn(Date, "now").mockReturnValue(endOfMinute - 1);
  onTestFinished(() => clock.mockRestore());
  const { api, addresses } = openLimitedApi({ perAddress: 1 });
  await exhaust(api, "192.0.2.1");
  const options = { key: mintApiKey(), headers: from("192.0.2.1") };
  expect(seen(await api.send("GET", "/api/v1/credentials", options))).toEqual(limited);
  expect([await api.calls(), addresses.length]).toEqual([0, 2]);
  clock.mockReturnValue(endOfMinute);
  // The limiter is called again, and decides whether to allow the request.
  expect(seen(await api.send("GET", "/api/v1/credentials", options))).toEqual(limited);
  expect([await api.calls(), addresses.length]).toEqual([1, 3]);
});

test("a key is considered recently accepted for ten minutes", async () => {
  const start = Math.ceil(Date.now() / 60_000) * 60_000;
  const clock = vi.spyOn(Date, "now").mockReturnValue(start);
  onTestFinished(() => clock.mockRestore());
  const { api } = openLimitedApi({ perAddress: 1 });
  const { keys } = await mintOrganization();
  const send = async (key: string) => {
    const options = { key, headers: from("192.0.2.1") };
    return (await api.send("GET", "/api/v1/credentials", options)).status;
  };
  expect(await send(keys.viewer)).toBe(200);
  expect(await send(keys.member)).toBe(200);
  clock.mockReturnValue(start + 599_999);
  await exhaust(api, "192.0.2.1");
  expect(await send(keys.viewer)).toBe(200);
  clock.mockReturnValue(start + 600_000);
  expect(
    seen(await api.send("GET", "/api/v1/credentials", { headers: from("192.0.2.1") })),
  ).toEqual(limited);
  expect([await send(keys.viewer), await send(keys.member)]).toEqual([200, 429]);
});

const limitsOf = ({ headers }: { headers: Headers }) => [
  headers.get("RateLimit-Policy"),
  headers.get("RateLimit"),
];

test("a response contains the limits that apply, and the number of requests remaining until the end of the minute", async () => {
  const { endOfMinute, clock } = stopClock(33.001);
  const { api } = openLimitedApi();
  const { id, keys } = await mintOrganization();
  const send = (key: string, path = "/api/v1/credentials", options = {}) =>
    api.send("GET", path, { key, ...options });
  const policy = '"key";q=300;w=60, "organization";q=1200;w=60';
  const first = await send(keys.viewer);
  expect(limitsOf(first)).toEqual([policy, '"key";r=299;t=34, "organization";r=1199;t=34']);
  const missing = await send(keys.viewer, `/api/v1/credentials/${crypto.randomUUID()}`);
  expect(missing.status).toBe(404);
  expect(limitsOf(missing)).toEqual([policy, '"key";r=298;t=34, "organization";r=1198;t=34']);
  // Another key has its own limit, and shares the organization's limit.
  const invalid = await send(keys.owner, "/api/v1/credentials?limit=x");
  expect(invalid.status).toBe(400);
  expect(limitsOf(invalid)).toEqual([policy, '"key";r=299;t=34, "organization";r=1197;t=34']);
  const { headers } = await send(keys.owner, `/api/v1/organizations/${id}`);
  const unchanged = await send(keys.owner, `/api/v1/organizations/${id}`, {
    headers: { "If-None-Match": headers.get("ETag") ?? "" },
  });
  expect(unchanged.status).toBe(304);
  expect(limitsOf(unchanged)).toEqual([policy, '"key";r=297;t=34, "organization";r=1195;t=34']);
  clock.mockReturnValue(endOfMinute);
  const next = await send(keys.viewer);
  expect(limitsOf(next)).toEqual([policy, '"key";r=299;t=60, "organization";r=1199;t=60']);
});

test("a 503 after a database failure contains the limits that apply", async () => {
  stopClock(10);
  const { api } = openLimitedApi();
  const { keys } = await mintOrganization();
  await api.disturb({ faults: [{ kind: "refuse" }, { kind: "refuse" }] });
  const answer = await api.send("GET", "/api/v1/credentials", { key: keys.viewer });
  expect(answer.status).toBe(503);
  // The organization of a key that has never been checked is unknown.
  expect(limitsOf(answer)).toEqual(['"key";q=300;w=60', '"key";r=299;t=10']);
});

test("the response to a request without a valid key contains the limit of its address, but not that of an organization", async () => {
  stopClock(10);
  const { api } = openLimitedApi();
  const { keys } = await mintOrganization();
  const headers = from("192.0.2.1");
  const none = await api.send("GET", "/api/v1/credentials", { headers });
  expect(limitsOf(none)).toEqual(['"address";q=40;w=60', '"address";r=39;t=10']);
  expect((await api.send("GET", "/api/v1/credentials", { key: keys.viewer })).status).toBe(200);
  await disable(keys.viewer);
  const disabled = await api.send("GET", "/api/v1/credentials", { key: keys.viewer, headers });
  expect(disabled.status).toBe(401);
  expect(limitsOf(disabled)).toEqual([
    '"key";q=300;w=60, "address";q=40;w=60',
    '"key";r=298;t=10, "address";r=38;t=10',
  ]);
});

test("a 429 contains the exhausted limit and the time until it is reset", async () => {
  const { clock, endOfMinute } = stopClock(12);
  const { api } = openLimitedApi({ perKey: 1, perAddress: 1, perMonitor: 0 });
  const { keys } = await mintOrganization();
  const headers = from("192.0.2.1");
  const key = keys.viewer;
  const send = () => api.send("GET", "/api/v1/credentials", { key, headers });
  expect(limitsOf(await send())).toEqual([
    expect.anything(),
    expect.stringMatching(/^"key";r=299/),
  ]);
  const refused = await send();
  expect(refused.headers.get("Retry-After")).toBe("12");
  expect(refused.body).toMatchObject({ params: { retry_after_seconds: 12 } });
  expect(limitsOf(refused)).toEqual(['"key";q=300;w=60', '"key";r=0;t=12']);
  clock.mockReturnValue(endOfMinute - 1);
  const monitor = await api.send("GET", "/api/health/ready", { headers });
  expect([monitor.headers.get("Retry-After"), ...limitsOf(monitor)]).toEqual([
    "1",
    '"readiness";q=60;w=60',
    '"readiness";r=0;t=1',
  ]);
  await exhaust(api, "192.0.2.1");
  // The isolate has cached the fact that the address is over its limit, so the limiter is not
  // called.
  const flood = await api.send("GET", "/api/v1/credentials", { key: mintApiKey(), headers });
  expect(limitsOf(flood)).toEqual(['"address";q=40;w=60', '"address";r=0;t=1']);
});

test("responses to uncounted requests do not contain limits", async () => {
  const { api } = openLimitedApi();
  for (const path of ["/api/health", "/api/version", "/nowhere"]) {
    expect(limitsOf(await api.send("GET", path))).toEqual([null, null]);
  }
});

test("all keys of an organization share a limit, and once it is exceeded they do not cause database calls", async () => {
  const { api, organizations } = openLimitedApi({ perOrganization: 3 });
  const { id, keys } = await mintOrganization();
  const other = await mintOrganization();
  const send = (key: string) => api.send("GET", "/api/v1/credentials", { key });
  const statuses: number[] = [];
  for (const key of [keys.viewer, keys.owner, keys.viewer]) {
    statuses.push((await send(key)).status);
  }
  expect(statuses).toEqual([200, 200, 200]);
  expect(organizations).toEqual([id, id, id]);
  expect(await api.calls()).toBe(3);
  const refused = seen(await send(keys.owner));
  expect(refused).toEqual(limited);
  expect(refused.headers["ratelimit"]).toMatch(/^"key";r=298;t=\d+, "organization";r=0;t=\d+$/);
  expect(await api.calls()).toBe(3);
  expect((await send(other.keys.viewer)).status).toBe(200);
});

test("a request that has been executed succeeds even if its organization turns out to be over the limit", async () => {
  const { api } = openLimitedApi({ perOrganization: 0 });
  const { id, keys } = await mintOrganization();
  const rename = (name: string) =>
    api.send("PUT", `/api/v1/organizations/${id}`, { key: keys.owner, json: name });
  const done = await rename("Done");
  expect(done).toMatchObject({ status: 200, body: { data: { name: "Done" } } });
  expect(limitsOf(done)[1]).toMatch(/"organization";r=0;t=\d+$/);
  expect(seen(await rename("Refused"))).toEqual(limited);
  expect(await sql`select name from organizations where id = ${id}`).toEqual([{ name: "Done" }]);
});

test("a request that has been executed succeeds even if the limiter fails afterwards", async () => {
  const api = openApi({
    RATE_LIMITS: "on",
    KEY_RATE_LIMIT: fakeLimiter(1000),
    ORGANIZATION_RATE_LIMIT: { limit: () => Promise.reject(new Error("no answer")) },
  });
  const { keys } = await mintOrganization();
  const options = { key: keys.viewer };
  expect(seen(await api.send("GET", "/api/v1/credentials", options))).toEqual(succeeded());
});

test("requests with a disabled key do not count against its organization", async () => {
  const { api, organizations } = openLimitedApi();
  const { keys } = await mintOrganization();
  await disable(keys.viewer);
  for (let count = 1; count <= 3; count++) {
    const answer = await api.send("GET", "/api/v1/credentials", { key: keys.viewer });
    expect(answer.status).toBe(401);
  }
  expect(organizations).toEqual([]);
});

test("the limits agree with the configured bindings", () => {
  const configured = [
    ...wrangler.matchAll(
      /^\[\[ratelimits\]\]\nname = "(\w+)"\n.*\nsimple = \{ limit = (\d+), period = (\d+) \}$/gm,
    ),
  ].map(([, binding, quota, period]) => [binding, Number(quota), Number(period)]);
  expect(configured.toSorted()).toEqual(
    Object.values(rateLimits)
      .map(({ binding, quota }) => [binding, quota, periodSeconds])
      .toSorted(),
  );
});

test("the contract contains the limits", () => {
  for (const quota of Object.values(rateLimits).map((limit) => limit.quota.toLocaleString("en"))) {
    expect(contract).toMatch(new RegExp(`^Rate limits.*\\b${quota}\\b`, "m"));
  }
});

test("the limits can be disabled in development", async () => {
  const none = fakeLimiter(0);
  const bindings = {
    KEY_RATE_LIMIT: none,
    ORGANIZATION_RATE_LIMIT: none,
    ADDRESS_RATE_LIMIT: none,
    READINESS_RATE_LIMIT: none,
    REACHABILITY_RATE_LIMIT: none,
  };
  const api = openApi({ ...bindings, RATE_LIMITS: "off" });
  const { keys } = await mintOrganization();
  const answers = [
    await api.send("GET", "/api/v1/credentials", { key: keys.viewer }),
    await api.send("GET", "/api/v1/credentials"),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 401]);
  expect(answers.flatMap(limitsOf)).toEqual([null, null, null, null]);
  expect((await api.send("GET", "/api/health/ready")).status).not.toBe(429);
  expect(none.counted).toEqual([]);
});

test("development has limits by default", async () => {
  const api = openApi({ RATE_LIMITS: undefined, ADDRESS_RATE_LIMIT: fakeLimiter(0) });
  expect(seen(await api.send("GET", "/api/v1/credentials"))).toEqual(limited);
});

// The binding counts per clock minute. If a minute ends during a test, the test is repeated.
const onceMore = { retry: 1 };

test("the configured binding allows a key 300 requests per minute", onceMore, async () => {
  const api = openApi({ RATE_LIMITS: "on" });
  const { keys } = await mintOrganization();
  // The list fails early, since it is not under test.
  const fault: Fault = { kind: "sqlstate", code: "28P01", message: "" };
  await api.disturb({ faults: Array.from({ length: 300 }, () => fault) });
  const statuses = new Set<number>();
  for (let count = 1; count <= 300; count++) {
    const { status } = await api.send("GET", "/api/v1/credentials?limit=1", { key: keys.viewer });
    statuses.add(status);
  }
  expect([...statuses]).toEqual([503]);
  const answer = await api.send("GET", "/api/v1/credentials", { key: keys.viewer });
  expect(seen(answer)).toEqual(limited);
  expect(await api.calls()).toBe(300);
});

test(
  "the configured binding allows an organization 1,200 requests per minute",
  onceMore,
  async () => {
    const api = openApi({ RATE_LIMITS: "on" });
    const { id, keys } = await mintOrganization();
    const binding = settingsOf(api.env).ORGANIZATION_RATE_LIMIT;
    const before = await Promise.all(
      Array.from({ length: 1199 }, () => binding.limit({ key: id })),
    );
    expect(before.every(({ success }) => success)).toBe(true);
    const send = () => api.send("GET", "/api/v1/credentials", { key: keys.viewer });
    expect(seen(await send())).toEqual(succeeded());
    expect(seen(await send())).toEqual(limited);
    expect(await api.calls()).toBe(1);
  },
);

test("the configured binding allows an address 40 failures per minute", onceMore, async () => {
  const api = openApi({ RATE_LIMITS: "on" });
  const headers = from(crypto.randomUUID());
  const statuses = new Set<number>();
  for (let count = 1; count <= 40; count++) {
    statuses.add((await api.send("GET", "/api/v1/credentials", { headers })).status);
  }
  expect([...statuses]).toEqual([401]);
  expect(seen(await api.send("GET", "/api/v1/credentials", { headers }))).toEqual(limited);
});

test(
  "the configured binding allows an organization 10 reachability tests per minute",
  onceMore,
  async () => {
    const api = openApi({ RATE_LIMITS: "on" });
    const { keys } = await mintOrganization();
    const statuses = [];
    for (let count = 1; count <= 11; count++) {
      const key = count % 2 ? keys.member : keys.owner;
      // Nothing is sent to the URL, since it is forbidden.
      const json = { url: "http://0.0.0.0:0" };
      statuses.push(
        (await api.send("POST", "/api/v1/daemons/test-reachability", { key, json })).status,
      );
    }
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429]);
  },
);

test("the configured binding allows 60 readiness checks per minute", onceMore, async () => {
  const api = openApi({ RATE_LIMITS: "on" });
  const headers = from(crypto.randomUUID());
  // Readiness fails early, since it is not under test.
  await api.disturb({ faults: Array.from({ length: 60 }, () => ({ kind: "refuse" })) });
  const statuses = new Set<number>();
  for (let count = 1; count <= 60; count++) {
    statuses.add((await api.send("GET", "/api/health/ready", { headers })).status);
  }
  expect([...statuses]).toEqual([503]);
  expect(seen(await api.send("GET", "/api/health/ready", { headers }))).toEqual(limited);
});
