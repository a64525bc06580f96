import { describe, expect, test } from "vitest";
import { updateOf } from "../helpers/credentials.ts";
import { issuesOf, pathsOf } from "../helpers/issues.ts";
import { routeOf } from "../helpers/routes.ts";

const { json: schema } = routeOf("PUT /api/v1/credentials/:id");
if (!schema) {
  throw new Error("The update of a credential takes a body.");
}

const someId = "3f2c8a34-5b1e-4c0d-9a77-2d1f6f0b8e11";

/** The issues of a valid update with some changes. */
const issuesWith = (changes: Record<string, unknown>) =>
  issuesOf(schema, updateOf(someId, changes));

/** Changes to a valid update, and the paths of the issues that they must cause. */
const wrong: { name: string; changes: Record<string, unknown>; paths: string[] }[] = [
  ...[
    "name",
    "organization_id",
    "tags",
    "assigned_network_ids",
    "host_assignments",
    "credential_type",
  ].flatMap((field) => [
    { name: `no ${field}`, changes: { [field]: undefined }, paths: [`${field}`] },
    ...[null, 7, true, "", { a: 1 }, [null]].map((value) => {
      const where =
        field === "credential_type" && typeof value === "object" && value && !Array.isArray(value)
          ? "credential_type.type"
          : Array.isArray(value) &&
              ["tags", "assigned_network_ids", "host_assignments"].includes(field)
            ? `${field}[0]`
            : `${field}`;
      return {
        name: `${field} ${JSON.stringify(value)}`,
        changes: { [field]: value },
        paths: [where],
      };
    }),
  ]),
  { name: "an unknown field", changes: { colour: "red" }, paths: ["colour"] },
  { name: "a field in another case", changes: { Name: "Test" }, paths: ["Name"] },
  {
    name: "several unknown fields",
    changes: { a: 1, constructor: 2 },
    paths: ["a", "constructor"],
  },
  {
    name: "a misspelt ip_address_ids",
    changes: { host_assignments: [{ host_id: someId, ip_adress_ids: [someId] }] },
    paths: ["host_assignments[0].ip_adress_ids"],
  },
  {
    name: "an assignment without a host",
    changes: { host_assignments: [{ ip_address_ids: [someId] }] },
    paths: ["host_assignments[0].host_id"],
  },
  {
    name: "an assignment that is a host's id",
    changes: { host_assignments: [someId] },
    paths: ["host_assignments[0]"],
  },
  {
    name: "addresses that are one id",
    changes: { host_assignments: [{ host_id: someId, ip_address_ids: someId }] },
    paths: ["host_assignments[0].ip_address_ids"],
  },
  {
    name: "an address id without its dashes",
    changes: {
      host_assignments: [{ host_id: someId, ip_address_ids: [someId.replaceAll("-", "")] }],
    },
    paths: ["host_assignments[0].ip_address_ids[0]"],
  },
  { name: "a description", changes: { description: "rack 4" }, paths: ["description"] },
  { name: "an id in braces", changes: { tags: [`{${someId}}`] }, paths: ["tags[0]"] },
  { name: "an id with a space", changes: { tags: [`${someId} `] }, paths: ["tags[0]"] },
  { name: "an id that is null", changes: { id: null }, paths: ["id"] },
  { name: "an id that is not a UUID", changes: { id: "x" }, paths: ["id"] },
  {
    name: "several things at once",
    changes: {
      name: " ",
      tags: ["x"],
      colour: "red",
      credential_type: { type: "Ssh" },
    },
    paths: ["name", "tags[0]", "credential_type.type", "colour"],
  },
];

test("accepts an update without assignments", () => {
  expect(issuesWith({})).toEqual([]);
});

test.each([null, "", undefined])("accepts an update with the description %j", (description) => {
  expect(issuesWith({ description })).toEqual([]);
});

test.each(wrong)("rejects an update with $name", ({ changes, paths }) => {
  expect(pathsOf(schema, updateOf(someId, changes))).toEqual(paths);
});

test.each(["null", "[]", '"Test"', "7", "true"])("rejects the body %s as a whole", (body) => {
  expect(pathsOf(schema, JSON.parse(body))).toEqual([""]);
});

test.each([
  { where: "the credential", json: (text: string) => text.replace("{", '{"__proto__":{"a":1},') },
  {
    where: "an assignment",
    json: (text: string) =>
      text.replace(
        '"host_assignments":[]',
        `"host_assignments":[{"host_id":"${someId}","__proto__":{"ip_address_ids":[]}}]`,
      ),
  },
  {
    where: "the type",
    json: (text: string) => text.replace('{"type":', '{"__proto__":{"port":1},"type":'),
  },
  {
    where: "a secret",
    json: (text: string) =>
      text.replace(
        '{"type":"DockerSocket"}',
        '{"type":"SnmpV1","community":{"mode":"Inline","value":"x","__proto__":null}}',
      ),
  },
])("rejects __proto__ in $where like any unknown field", ({ json }) => {
  expect(issuesOf(schema, JSON.parse(json(JSON.stringify(updateOf(someId)))))).toEqual([
    {
      path: expect.stringMatching(/(^|\.)__proto__$/),
      message: "is not a field of this request",
      code: "unrecognized_keys",
    },
  ]);
});

describe("a set", () => {
  const [one, two] = [
    "8e7f5f0e-8f0c-4b3e-9c57-0a1d6f4c2b11",
    "1b671a64-40d5-491e-99b0-da01ff1f3341",
  ];
  const assignment = (ip_address_ids: unknown, host_id = one) => ({ host_id, ip_address_ids });

  test("is rejected at the path of a repeated member, even if the member differs in case", () => {
    const repeated = issuesWith({
      tags: [one, two, one.toUpperCase()],
      assigned_network_ids: [one, one],
      host_assignments: [assignment([two, two]), assignment(null)],
    });
    const paths = [
      "tags[2]",
      "assigned_network_ids[1]",
      "host_assignments[0].ip_address_ids[1]",
      "host_assignments[1].host_id",
    ];
    const message = "is already in the set: send every member once";
    expect(repeated).toEqual(paths.map((path) => ({ path, message, code: "custom" })));
  });

  test("is rejected if it assigns a host twice, even with different addresses or with the id in a different case", () => {
    const host_assignments = [assignment([two]), assignment(null, one.toUpperCase())];
    expect(issuesWith({ host_assignments })).toMatchObject([
      { path: "host_assignments[1].host_id" },
    ]);
  });

  test("is rejected if it is an empty set of addresses, because it would not have a target", () => {
    expect(issuesWith({ host_assignments: [assignment([])] })).toMatchObject([
      { path: "host_assignments[0].ip_address_ids", code: "too_small" },
    ]);
  });

  const ids = Array.from({ length: 1001 }, () => crypto.randomUUID());

  test.each([
    { set: "tags", path: "tags", sent: (size: number) => ({ tags: ids.slice(0, size) }) },
    {
      set: "networks",
      path: "assigned_network_ids",
      sent: (size: number) => ({ assigned_network_ids: ids.slice(0, size) }),
    },
    {
      set: "hosts",
      path: "host_assignments",
      sent: (size: number) => ({
        host_assignments: ids.slice(0, size).map((host_id) => assignment(null, host_id)),
      }),
    },
    {
      set: "addresses on one host",
      path: "host_assignments[0].ip_address_ids",
      sent: (size: number) => ({ host_assignments: [assignment(ids.slice(0, size))] }),
    },
  ])("is accepted with 1,000 $set and rejected with 1,001", ({ path, sent }) => {
    expect(issuesWith(sent(1000))).toEqual([]);
    expect(issuesWith(sent(1001))).toContainEqual({
      path,
      message: "must have at most 1000 members",
      code: "too_big",
    });
  });

  test("is accepted if its assignments have 1,000 addresses in total, and rejected if they have 1,001", () => {
    const assignments = (last: number) => ({
      host_assignments: [assignment(ids.slice(0, 800)), assignment(ids.slice(0, last), two)],
    });
    expect(issuesWith(assignments(200))).toEqual([]);
    expect(issuesWith(assignments(201))).toEqual([
      {
        path: "host_assignments",
        message: "must have at most 1000 addresses in all: assign whole hosts, or fewer addresses",
        code: "too_big",
      },
    ]);
  });
});
