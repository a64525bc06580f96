import { expect, test } from "vitest";
import { openApi } from "../helpers/api.ts";
import { mintOrganization } from "../helpers/organization.ts";
import { everythingOf } from "../helpers/tenant-tables.ts";

/** Sends a body that must be refused, and sees that nothing has changed. */
async function refused(body: string) {
  const api = openApi();
  const { id, keys } = await mintOrganization({ name: "Before" });
  const before = await everythingOf(id, ["last_used_at"]);
  const answer = await api.send("PUT", `/api/v1/organizations/${id}`, {
    key: keys.owner,
    headers: { "Content-Type": "application/json" },
    body,
  });
  expect(await everythingOf(id, ["last_used_at"])).toEqual(before);
  expect(await api.calls()).toBe(1);
  return answer;
}

/** The form that every refusal has to show, as it stands in the JSON of an answer. */
const rightForm = String.raw`\"Acme\"`;

test.each([
  ["an object", "{}", "invalid_type"],
  ["an object with a name", '{"name":"Acme"}', "invalid_type"],
  ["a number", "1", "invalid_type"],
  ["a boolean", "true", "invalid_type"],
  ["null", "null", "invalid_type"],
  ["an array", "[]", "invalid_type"],
  ["an array of a name", '["Acme"]', "invalid_type"],
  ["an empty string", '""', "too_small"],
  ["blanks", '" \\t\\n\\u00a0 "', "too_small"],
  ["101 characters", JSON.stringify("x".repeat(101)), "too_big"],
  ["101 characters outside the basic plane", JSON.stringify("😀".repeat(101)), "too_big"],
  ["NUL", '"a\\u0000b"', "custom"],
  ["the first half of a surrogate pair", '"a\\ud83d"', "custom"],
  ["the second half of a surrogate pair", '"\\ude00b"', "custom"],
  ["a surrogate pair the wrong way round", '"\\ude00\\ud83d"', "custom"],
])("%s is not a name, and the answer shows the right form", async (_, body, code) => {
  const answer = await refused(body);
  expect(answer).toMatchObject({
    status: 400,
    text: expect.stringContaining(rightForm),
    body: {
      success: false,
      code: "validation_failed",
      error: expect.stringMatching(/^body .*\.$/),
    },
  });
  expect(answer.body).toHaveProperty("params.issues", [
    { path: "body", message: expect.any(String), code },
  ]);
});

test.each([
  ["no body", ""],
  ["blanks only", "  "],
  ["unquoted text", "Acme"],
  ["text in single quotes", "'Acme'"],
  ["a string that does not end", '"Acme'],
  ["two strings", '"Acme" "Acme"'],
  ["a raw line break within the string", '"Ac\nme"'],
])("%s is not JSON, and the answer shows the right form", async (_, body) => {
  expect(await refused(body)).toMatchObject({
    status: 400,
    text: expect.stringContaining(rightForm),
    body: {
      success: false,
      code: "request_malformed_json",
      error: expect.stringContaining('"Acme"'),
      params: {},
    },
  });
});

test("a bad id and a bad name are told at once", async () => {
  const api = openApi();
  const { keys } = await mintOrganization();
  const answer = await api.send("PUT", "/api/v1/organizations/acme", { key: keys.owner, json: 1 });
  expect(answer).toMatchObject({
    status: 400,
    body: {
      code: "validation_failed",
      params: { issues: [{ path: "path.id" }, { path: "body" }] },
    },
  });
  expect(await api.calls()).toBe(1);
});
