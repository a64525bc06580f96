import { expect, test } from "vitest";
import { openApi } from "../helpers/api.ts";
import { mintOrganization } from "../helpers/organization.ts";
import { rowsOf } from "../helpers/rows.ts";

/** Sends a body that must be refused, and sees that nothing has changed. */
async function refused(body: string) {
  const api = openApi();
  const { id, keys } = await mintOrganization({ name: "Before" });
  const before = await rowsOf(id);
  const answer = await api.send("PUT", `/api/v1/organizations/${id}`, {
    key: keys.owner,
    headers: { "Content-Type": "application/json" },
    body,
  });
  expect(await rowsOf(id)).toEqual(before);
  expect(await api.calls()).toBe(1);
  return answer;
}

/** Both forms, as they stand in the JSON of a response. A refusal has to show them. */
const rightForm = String.raw`\"Acme\", or as {\"name\": \"Acme\"}`;

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
  ["an array of a name", '["Acme"]', "invalid_union"],
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
  ["an empty name", '{"name":""}', "too_small"],
  ["a blank name", '{"name":" \\t "}', "too_small"],
  ["a name of 101 characters", JSON.stringify({ name: "x".repeat(101) }), "too_big"],
  ["a name with NUL", '{"name":"a\\u0000b"}', "custom"],
])(
  "an object with %s is refused at body.name, and the response shows both forms",
  async (_, body, code) => {
    const answer = await refused(body);
    expect(answer).toMatchObject({ status: 400, text: expect.stringContaining(rightForm) });
    expect(answer.body).toHaveProperty("params.issues", [
      { path: "body.name", message: expect.any(String), code },
    ]);
  },
);

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
    text: expect.stringContaining(String.raw`\"Acme\"`),
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
