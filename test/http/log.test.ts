import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import { hashApiKey, mintApiKey } from "../../src/api-key.ts";
import { userApiKeySecrets } from "../../src/database/tables/index.ts";
import { type Fault, openApi } from "../helpers/api.ts";
import { recordConsole } from "../helpers/console.ts";
import { sentSecret } from "../helpers/credentials.ts";
import { database } from "../helpers/database.ts";
import { fakeLimiter } from "../helpers/limiter.ts";
import {
  bodyOf,
  type Operation,
  operations,
  pathOf,
  perform,
  recordIdOf,
  sampled,
  sampledOperations,
} from "../helpers/operations.ts";
import { mintOperator } from "../helpers/operators.ts";
import { mintKey, mintOrganization } from "../helpers/organization.ts";
import {
  mintPopulatedOrganization,
  type PopulatedOrganization,
} from "../helpers/populated-organization.ts";

async function idOf(key: string): Promise<string | undefined> {
  const hash = await hashApiKey(key);
  const [row] = await database
    .select()
    .from(userApiKeySecrets)
    .where(eq(userApiKeySecrets.key_hash, hash));
  return row?.api_key_id;
}

/** The expected log line for a request, with exactly these fields. */
const line = (fields: Record<string, unknown>) => ({
  duration_ms: expect.toSatisfy((ms: unknown) => typeof ms === "number" && ms >= 0, "a duration"),
  request_id: "the-request",
  key_id: null,
  key_hint: null,
  organization_id: null,
  record_id: null,
  sqlstate: null,
  reason: null,
  error: null,
  ...fields,
});

const headers = { "X-Request-Id": "the-request" };

/** The id in a write's path, which is logged for audits; null for reads. */
const writtenId = (operation: Operation, organization: PopulatedOrganization) =>
  operation.method === "GET" ? null : recordIdOf(operation, organization);

/** The organization for all reads, which can share one because they change nothing. */
let ofReads: PopulatedOrganization;

beforeAll(async () => {
  ofReads = await mintPopulatedOrganization();
});

test.each(operations)(
  "$name logs one line with the key and the organization",
  async (operation) => {
    const { method, path, status } = operation;
    const organization = method === "GET" ? ofReads : await mintPopulatedOrganization();
    const key = organization.keys.owner;
    const logs = recordConsole();
    await perform(openApi(), operation, organization, { key, headers });
    // Testing a webhook whose secret cannot be decrypted logs an additional line for the operator.
    const lines = logs()
      .split("\n")
      .filter((one) => !one.includes('"event":"webhook_secret_unreadable"'));
    expect(JSON.parse(lines.join("\n"))).toEqual(
      line({
        method,
        route: path,
        status,
        key_id: await idOf(key),
        organization_id: organization.id,
        record_id: writtenId(operation, organization),
      }),
    );
  },
);

describe.each(sampledOperations)("$name", (operation: Operation) => {
  let organization: PopulatedOrganization;

  beforeAll(async () => {
    organization = await mintPopulatedOrganization();
  });

  /** Sends a request for the operation. Returns the actual log line and the expected one. */
  async function linesOf(key: string | undefined, fields: object) {
    const logs = recordConsole();
    const { method, path } = operation;
    await perform(openApi(), operation, organization, {
      headers,
      ...(key === undefined ? {} : { key }),
    });
    const record_id = writtenId(operation, organization);
    return {
      actual: JSON.parse(logs()),
      expected: line({ method, route: path, record_id, ...fields }),
    };
  }

  test("without a key, logs one line without a key or organization", async () => {
    const { actual, expected } = await linesOf(undefined, { status: 401 });
    expect(actual).toEqual(expected);
  });

  test("with an unknown key, logs one line without a key or organization", async () => {
    const { actual, expected } = await linesOf(mintApiKey(), { status: 401, sqlstate: "INV01" });
    expect(actual).toEqual(expected);
  });

  test("with a disabled key, logs one line with the key and the organization", async () => {
    const key = await mintKey(organization.id, { role: "Owner", is_enabled: false });
    const { actual, expected } = await linesOf(key, {
      status: 401,
      key_id: await idOf(key),
      organization_id: organization.id,
      sqlstate: "INV01",
    });
    expect(actual).toEqual(expected);
  });

  test("does not log the contents of the request", async () => {
    const api = openApi();
    const { owner, viewer } = organization.keys;
    const logs = recordConsole();
    await perform(api, operation, organization, { key: owner });
    await perform(api, operation, organization, { key: viewer });
    await perform(api, operation, organization, { key: `${owner}x` });
    await api.send(operation.method, `${pathOf(operation, organization)}?secret=${sentSecret}`, {
      key: owner,
      json: operation.json && [sentSecret],
    });
    expect(logs().split("\n")).toHaveLength(4);
    for (const sent of [owner, viewer, sentSecret, "After", "secret=", "Bearer"]) {
      expect(logs()).not.toContain(sent);
    }
  });

  test("for a missing record, logs one line with the key", async () => {
    const logs = recordConsole();
    const { method, path } = operation;
    const id = crypto.randomUUID();
    const key = organization.keys.owner;
    const json = bodyOf(operation, organization);
    await openApi().send(method, path.replace(":id", id), { key, headers, json });
    expect(JSON.parse(logs())).toEqual(
      line({
        method,
        route: path,
        status: 404,
        key_id: await idOf(key),
        organization_id: organization.id,
        record_id: method === "GET" ? null : id,
        sqlstate: expect.toSatisfy((it) => it === null || it === "INV01", "null or INV01"),
      }),
    );
  });
});

test("a request with a key whose role is too low logs one line with the key", async () => {
  const organization = await mintPopulatedOrganization();
  const key = organization.keys.viewer;
  const logs = recordConsole();
  await perform(openApi(), sampled.write, organization, { key, headers });
  expect(JSON.parse(logs())).toEqual(
    line({
      method: sampled.write.method,
      route: sampled.write.path,
      status: 403,
      key_id: await idOf(key),
      organization_id: organization.id,
      record_id: recordIdOf(sampled.write, organization),
      sqlstate: "INV01",
    }),
  );
});

test("an invalid request logs one line with the key", async () => {
  const organization = await mintOrganization();
  const key = organization.keys.viewer;
  const logs = recordConsole();
  await openApi().send("GET", "/api/v1/bindings?limit=x", { key, headers });
  expect(JSON.parse(logs())).toEqual(
    line({
      method: "GET",
      route: "/api/v1/bindings",
      status: 400,
      key_id: await idOf(key),
      organization_id: organization.id,
    }),
  );
});

test("a request for an unknown path logs one line without the path", async () => {
  const logs = recordConsole();
  await openApi().send("GET", "/api/v1/nothing/here", { headers });
  expect(JSON.parse(logs())).toEqual(line({ method: "GET", route: null, status: 404 }));
});

test("a streamed list logs one line", async () => {
  const organization = await mintOrganization();
  const key = organization.keys.viewer;
  const logs = recordConsole();
  await openApi().send("GET", "/api/v1/credentials?limit=0", { key, headers });
  expect(JSON.parse(logs())).toEqual(
    line({
      method: "GET",
      route: "/api/v1/credentials",
      status: 200,
      key_id: await idOf(key),
      organization_id: organization.id,
    }),
  );
});

test("an invalid id in the path is not logged", async () => {
  const organization = await mintOrganization();
  const logs = recordConsole();
  for (const id of [sentSecret, `${crypto.randomUUID()}${sentSecret}`, `x${crypto.randomUUID()}`]) {
    await openApi().send("PUT", `/api/v1/organizations/${id}`, {
      key: organization.keys.owner,
      json: "After",
    });
  }
  const lines = logs().split("\n");
  expect(lines.map((text) => JSON.parse(text))).toMatchObject([
    { record_id: null },
    { record_id: null },
    { record_id: null },
  ]);
  expect(logs()).not.toContain(sentSecret);
});

test("the logged id is in lower case, like the record's own id", async () => {
  const organization = await mintOrganization();
  const { id, keys } = organization;
  const logs = recordConsole();
  const path = `/api/v1/organizations/${id.toUpperCase()}`;
  await openApi().send("PUT", path, { key: keys.owner, json: "After" });
  expect(JSON.parse(logs())).toMatchObject({ status: 200, record_id: id });
});

const faults: { fault: Fault; reason: string; sqlstate?: string }[] = [
  { fault: { kind: "hang" }, reason: "deadline" },
  { fault: { kind: "refuse" }, reason: "network" },
  { fault: { kind: "truncate" }, reason: "network" },
  { fault: { kind: "not_json" }, reason: "not_json" },
  { fault: { kind: "status", status: 502, body: "a canary" }, reason: "endpoint" },
  // These failures come from Neon's endpoint itself, which rejects the login or cannot reach
  // Postgres.
  {
    fault: {
      kind: "status",
      status: 400,
      body: '{"message":"password authentication failed for user \'a canary\'","code":""}',
    },
    reason: "login",
  },
  {
    fault: { kind: "status", status: 500, body: "Couldn't connect to compute node: a canary" },
    reason: "connection",
  },
  ...(
    [
      [500, "a canary", "53300", "resources"],
      [500, "a canary", "28000", "login"],
      [400, "a canary", "3D000", "login"],
      [500, "a canary", "57P03", "connection"],
      [500, "a canary", "", "endpoint"],
      [413, "request is too large (max is a canary)", "", "too_large"],
      [507, "response is too large (max is a canary)", "", "too_large"],
      [500, "Too many connections to this endpoint. a canary", "", "resources"],
      [500, "Failed to acquire permit to connect to the database. a canary", "", "resources"],
      [500, "Control plane request failed: a canary", "", "connection"],
      [500, "Your project has exceeded the compute time quota. a canary", "", "resources"],
      [400, "This IP address 192.0.2.1 is not allowed to connect. a canary", "", "login"],
      [400, "connection closed", "", "connection"],
    ] as const
  ).map(([status, message, code, reason]) => ({
    fault: { kind: "status", status, body: JSON.stringify({ message, code }) } as const,
    reason,
    ...(code !== "" && { sqlstate: code }),
  })),
  ...(
    [
      ["55P03", "lock"],
      ["57014", "deadline"],
      ["28P01", "login"],
      ["28000", "login"],
      ["3D000", "login"],
      ["08006", "connection"],
      ["57P01", "connection"],
      ["57P03", "connection"],
      ["53300", "resources"],
      ["53100", "resources"],
      ["57P04", "sqlstate"],
      ["58030", "sqlstate"],
      ["XX000", "sqlstate"],
    ] as const
  ).map(([code, reason]) => ({
    fault: { kind: "sqlstate", code, message: "a canary" } as const,
    reason,
    sqlstate: code,
  })),
];

test.each(faults)(
  "the log line for a 503 contains the reason and the key hint: $fault.kind, $reason, $sqlstate",
  async ({ fault, reason, sqlstate }) => {
    const organization = await mintOrganization();
    const api = openApi({ DATABASE_DEADLINE_MS: "600" });
    await api.disturb({ faults: [fault, fault] });
    const logs = recordConsole();
    const key = organization.keys.viewer;
    await api.send("GET", "/api/v1/daemons", { key, headers });
    expect(JSON.parse(logs())).toEqual(
      line({
        method: "GET",
        route: "/api/v1/daemons",
        status: 503,
        key_hint: key.slice(-4),
        sqlstate: sqlstate ?? null,
        reason,
      }),
    );
    expect(logs()).not.toContain("canary");
  },
);

test("the log line for a 503 to an operator contains the key hint", async () => {
  const { key } = await mintOperator();
  const api = openApi({ DATABASE_DEADLINE_MS: "600" });
  await api.disturb({ faults: [{ kind: "hang" }] });
  const logs = recordConsole();
  await api.send("GET", "/api/v1/organizations?all=true", { key, headers });
  expect(JSON.parse(logs())).toMatchObject({ status: 503, key_hint: key.slice(-4) });
});

test("the log line for a 503 contains the key and the organization if the isolate has cached them", async () => {
  const organization = await mintOrganization();
  const key = organization.keys.viewer;
  const api = openApi({ DATABASE_DEADLINE_MS: "300" });
  await api.send("GET", "/api/v1/daemons", { key });
  await api.disturb({ faults: [{ kind: "hang" }] });
  const logs = recordConsole();
  await api.send("GET", "/api/v1/daemons", { key, headers });
  expect(JSON.parse(logs())).toEqual(
    line({
      method: "GET",
      route: "/api/v1/daemons",
      status: 503,
      key_id: await idOf(key),
      key_hint: key.slice(-4),
      organization_id: organization.id,
      reason: "deadline",
    }),
  );
});

test("the log line for a 429 contains the organization if the isolate has accepted the key recently", async () => {
  const organization = await mintOrganization();
  const key = organization.keys.viewer;
  const unknown = mintApiKey();
  const api = openApi({
    RATE_LIMITS: "on",
    KEY_RATE_LIMIT: fakeLimiter(1),
    ORGANIZATION_RATE_LIMIT: fakeLimiter(1000),
    ADDRESS_RATE_LIMIT: fakeLimiter(1000),
  });
  await api.send("GET", "/api/v1/daemons", { key });
  await api.send("GET", "/api/v1/daemons", { key: unknown });
  const logs = recordConsole();
  await api.send("GET", "/api/v1/daemons", { key, headers });
  await api.send("GET", "/api/v1/daemons", { key: unknown, headers });
  const refused = { method: "GET", route: "/api/v1/daemons", status: 429 };
  expect(
    logs()
      .split("\n")
      .map((text) => JSON.parse(text)),
  ).toEqual([line({ ...refused, organization_id: organization.id }), line(refused)]);
});

test("the log line for a 503 reports an invalid configuration", async () => {
  const logs = recordConsole();
  await openApi({ SEALING_KEYS: "" }).send("GET", "/api/version", { headers });
  const [, request] = logs().split("\n").sort();
  expect(JSON.parse(request ?? "")).toEqual(
    line({ method: "GET", route: "/api/version", status: 503, reason: "configuration" }),
  );
});

test("the log line for a 500 contains the stack frames, but not the message", async () => {
  const canary = "hunter2-canary";
  const text = `${canary}\n    at ${canary} (${canary}.js:1:1)\n    at more (x.js:2:2)`;
  const api = openApi({
    RATE_LIMITS: "on",
    ADDRESS_RATE_LIMIT: { limit: () => Promise.reject(new RangeError(text, { cause: canary })) },
  });
  const logs = recordConsole();
  await api.send("GET", `/api/v1/credentials?secret=${canary}`, { headers });
  expect(JSON.parse(logs())).toEqual(
    line({
      method: "GET",
      route: "/api/v1/credentials",
      status: 500,
      error: { name: "RangeError", frames: expect.any(Array) },
    }),
  );
  expect(logs()).toContain("limit");
  expect(logs()).not.toMatch(/canary|hunter2|more \(x/);
});

test("the log line for a 500 caused by an SQL error contains its stack frames, but not its message", async () => {
  const organization = await mintOrganization();
  const api = openApi();
  await api.disturb({ faults: [{ kind: "sqlstate", code: "42P01", message: "a canary" }] });
  const logs = recordConsole();
  await api.send("GET", "/api/v1/daemons", { key: organization.keys.viewer, headers });
  expect(JSON.parse(logs())).toMatchObject({
    status: 500,
    sqlstate: "42P01",
    error: { name: "DatabaseFailure", frames: expect.arrayContaining([expect.any(String)]) },
  });
  expect(logs()).not.toContain("canary");
});
