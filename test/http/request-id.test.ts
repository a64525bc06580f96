import { expect, test } from "vitest";
import { openApi } from "../helpers/api.ts";

test.each([["a"], ["0"], ["-"], ["_"], ["Az09_-"], ["a".repeat(64)], [crypto.randomUUID()]])(
  "the caller's request id %s is taken over",
  async (id) => {
    const answer = await openApi().send("GET", "/api/version", { headers: { "X-Request-Id": id } });
    expect({ status: answer.status, id: answer.headers.get("X-Request-Id") }).toEqual({
      status: 200,
      id,
    });
  },
);

const ours = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

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
])("the caller's request id %j is replaced by one of ours", async (id) => {
  const answer = await openApi().send("GET", "/api/version", { headers: { "X-Request-Id": id } });
  expect({ status: answer.status, id: answer.headers.get("X-Request-Id") }).toEqual({
    status: 200,
    id: expect.stringMatching(ours),
  });
});

test("two requests without an id get two", async () => {
  const api = openApi();
  const ids = [await api.send("GET", "/api/version"), await api.send("GET", "/api/version")].map(
    ({ headers }) => headers.get("X-Request-Id"),
  );
  expect(ids).toEqual([expect.stringMatching(ours), expect.stringMatching(ours)]);
  expect(new Set(ids).size).toBe(2);
});
