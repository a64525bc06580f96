import { expect, test } from "vitest";
import { failed, invalidAt, seen } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { issuesOf } from "../helpers/issues.ts";
import { mintOrganization } from "../helpers/organization.ts";
import { routeOf } from "../helpers/routes.ts";
import { changingNothing } from "../helpers/rows.ts";

const { json: schema } = routeOf("PUT /api/v1/organizations/:id");

const issuesOfBody = (json: string) => schema && issuesOf(schema, JSON.parse(json));

/** Both valid forms of the body, which every error must contain. */
const validForms = expect.stringContaining('"Acme", or as {"name": "Acme"}');

test.each([
  ["an object", "{}", "invalid_union"],
  ["an object with another field", '{"title":"Acme"}', "invalid_union"],
  ["an object with a field beside the name", '{"name":"Acme","plan":null}', "invalid_union"],
  ["an object whose name is null", '{"name":null}', "invalid_union"],
  ["an object whose name is an object", '{"name":{"name":"Acme"}}', "invalid_union"],
  ["a number", "1", "invalid_union"],
  ["a boolean", "true", "invalid_union"],
  ["null", "null", "invalid_union"],
  ["an array", "[]", "invalid_union"],
  ["an array with a name", '["Acme"]', "invalid_union"],
  ["an empty string", '""', "too_small"],
  ["blanks", '" \\t\\n\\u00a0 "', "too_small"],
  ["101 characters", JSON.stringify("x".repeat(101)), "too_big"],
  ["101 characters outside the basic plane", JSON.stringify("😀".repeat(101)), "too_big"],
  ["NUL", '"a\\u0000b"', "custom"],
  ["the first half of a surrogate pair", '"a\\ud83d"', "custom"],
  ["the second half of a surrogate pair", '"\\ude00b"', "custom"],
  ["a surrogate pair the wrong way round", '"\\ude00\\ud83d"', "custom"],
])("rejects %s and lists the valid forms", (_, body, code) => {
  expect(issuesOfBody(body)).toEqual([{ path: "", message: validForms, code }]);
});

test.each([
  ["an empty name", '{"name":""}', "too_small"],
  ["a blank name", '{"name":" \\t "}', "too_small"],
  ["a name of 101 characters", JSON.stringify({ name: "x".repeat(101) }), "too_big"],
  ["a name with NUL", '{"name":"a\\u0000b"}', "custom"],
])("rejects an object with %s, and lists the valid forms", (_, body, code) => {
  expect(issuesOfBody(body)).toEqual([{ path: "name", message: validForms, code }]);
});

/** Sends an invalid body, and expects it to take one call and change nothing. */
async function refused(body: string, path = "") {
  const api = openApi();
  const { id, keys } = await mintOrganization({ name: "Before" });
  const answer = await changingNothing(id, () =>
    api.send("PUT", `/api/v1/organizations/${path || id}`, {
      key: keys.owner,
      headers: { "Content-Type": "application/json" },
      body,
    }),
  );
  expect(await api.calls()).toBe(1);
  return answer;
}

test("rejects unquoted text as malformed JSON, with a valid form", async () => {
  const answer = await refused("Acme");
  expect(seen(answer)).toEqual(failed("request_malformed_json", { line: 1, column: 1 }));
  expect(answer.text).toContain(String.raw`\"Acme\"`);
});

test("the error for an invalid name contains a valid form", async () => {
  const answer = await refused('{"name":""}');
  expect(seen(answer)).toEqual(invalidAt("body.name"));
  expect(answer.body).toMatchObject({ error: expect.stringMatching(/^body\.name .*"Acme".*\.$/) });
});

test("reports an invalid id and an invalid name in one response", async () => {
  expect(seen(await refused("1", "acme"))).toEqual(invalidAt("path.id", "body"));
});
