import { expect, test } from "vitest";
import { openApi } from "../helpers/api.ts";
import { inline, putCredential, updateOf } from "../helpers/credentials.ts";
import { mintCredential, mintOrganization } from "../helpers/organization.ts";
import { rowsOf } from "../helpers/rows.ts";

const someId = "3f2c8a34-5b1e-4c0d-9a77-2d1f6f0b8e11";

/** Changes to a good update, and the paths of the issues that they must cause. */
const wrong: { name: string; changes: Record<string, unknown>; paths: string[] }[] = [
  ...[
    "name",
    "organization_id",
    "tags",
    "assigned_network_ids",
    "host_assignments",
    "credential_type",
  ].flatMap((field) => [
    { name: `no ${field}`, changes: { [field]: undefined }, paths: [`body.${field}`] },
    ...[null, 7, true, "", { a: 1 }, [null]].map((value) => {
      const where =
        field === "credential_type" && typeof value === "object" && value && !Array.isArray(value)
          ? "body.credential_type.type"
          : Array.isArray(value) &&
              ["tags", "assigned_network_ids", "host_assignments"].includes(field)
            ? `body.${field}[0]`
            : `body.${field}`;
      return {
        name: `${field} ${JSON.stringify(value)}`,
        changes: { [field]: value },
        paths: [where],
      };
    }),
  ]),
  { name: "an unknown field", changes: { colour: "red" }, paths: ["body.colour"] },
  { name: "a field in another case", changes: { Name: "Test" }, paths: ["body.Name"] },
  {
    name: "several unknown fields",
    changes: { a: 1, constructor: 2 },
    paths: ["body.a", "body.constructor"],
  },
  {
    name: "a misspelt ip_address_ids",
    changes: { host_assignments: [{ host_id: someId, ip_adress_ids: [someId] }] },
    paths: ["body.host_assignments[0].ip_adress_ids"],
  },
  {
    name: "an assignment without a host",
    changes: { host_assignments: [{ ip_address_ids: [someId] }] },
    paths: ["body.host_assignments[0].host_id"],
  },
  {
    name: "an assignment that is a host's id",
    changes: { host_assignments: [someId] },
    paths: ["body.host_assignments[0]"],
  },
  {
    name: "addresses that are one id",
    changes: { host_assignments: [{ host_id: someId, ip_address_ids: someId }] },
    paths: ["body.host_assignments[0].ip_address_ids"],
  },
  {
    name: "an id of an address without its dashes",
    changes: {
      host_assignments: [{ host_id: someId, ip_address_ids: [someId.replaceAll("-", "")] }],
    },
    paths: ["body.host_assignments[0].ip_address_ids[0]"],
  },
  { name: "an id in braces", changes: { tags: [`{${someId}}`] }, paths: ["body.tags[0]"] },
  { name: "an id with a space", changes: { tags: [`${someId} `] }, paths: ["body.tags[0]"] },
  { name: "another id", changes: { id: someId }, paths: ["body.id"] },
  { name: "an id that is null", changes: { id: null }, paths: ["body.id"] },
  { name: "an id that is none", changes: { id: "x" }, paths: ["body.id"] },
  {
    name: "several things at once",
    changes: {
      name: " ",
      tags: ["x"],
      colour: "red",
      credential_type: { type: "Ssh" },
    },
    paths: ["body.name", "body.tags[0]", "body.credential_type.type", "body.colour"],
  },
];

test.each(wrong)("a credential with $name is refused", async ({ changes, paths }) => {
  const api = openApi();
  const { id: organization_id, keys } = await mintOrganization();
  const id = await mintCredential(organization_id);
  const before = await rowsOf(organization_id);
  const answer = await putCredential(api, keys.admin, id, updateOf(organization_id, changes));
  expect(answer).toMatchObject({
    status: 400,
    body: { success: false, code: "validation_failed", error: expect.any(String) },
  });
  expect(answer).toHaveProperty(
    "body.params.issues",
    paths.map((path) => ({ path, message: expect.any(String), code: expect.any(String) })),
  );
  expect(await rowsOf(organization_id)).toEqual(before);
  expect(await api.calls()).toBe(1);
});

test.each(["x", "3f2c8a34", `${someId}0`, "%00"])("the path's id %j is refused", async (path) => {
  const api = openApi();
  const { id: organization_id, keys } = await mintOrganization();
  const answer = await putCredential(api, keys.admin, path, updateOf(organization_id));
  expect(answer).toMatchObject({
    status: 400,
    body: { code: "validation_failed", params: { issues: [{ path: "path.id" }] } },
  });
});

test("what is wrong with the path and the body comes in one answer", async () => {
  const api = openApi();
  const { id: organization_id, keys } = await mintOrganization();
  const sent = updateOf(organization_id, {
    name: "",
    credential_type: { type: "SnmpV1", community: inline("") },
  });
  const answer = await putCredential(api, keys.admin, "x", sent);
  expect(answer).toMatchObject({
    status: 400,
    body: {
      code: "validation_failed",
      params: {
        issues: [
          { path: "path.id" },
          { path: "body.name", code: "too_small" },
          { path: "body.credential_type.community.value", code: "too_small" },
        ],
      },
    },
  });
});

test("response-only fields may be sent and are ignored", async () => {
  const api = openApi();
  const { id: organization_id, keys } = await mintOrganization();
  const created_at = "2026-01-02T03:04:05.678Z";
  const id = await mintCredential(organization_id, { created_at });
  for (const sent of [
    { id: id.toUpperCase(), created_at: null, updated_at: { a: ["\0"] } },
    { id, created_at: "2000-01-01T00:00:00Z", updated_at: "2000-01-01T00:00:00Z" },
    {},
  ]) {
    const answer = await putCredential(api, keys.admin, id, updateOf(organization_id, sent));
    expect(answer).toMatchObject({ status: 200, body: { data: { id, created_at } } });
    expect(answer).not.toHaveProperty("body.data.updated_at", "2000-01-01T00:00:00.000Z");
  }
});
