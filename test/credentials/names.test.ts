import { expect, test } from "vitest";
import { openApi } from "../helpers/api.ts";
import { putCredential, updateOf } from "../helpers/credentials.ts";
import { mintCredential, mintOrganization } from "../helpers/organization.ts";
import { rowsOf } from "../helpers/rows.ts";

test.each([
  { what: "one character", name: "x", stored: "x" },
  { what: "100 characters", name: "x".repeat(100), stored: "x".repeat(100) },
  { what: "100 emoji", name: "🔑".repeat(100), stored: "🔑".repeat(100) },
  { what: "100 characters after trimming", name: ` ${"é".repeat(100)}\n`, stored: "é".repeat(100) },
  { what: "text that means something to SQL", name: "'; drop--", stored: "'; drop--" },
  { what: "text of a placeholder", name: "$1 {} null", stored: "$1 {} null" },
])("a name of $what is taken", async ({ name, stored }) => {
  const api = openApi();
  const { id: organization_id, keys } = await mintOrganization();
  const id = await mintCredential(organization_id);
  const answer = await putCredential(api, keys.admin, id, updateOf(organization_id, { name }));
  expect(answer).toMatchObject({ status: 200, body: { data: { id, name: stored } } });
});

test.each([
  { what: "nothing", name: "", code: "too_small" },
  { what: "blanks", name: " \t\n\u00a0\u3000", code: "too_small" },
  { what: "101 characters", name: "x".repeat(101), code: "too_big" },
  { what: "101 emoji", name: "🔑".repeat(101), code: "too_big" },
  { what: "a NUL", name: "a\0b", code: "custom" },
  { what: "the first half of a surrogate pair", name: "a\ud83d", code: "custom" },
  { what: "the second half of a surrogate pair", name: "\udd11b", code: "custom" },
])("a name of $what is refused", async ({ name, code }) => {
  const api = openApi();
  const { id: organization_id, keys } = await mintOrganization();
  const id = await mintCredential(organization_id);
  const before = await rowsOf(organization_id);
  const answer = await putCredential(api, keys.admin, id, updateOf(organization_id, { name }));
  expect(answer).toMatchObject({
    status: 400,
    body: { code: "validation_failed", params: { issues: [{ path: "body.name", code }] } },
  });
  expect(await rowsOf(organization_id)).toEqual(before);
  expect(await api.calls()).toBe(1);
});
