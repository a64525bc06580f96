import { describe, expect, test } from "vitest";
import { demoSealingKeys } from "../drizzle/demo/sealing-keys.ts";
import { demoSigningKeys } from "../drizzle/demo/signing-keys.ts";
import wranglerConfig from "../wrangler.toml?raw";
import { failed, seen, succeeded } from "./helpers/answers.ts";
import { openApi } from "./helpers/api.ts";
import { recordConsole } from "./helpers/console.ts";
import { fakeLimiter } from "./helpers/limiter.ts";
import { mintOrganization } from "./helpers/organization.ts";

const keyOf = (bytes: number) => (byte: number) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes).fill(byte)));
const key = keyOf(32);
const signingKey = keyOf(64);

/** A valid production configuration. */
const production = {
  ENVIRONMENT: "production",
  DATABASE_URL:
    "postgresql://inventory:hunter2@ep-cool-1.eu.aws.neon.tech/inventory?sslmode=require",
  POLLER_DATABASE_URL:
    "postgresql://poller:hunter2@ep-cool-1.eu.aws.neon.tech/inventory?sslmode=require",
  LOCAL_DATABASE_ENDPOINT: undefined,
  RATE_LIMITS: undefined,
  PRIVATE_DAEMON_ADDRESSES: undefined,
  PRIVATE_WEBHOOK_ADDRESSES: undefined,
  SEALING_KEYS: `2026-02:${key(2)}, 2026-01:${key(1)}`,
  SIGNING_KEYS: `2026-02:${signingKey(4)}, 2026-01:${signingKey(3)}`,
  CORS_ORIGINS: "https://app.example.com",
  KEY_RATE_LIMIT: fakeLimiter(1000),
  ORGANIZATION_RATE_LIMIT: fakeLimiter(1000),
  ADDRESS_RATE_LIMIT: fakeLimiter(1000),
  READINESS_RATE_LIMIT: fakeLimiter(1000),
  REACHABILITY_RATE_LIMIT: fakeLimiter(1000),
};

const refusal = failed(
  "service_unavailable",
  { retry_after_seconds: 60, outcome: "unchanged", advice: "repeat" },
  { "retry-after": "60" },
);

/** A substring of every malformed value below. It must not occur in logs or responses. */
const marker = "hunter2";

/** Values that every environment rejects. */
const wrong: [variable: string, value: unknown][] = [
  ["ENVIRONMENT", undefined],
  ["ENVIRONMENT", ""],
  ["ENVIRONMENT", "Production"],
  ["ENVIRONMENT", `staging-${marker}`],
  ["DATABASE_URL", undefined],
  ["DATABASE_URL", ""],
  ["DATABASE_URL", marker],
  ["DATABASE_URL", `mysql://user:${marker}@db.example.com/inventory`],
  ["DATABASE_URL", `postgresql://db.example.com/${marker}`],
  ["DATABASE_URL", `postgresql://user:${marker}@db.example.com`],
  ["DATABASE_URL", `postgresql://user:${marker}@db.example.com/`],
  ["DATABASE_DEADLINE_MS", ""],
  ["DATABASE_DEADLINE_MS", "0"],
  ["DATABASE_DEADLINE_MS", "99"],
  ["DATABASE_DEADLINE_MS", "100000"],
  ["DATABASE_DEADLINE_MS", "-500"],
  ["DATABASE_DEADLINE_MS", "1e3"],
  ["DATABASE_DEADLINE_MS", "500.5"],
  ["DATABASE_DEADLINE_MS", marker],
  ["SEALING_KEYS", undefined],
  ["SEALING_KEYS", ""],
  ["SEALING_KEYS", marker],
  ["SEALING_KEYS", key(1)],
  ["SEALING_KEYS", `new:${marker}`],
  ["SEALING_KEYS", `new:${btoa(`${marker}-16-bytes`)}`],
  ["SEALING_KEYS", `:${key(1)}`],
  ["SEALING_KEYS", `a.b:${key(1)}`],
  ["SEALING_KEYS", `new:${key(1)},`],
  ["SEALING_KEYS", `new:${key(1)},new:${key(2)}`],
  ["SIGNING_KEYS", undefined],
  ["SIGNING_KEYS", ""],
  ["SIGNING_KEYS", marker],
  ["SIGNING_KEYS", signingKey(3)],
  ["SIGNING_KEYS", `new:${key(1)}`],
  ["SIGNING_KEYS", `new:${signingKey(3)},new:${signingKey(4)}`],
  ["CORS_ORIGINS", "*"],
  ["CORS_ORIGINS", `${marker}.example.com`],
  ["CORS_ORIGINS", `https://${marker}.example.com/`],
  ["CORS_ORIGINS", `https://${marker}.example.com/path`],
  ["CORS_ORIGINS", `https://app.example.com https://${marker}.example.com`],
  ["KEY_RATE_LIMIT", undefined],
  ["KEY_RATE_LIMIT", marker],
  ["KEY_RATE_LIMIT", null],
  ["KEY_RATE_LIMIT", {}],
  ["ORGANIZATION_RATE_LIMIT", undefined],
  ["ORGANIZATION_RATE_LIMIT", {}],
  ["ADDRESS_RATE_LIMIT", undefined],
  ["ADDRESS_RATE_LIMIT", {}],
  ["READINESS_RATE_LIMIT", undefined],
  ["READINESS_RATE_LIMIT", {}],
  ["SERVER_VERSION", ""],
  ["SERVER_VERSION", `0.17 ${marker}`],
  ["SERVER_VERSION", `0.17\n${marker}`],
  ["SERVER_VERSION", `0.17-ü-${marker}`],
  ["SERVER_VERSION", "x".repeat(65)],
  ["POLL_QUEUE", undefined],
  ["POLL_QUEUE", {}],
  ["SLOW_POLL_QUEUE", undefined],
  ["SLOW_POLL_QUEUE", {}],
  ["WEBHOOK_QUEUE", undefined],
  ["WEBHOOK_QUEUE", {}],
  ["SLOW_WEBHOOK_QUEUE", undefined],
  ["SLOW_WEBHOOK_QUEUE", {}],
  ["POLLER_DATABASE_URL", ""],
  ["POLLER_DATABASE_URL", marker],
  ["MAX_DAEMONS_PER_ORGANIZATION", "0"],
  ["MAX_DAEMONS_PER_ORGANIZATION", "100000"],
  ["MAX_DAEMONS_PER_ORGANIZATION", marker],
  ["LOG_POLLS", ""],
  ["LOG_POLLS", marker],
  ["ASSETS", undefined],
  ["ASSETS", {}],
];

/** Values that are allowed in development but rejected in production. */
const localOnly: [variable: string, value: unknown][] = [
  ["LOCAL_DATABASE_ENDPOINT", `http://127.0.0.1:4444/${marker}`],
  ["RATE_LIMITS", "off"],
  ["RATE_LIMITS", "on"],
  ["PRIVATE_DAEMON_ADDRESSES", "allowed"],
  ["PRIVATE_DAEMON_ADDRESSES", "forbidden"],
  ["PRIVATE_WEBHOOK_ADDRESSES", "allowed"],
  ["PRIVATE_WEBHOOK_ADDRESSES", "forbidden"],
  ["DEMO_API_KEY", marker],
  ["SEALING_KEYS", demoSealingKeys],
  ["SEALING_KEYS", `2026-01:${key(1)},${demoSealingKeys}`],
  ["SIGNING_KEYS", demoSigningKeys],
  ["SIGNING_KEYS", `2026-01:${signingKey(3)},${demoSigningKeys}`],
  ["DATABASE_URL", `postgresql://user:${marker}@localhost/inventory`],
  ["DATABASE_URL", `postgresql://user:${marker}@LOCALHOST:5432/inventory`],
  ["DATABASE_URL", `postgresql://user:${marker}@127.0.0.1:5432/inventory`],
  ["DATABASE_URL", `postgresql://user:${marker}@[::1]/inventory`],
  ["POLLER_DATABASE_URL", undefined],
  ["POLLER_DATABASE_URL", `postgresql://user:${marker}@localhost/inventory`],
];

async function expectRefusal(variables: Record<string, unknown>, variable: string, value: unknown) {
  const api = openApi(variables);
  const logs = recordConsole();
  for (const [method, path] of [
    ["GET", "/api/health"],
    ["GET", "/api/v1/credentials"],
    ["OPTIONS", "/api/v1/credentials"],
    ["GET", "/nowhere"],
  ] as const) {
    const answer = await api.send(method, path);
    expect(seen(answer)).toEqual(refusal);
    expect(answer.text).not.toContain(variable);
  }
  expect(logs()).toContain(`"event":"misconfigured","problem":"${variable}`);
  for (const secret of [
    marker,
    key(1),
    key(2),
    signingKey(3),
    signingKey(4),
    demoSealingKeys,
    demoSigningKeys,
  ]) {
    expect(logs()).not.toContain(secret);
  }
  if (typeof value === "string" && value.length > 3) {
    expect(logs()).not.toContain(value);
  }
  expect(await api.calls()).toBe(0);
}

describe("in production", () => {
  test("serves requests with a valid configuration", async () => {
    const logs = recordConsole();
    const answer = await openApi(production).send("GET", "/api/health");
    expect(seen(answer)).toEqual(succeeded(expect.any(String)));
    expect(logs()).not.toContain("misconfigured");
  });

  test.each([
    ["CORS_ORIGINS", undefined],
    ["CORS_ORIGINS", ""],
    ["CORS_ORIGINS", "http://localhost:5173,https://app.example.com"],
    ["DATABASE_DEADLINE_MS", undefined],
    ["DATABASE_DEADLINE_MS", "100"],
    ["DATABASE_DEADLINE_MS", "99999"],
    ["DATABASE_URL", "postgres://user:password@localhost.example.com:5432/inventory"],
    ["SEALING_KEYS", `only:${key(1)}`],
    ["MAX_DAEMONS_PER_ORGANIZATION", undefined],
    ["MAX_DAEMONS_PER_ORGANIZATION", "1"],
    ["MAX_DAEMONS_PER_ORGANIZATION", "99999"],
    ["LOG_POLLS", undefined],
    ["LOG_POLLS", "all"],
  ])("%s may be %s", async (variable, value) => {
    const answer = await openApi({ ...production, [variable]: value }).send("GET", "/api/health");
    expect(seen(answer)).toEqual(succeeded(expect.any(String)));
  });

  test.each([...wrong, ...localOnly])("%s must not be %j", async (variable, value) => {
    await expectRefusal({ ...production, [variable]: value }, variable, value);
  });

  test("the log names every invalid variable", async () => {
    const logs = recordConsole();
    const api = openApi({ ...production, DATABASE_URL: undefined, CORS_ORIGINS: "*" });
    expect(seen(await api.send("GET", "/api/health"))).toEqual(refusal);
    expect(logs()).toMatch(/DATABASE_URL .*CORS_ORIGINS/);
  });
});

describe("in development", () => {
  test("serves requests with a local database, the demo key and no limits", async () => {
    const api = openApi({ SEALING_KEYS: demoSealingKeys, RATE_LIMITS: "off" });
    const { keys } = await mintOrganization();
    const answer = await api.send("GET", "/api/v1/credentials", { key: keys.viewer });
    expect(answer).toMatchObject({ status: 200 });
    expect(await api.calls()).toBe(1);
  });

  test.each([
    ...wrong,
    ["RATE_LIMITS", "false"],
    ["RATE_LIMITS", ""],
    ["PRIVATE_DAEMON_ADDRESSES", "yes"],
    ["PRIVATE_WEBHOOK_ADDRESSES", "yes"],
    ["LOCAL_DATABASE_ENDPOINT", marker],
    ["LOCAL_DATABASE_ENDPOINT", `https://${marker}.example.com/sql`],
    ["LOCAL_DATABASE_ENDPOINT", `http://127.0.0.1.${marker}.com/sql`],
  ])("%s must not be %j", async (variable, value) => {
    await expectRefusal({ [variable]: value }, variable, value);
  });
});

describe("the server version", () => {
  test.each(["0", "0.17.0", "!".repeat(64), "~"])("can be set to %s", async (version) => {
    const api = openApi({ SERVER_VERSION: version });
    const { keys } = await mintOrganization();
    const meta = { api_version: 1, server_version: version };
    for (const path of [
      "/api/health",
      "/nowhere",
      "/api/v1/credentials",
      "/api/v1/bindings?limit=0",
    ]) {
      const answer = await api.send("GET", path, { key: keys.viewer });
      expect(answer.body).toMatchObject({ meta });
    }
    expect((await api.send("GET", "/api/version")).body).toMatchObject({ data: meta, meta });
    expect((await api.send("GET", "/api/health")).body).toMatchObject({
      data: `Network Inventory API ${version}`,
    });
  });
});

test("the platform does not log URLs or headers", () => {
  expect(wranglerConfig).toMatch(
    /^\[observability\.logs\]\nenabled = true\ninvocation_logs = false$/m,
  );
});
