import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { hashApiKey, mintApiKey } from "../../src/api-key.ts";
import { userApiKeySecrets } from "../../src/database/tables/index.ts";
import { type Fault, openApi } from "../helpers/api.ts";
import { recordConsole } from "../helpers/console.ts";
import { database } from "../helpers/database.ts";
import {
  mintScene,
  type Operation,
  operations,
  perform,
  type Scene,
  sentSecret,
} from "../helpers/operations.ts";
import { mintKey } from "../helpers/organization.ts";

async function idOf(key: string): Promise<string | undefined> {
  const hash = await hashApiKey(key);
  const [row] = await database
    .select()
    .from(userApiKeySecrets)
    .where(eq(userApiKeySecrets.key_hash, hash));
  return row?.api_key_id;
}

/** The one line of a request: these fields and no others. */
const line = (fields: Record<string, unknown>) => ({
  duration_ms: expect.toSatisfy((ms: unknown) => typeof ms === "number" && ms >= 0, "a duration"),
  request_id: "the-request",
  key_id: null,
  organization_id: null,
  record_id: null,
  sqlstate: null,
  reason: null,
  error: null,
  ...fields,
});

const headers = { "X-Request-Id": "the-request" };

/** The id in the path of a write; null for reads. */
const writtenId = ({ method, path }: Operation, scene: Scene) =>
  method === "GET" ? null : (/[\da-f-]{36}/.exec(path(scene))?.[0] ?? null);

describe.each(operations)("$name", (operation: Operation) => {
  const { method, route } = operation;

  test("a success leaves one line with the key and the organization", async () => {
    const scene = await mintScene();
    const key = scene.organization.keys.owner;
    const logs = recordConsole();
    await perform(openApi(), operation, scene, { key, headers });
    expect(JSON.parse(logs())).toEqual(
      line({
        method,
        route,
        status: 200,
        key_id: await idOf(key),
        organization_id: scene.organization.id,
        record_id: writtenId(operation, scene),
      }),
    );
  });

  test("a request without a key leaves one line with neither", async () => {
    const scene = await mintScene();
    const logs = recordConsole();
    await perform(openApi(), operation, scene, { headers });
    expect(JSON.parse(logs())).toEqual(
      line({ method, route, status: 401, record_id: writtenId(operation, scene) }),
    );
  });

  test("an unknown key leaves one line with neither", async () => {
    const scene = await mintScene();
    const logs = recordConsole();
    await perform(openApi(), operation, scene, { key: mintApiKey(), headers });
    expect(JSON.parse(logs())).toEqual(
      line({
        method,
        route,
        status: 401,
        record_id: writtenId(operation, scene),
        sqlstate: "INV01",
      }),
    );
  });

  test("a disabled key leaves one line with the key and the organization", async () => {
    const scene = await mintScene();
    const key = await mintKey(scene.organization.id, { role: "Owner", is_enabled: false });
    const logs = recordConsole();
    await perform(openApi(), operation, scene, { key, headers });
    expect(JSON.parse(logs())).toEqual(
      line({
        method,
        route,
        status: 401,
        key_id: await idOf(key),
        organization_id: scene.organization.id,
        record_id: writtenId(operation, scene),
        sqlstate: "INV01",
      }),
    );
  });

  test("no line holds what was sent", async () => {
    const api = openApi();
    const scene = await mintScene();
    const { owner, viewer } = scene.organization.keys;
    const logs = recordConsole();
    await perform(api, operation, scene, { key: owner });
    await perform(api, operation, scene, { key: viewer });
    await perform(api, operation, scene, { key: `${owner}x` });
    await api.send(method, `${operation.path(scene)}?secret=${sentSecret}`, {
      key: owner,
      json: operation.body && [sentSecret],
    });
    expect(logs().split("\n")).toHaveLength(4);
    for (const sent of [owner, viewer, sentSecret, "After", "secret=", "Bearer"]) {
      expect(logs()).not.toContain(sent);
    }
  });
});

test.each(operations.filter(({ leastRole }) => leastRole !== "Viewer"))(
  "a role that may not $name leaves one line with the key",
  async (operation) => {
    const scene = await mintScene();
    const key = scene.organization.keys.viewer;
    const logs = recordConsole();
    await perform(openApi(), operation, scene, { key, headers });
    expect(JSON.parse(logs())).toEqual(
      line({
        method: operation.method,
        route: operation.route,
        status: 403,
        key_id: await idOf(key),
        organization_id: scene.organization.id,
        record_id: writtenId(operation, scene),
        sqlstate: "INV01",
      }),
    );
  },
);

/** The scene with ids of nobody in place of those in paths. */
const withoutRecords = (scene: Scene): Scene => ({
  ...scene,
  organization: { ...scene.organization, id: crypto.randomUUID() },
  credential_id: crypto.randomUUID(),
  daemon_id: crypto.randomUUID(),
});

test.each(operations.filter(({ method }) => method !== "GET"))(
  "a record that is not there leaves one line with the key: $name",
  async (operation) => {
    const scene = await mintScene();
    const key = scene.organization.keys.owner;
    const logs = recordConsole();
    const nowhere = withoutRecords(scene);
    await openApi().send(operation.method, operation.path(nowhere), {
      key,
      headers,
      json: operation.body?.(scene),
    });
    expect(JSON.parse(logs())).toEqual(
      line({
        method: operation.method,
        route: operation.route,
        status: 404,
        key_id: await idOf(key),
        organization_id: scene.organization.id,
        record_id: writtenId(operation, nowhere),
        sqlstate: expect.toSatisfy((it) => it === null || it === "INV01", "null or INV01"),
      }),
    );
  },
);

test("an invalid request leaves one line with the key", async () => {
  const { organization } = await mintScene();
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

test("an unknown path leaves one line without the path", async () => {
  const logs = recordConsole();
  await openApi().send("GET", "/api/v1/nothing/here", { headers });
  expect(JSON.parse(logs())).toEqual(line({ method: "GET", route: null, status: 404 }));
});

test("a streamed list leaves one line", async () => {
  const { organization } = await mintScene();
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

test("what stands in the place of an id, and is none, is not in the line", async () => {
  const { organization } = await mintScene();
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

test("the id in the line is lower case, as the record's is", async () => {
  const { organization } = await mintScene();
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
  {
    fault: { kind: "sqlstate", code: "53300", message: "a canary" },
    reason: "sqlstate",
    sqlstate: "53300",
  },
];

test.each(faults)(
  "the line of a 503 says why: $fault.kind",
  async ({ fault, reason, sqlstate }) => {
    const { organization } = await mintScene();
    const api = openApi({ DATABASE_DEADLINE_MS: "300" });
    await api.disturb({ faults: [fault] });
    const logs = recordConsole();
    await api.send("GET", "/api/v1/daemons", { key: organization.keys.viewer, headers });
    expect(JSON.parse(logs())).toEqual(
      line({
        method: "GET",
        route: "/api/v1/daemons",
        status: 503,
        sqlstate: sqlstate ?? null,
        reason,
      }),
    );
  },
);

test("the line of a 503 says that the configuration is unusable", async () => {
  const logs = recordConsole();
  await openApi({ SEALING_KEYS: "" }).send("GET", "/api/version", { headers });
  const [, request] = logs().split("\n").sort();
  expect(JSON.parse(request ?? "")).toEqual(
    line({ method: "GET", route: "/api/version", status: 503, reason: "configuration" }),
  );
});

test("the line of a 500 says where it broke, and nothing of what was said", async () => {
  const canary = "hunter2-canary";
  const said = `${canary}\n    at ${canary} (${canary}.js:1:1)\n    at more (x.js:2:2)`;
  const api = openApi({
    RATE_LIMITS: "on",
    ADDRESS_RATE_LIMIT: { limit: () => Promise.reject(new RangeError(said, { cause: canary })) },
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

test("the line of a 500 of an SQL error has its frames, and not its message", async () => {
  const { organization } = await mintScene();
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
