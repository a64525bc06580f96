import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { userApiKeys } from "../../src/database/schema/index.ts";
import { hashApiKey, mintApiKey } from "../../src/http/api-key.ts";
import { openApi } from "../helpers/api.ts";
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
  const [row] = await database.select().from(userApiKeys).where(eq(userApiKeys.key_hash, hash));
  return row?.id;
}

/** The one line of a request: these fields and no others. */
const line = (fields: Record<string, unknown>) => ({
  duration_ms: expect.toSatisfy((ms: unknown) => typeof ms === "number" && ms >= 0, "a duration"),
  request_id: "the-request",
  key_id: null,
  organization_id: null,
  sqlstate: null,
  ...fields,
});

const headers = { "X-Request-Id": "the-request" };

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
      }),
    );
  });

  test("a request without a key leaves one line with neither", async () => {
    const scene = await mintScene();
    const logs = recordConsole();
    await perform(openApi(), operation, scene, { headers });
    expect(JSON.parse(logs())).toEqual(line({ method, route, status: 401 }));
  });

  test("an unknown key leaves one line with neither", async () => {
    const scene = await mintScene();
    const logs = recordConsole();
    await perform(openApi(), operation, scene, { key: mintApiKey(), headers });
    expect(JSON.parse(logs())).toEqual(line({ method, route, status: 401, sqlstate: "INV01" }));
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
    await openApi().send(operation.method, operation.path(withoutRecords(scene)), {
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
