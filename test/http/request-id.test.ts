import { expect, test } from "vitest";
import { openApi, type RequestOptions } from "../helpers/api.ts";
import { mintOrganization } from "../helpers/organization.ts";

test.each([["a"], ["0"], ["-"], ["_"], ["Az09_-"], ["a".repeat(64)], [crypto.randomUUID()]])(
  "uses the caller's request id %s",
  async (id) => {
    const answer = await openApi().send("GET", "/api/version", { headers: { "X-Request-Id": id } });
    expect({ status: answer.status, id: answer.headers.get("X-Request-Id") }).toEqual({
      status: 200,
      id,
    });
  },
);

const generated = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

test.each([
  [""],
  ["a".repeat(65)],
  ["a b"],
  ["a.b"],
  ["a,b"],
  ['a"b'],
  ["{}"],
  ["<script>"],
  ["%C3%A9"],
  ["../a"],
])("replaces the caller's request id %j with a generated one", async (id) => {
  const answer = await openApi().send("GET", "/api/version", { headers: { "X-Request-Id": id } });
  expect({ status: answer.status, id: answer.headers.get("X-Request-Id") }).toEqual({
    status: 200,
    id: expect.stringMatching(generated),
  });
});

test("two requests without an id get different ids", async () => {
  const api = openApi();
  const ids = [await api.send("GET", "/api/version"), await api.send("GET", "/api/version")].map(
    ({ headers }) => headers.get("X-Request-Id"),
  );
  expect(ids).toEqual([expect.stringMatching(generated), expect.stringMatching(generated)]);
  expect(new Set(ids).size).toBe(2);
});

test("every error response contains the id in its body", async () => {
  const api = openApi();
  const { keys } = await mintOrganization();
  await api.disturb({ faults: [{ kind: "refuse" }, { kind: "refuse" }] });
  const failures: [status: number, method: string, path: string, options: RequestOptions][] = [
    [503, "GET", "/api/v1/hosts", { key: keys.viewer }],
    [400, "GET", "/api/v1/hosts?limit=x", { key: keys.viewer }],
    [401, "GET", "/api/v1/hosts", {}],
    [403, "POST", "/api/v1/tags", { key: keys.viewer, json: {} }],
    [404, "GET", "/nowhere", {}],
    [405, "PATCH", "/api/health", {}],
  ];
  for (const [status, method, path, options] of failures) {
    const headers = { "X-Request-Id": `of-${status}` };
    const answer = await api.send(method, path, { ...options, headers });
    expect(answer).toMatchObject({ status, body: { meta: { request_id: `of-${status}` } } });
  }
});
