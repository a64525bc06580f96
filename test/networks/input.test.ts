import { describe, expect, test } from "vitest";
import { networkInput } from "../../src/networks/input.ts";
import { issuesOf, pathsOf } from "../helpers/issues.ts";

const id = () => crypto.randomUUID();
const ids = (count: number) => Array.from({ length: count }, id);

test("omitted fields have their defaults", () => {
  expect(networkInput.parse({ name: " Home " })).toEqual({
    name: "Home",
    description: null,
    external_id: null,
    metadata: {},
    stale_after_hours: null,
    tags: [],
    credential_ids: [],
  });
});

test.each(["", "  ", null, undefined])("treats the description %j as null", (description) => {
  expect(networkInput.parse({ name: "Home", description })).toMatchObject({ description: null });
});

test("a description is trimmed and limited to 500 characters", () => {
  const description = "\u{1f600}".repeat(500);
  const sent = { name: "Home", description: ` ${description} ` };
  expect(networkInput.parse(sent)).toMatchObject({ description });
  expect(pathsOf(networkInput, { ...sent, description: `${description}x` })).toEqual([
    "description",
  ]);
});

test.each([null, 1, 8760])("accepts %j for stale_after_hours", (stale_after_hours) => {
  expect(networkInput.parse({ name: "Home", stale_after_hours })).toMatchObject({
    stale_after_hours,
  });
});

test.each([0, -1, 8761, 1.5, "24", "", true, []])(
  "rejects %j for stale_after_hours",
  (stale_after_hours) => {
    expect(pathsOf(networkInput, { name: "Home", stale_after_hours })).toEqual([
      "stale_after_hours",
    ]);
  },
);

test("ignores response-only fields with any value", () => {
  const sent = { name: "Home", created_at: 1, updated_at: {}, organization_id: "x" };
  expect(networkInput.parse(sent)).toEqual(networkInput.parse({ name: "Home" }));
});

test("rejects unknown fields by name", () => {
  expect(pathsOf(networkInput, { name: "Home", tag_ids: [], credentials: [] })).toEqual([
    "tag_ids",
    "credentials",
  ]);
});

describe.each(["tags", "credential_ids"])("%s", (field) => {
  test("accepts 1,000 members, and no more", () => {
    expect(pathsOf(networkInput, { name: "Home", [field]: ids(1000) })).toEqual([]);
    expect(issuesOf(networkInput, { name: "Home", [field]: ids(1001) })).toMatchObject([
      { path: field, message: "must have at most 1000 members" },
    ]);
  });

  test("rejects repeated members regardless of case, and invalid ids", () => {
    const one = id();
    expect(pathsOf(networkInput, { name: "Home", [field]: [one, one.toUpperCase()] })).toEqual([
      `${field}[1]`,
    ]);
    expect(pathsOf(networkInput, { name: "Home", [field]: ["x"] })).toEqual([`${field}[0]`]);
    expect(pathsOf(networkInput, { name: "Home", [field]: null })).toEqual([field]);
  });
});
