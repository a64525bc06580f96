import { describe, expect, test } from "vitest";
import { mintApiKey } from "../../src/api-key.ts";
import { roles } from "../../src/roles.ts";
import { failed, invalidAt, seen, unauthorized } from "../helpers/answers.ts";
import { openApi, type RequestOptions } from "../helpers/api.ts";
import { mintScene, operations, type Scene } from "../helpers/operations.ts";
import { mintKey } from "../helpers/organization.ts";
import { rowsOf } from "../helpers/rows.ts";

const json = { "Content-Type": "application/json" };

/** A request that its own form refuses, whoever sends it. */
interface BadRequest {
  what: string;
  path(scene: Scene, good: string): string;
  options: RequestOptions;
  expected: object;
}

const sameRecord: BadRequest["path"] = (_, good) => good;

const badBodies: readonly BadRequest[] = [
  {
    what: "an invalid body",
    path: sameRecord,
    options: { json: 5 },
    expected: failed("validation_failed", {
      issues: expect.any(Array),
      issue_count: expect.any(Number),
    }),
  },
  {
    what: "an invalid body and the id of nobody",
    path: ({ organization }, good) => good.replace(/[\da-f-]{36}/, organization.tags[0]),
    options: { json: 5 },
    expected: failed("validation_failed", {
      issues: expect.any(Array),
      issue_count: expect.any(Number),
    }),
  },
  {
    what: "malformed JSON",
    path: sameRecord,
    options: { headers: json, body: "{" },
    expected: failed("request_malformed_json"),
  },
  {
    what: "another media type",
    path: sameRecord,
    options: { headers: { "Content-Type": "text/plain" }, body: '"After"' },
    expected: failed("request_unsupported_media_type"),
  },
  {
    what: "a body that is too large",
    path: sameRecord,
    options: { headers: json, body: `"${"a".repeat(1_048_576)}"` },
    expected: failed("request_too_large", { max_bytes: 1_048_576 }),
  },
];

const badPath: BadRequest = {
  what: "an id that is none",
  path: (_, good) => good.replace(/[\da-f-]{36}/, "nobody"),
  options: {},
  expected: invalidAt("path.id"),
};

const badQuery: BadRequest = {
  what: "an invalid query",
  path: (_, good) => `${good}?limit=x`,
  options: {},
  expected: invalidAt("query.limit"),
};

const table = operations.map((operation) => ({
  ...operation,
  badRequests:
    operation.body !== undefined
      ? badBodies
      : operation.route.includes(":id")
        ? [badPath]
        : [badQuery],
}));

describe.each(table)("$name", ({ method, path, leastRole, badRequests }) => {
  describe.each(badRequests)("with $what", ({ path: badly, options, expected }) => {
    /** Sends the request, and sees that it changes nothing. */
    async function refused(api: ReturnType<typeof openApi>, scene: Scene, key: string) {
      const before = await rowsOf(scene.organization.id);
      const answer = await api.send(method, badly(scene, path(scene)), { ...options, key });
      expect(await rowsOf(scene.organization.id)).toEqual(before);
      return seen(answer);
    }

    test("a malformed key is what is refused", async () => {
      const api = openApi();
      const answer = await refused(api, await mintScene(), "inv_u_x");
      expect(answer).toEqual(unauthorized("auth_not_authenticated"));
      expect(await api.calls()).toBe(0);
    });

    test("an unknown key is what is refused", async () => {
      const api = openApi();
      const answer = await refused(api, await mintScene(), mintApiKey());
      expect(answer).toEqual(unauthorized("auth_not_authenticated"));
      expect(await api.calls()).toBe(1);
    });

    test("an expired key is what is refused", async () => {
      const api = openApi();
      const scene = await mintScene();
      const expired_at = "2026-01-02T03:04:05.060Z";
      const key = await mintKey(scene.organization.id, { role: "Owner", expires_at: expired_at });
      const answer = await refused(api, scene, key);
      expect(answer).toEqual(unauthorized("auth_key_expired", { expired_at }));
      expect(await api.calls()).toBe(1);
    });

    const tooLow = roles.slice(0, roles.indexOf(leastRole)).slice(-1);
    test.each(tooLow)("the role %s is what is refused", async (role) => {
      const api = openApi();
      const scene = await mintScene();
      const key = await mintKey(scene.organization.id, { role });
      const answer = await refused(api, scene, key);
      expect(answer).toEqual(failed("auth_permission_denied", { required_role: leastRole, role }));
      expect(await api.calls()).toBe(1);
    });

    test("a good key is told, with one call of the database", async () => {
      const api = openApi();
      const scene = await mintScene();
      const key = await mintKey(scene.organization.id, { role: leastRole });
      expect(await refused(api, scene, key)).toEqual(expected);
      expect(await api.calls()).toBe(1);
    });
  });
});

test("a role that is too low does not learn whether a record exists", async () => {
  const api = openApi();
  const { organization, daemon_id } = await mintScene();
  for (const id of [daemon_id, crypto.randomUUID()]) {
    const answer = await api.send("POST", `/api/v1/daemons/${id}/retry-connection`, {
      key: organization.keys.viewer,
    });
    expect(seen(answer)).toEqual(
      failed("auth_permission_denied", { required_role: "Member", role: "Viewer" }),
    );
  }
});

test.each([
  { faults: [{ kind: "refuse" }] as const, expected: 503 },
  { faults: [{ kind: "sqlstate", code: "42P01", message: "x" }] as const, expected: 500 },
])("without a verdict on the key there is none on the body: $expected", async (row) => {
  const api = openApi();
  const { organization } = await mintScene();
  await api.disturb({ faults: [...row.faults] });
  const answer = await api.send("PUT", `/api/v1/organizations/${organization.id}`, {
    key: organization.keys.owner,
    json: 5,
  });
  expect(seen(answer)).toMatchObject({ status: row.expected });
  expect(await api.calls()).toBe(1);
});
