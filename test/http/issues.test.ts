import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type * as z from "zod";
import { issueMessage } from "../../src/http/validation/issue-message.ts";
import { IssueList, validationFailed } from "../../src/http/validation/issues.ts";
import { openApi } from "../helpers/api.ts";
import { bodyOf } from "../helpers/operations.ts";
import { mintOrganization } from "../helpers/organization.ts";
import { mintPopulatedOrganization } from "../helpers/populated-organization.ts";
import { routes } from "../helpers/routes.ts";

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length;

test.each(["\u0001", "\u0085", "\ud800", '"', "\\", "é", "語", "🦆"])(
  "100 issues of maximum length that consist of %j are smaller than 64 KiB",
  (character) => {
    const list = new IssueList();
    for (let count = 0; count < 1000; count++) {
      const text = character.repeat(1000);
      list.add({ path: `body.${text}`, message: "m".repeat(1000), code: "unrecognized_keys" });
    }
    const { params } = validationFailed(list);
    expect(params).toMatchObject({ issue_count: 1000 });
    expect(params.issues).toHaveLength(100);
    expect(bytes(params)).toBeLessThan(64_000);
    expect(params.issues[0]?.path).toMatch(/^body\..*…$/u);
    expect(params.issues[0]?.path.isWellFormed()).toBe(true);
  },
);

const organization = await mintPopulatedOrganization();

/** The schemas for every part of every request, each with a valid value. */
const schemas = routes.flatMap((route) =>
  Object.entries({ param: route.param, query: route.query, json: route.json }).flatMap(
    ([part, schema]) =>
      schema
        ? [
            {
              name: `${part} of ${route.name}`,
              schema,
              example: part === "json" ? bodyOf(route, organization) : {},
            },
          ]
        : [],
  ),
);

/** Yields the path of a value and of every value inside it. */
function* pathsIn(value: unknown, path: string[] = []): Generator<string[]> {
  yield path;
  if (typeof value === "object" && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      yield* pathsIn(inner, [...path, key]);
    }
  }
}

/**
 * Returns a copy in which the value at a path is replaced. If the new value is undefined, the field
 * is removed.
 */
function replaced(value: unknown, [step, ...rest]: readonly string[], other: unknown): unknown {
  if (step === undefined) {
    return other;
  }
  const copy: Record<string, unknown> | unknown[] = Array.isArray(value)
    ? [...value]
    : { ...Object(value) };
  Object.assign(copy, { [step]: replaced(Reflect.get(copy, step), rest, other) });
  return copy;
}

const messagesOf = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value, { error: issueMessage }).error?.issues.map(({ message }) => message) ??
  [];

const ofZod = /invalid|expected|received|undefined|unrecognized|option|too (big|small)/i;

describe.each(schemas)("the issues for the $name", ({ schema, example }) => {
  const wrong = [
    undefined,
    null,
    "",
    "x",
    5,
    -1,
    1e9,
    0.5,
    true,
    [],
    {},
    [null],
    { a: 1 },
    "x".repeat(5000),
    "\0",
  ];
  const types = [
    { type: "SnmpV3" },
    {
      type: "SnmpV3",
      security_name: 5,
      auth_protocol: "x",
      auth_password: { mode: "Inline" },
      priv_protocol: null,
      priv_password: { mode: "x" },
    },
    { type: "DockerProxy", port: "x", path: 5, ssl_cert: 5, ssl_key: { mode: "Inline", value: 5 } },
    {
      type: "DockerProxy",
      port: 70_000,
      ssl_cert: { mode: "Inline", value: "********" },
      ssl_chain: null,
    },
    { type: 5 },
  ];

  test("use the service's wording, not Zod's", () => {
    const values = [
      ...wrong,
      ...[...pathsIn(example)].flatMap((path) =>
        wrong.map((other) => replaced(example, path, other)),
      ),
      ...types.map((type) => replaced(example, ["credential_type"], type)),
      ...["limit", "offset", "type", "at", "id", "service_id", "order_by"].flatMap((name) =>
        ["", "x", "-1", "5000", ["1", "2"], "é".repeat(100)].map((value) => ({ [name]: value })),
      ),
    ];
    const messages = values.flatMap((value) => messagesOf(schema, value));
    expect(messages.length).toBeGreaterThan(0);
    expect(
      [...new Set(messages)].filter((message) => ofZod.test(message) || message.length > 256),
    ).toEqual([]);
  });

  test("use the service's wording for arbitrary values", () => {
    fc.assert(
      fc.property(fc.anything(), fc.nat(), (other, choice) => {
        const paths = [...pathsIn(example)];
        const value = replaced(example, paths[choice % paths.length] ?? [], other);
        expect(messagesOf(schema, value).filter((message) => ofZod.test(message))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});

test("rejects a parameter in a request that takes no parameters", async () => {
  const { keys } = await mintOrganization();
  const answer = await openApi().send("GET", "/api/v1/auth/whoami?limit=1", { key: keys.viewer });
  expect(answer).toMatchObject({
    status: 400,
    body: { error: "query.limit is not a parameter of this request, which accepts none." },
  });
});

test.each([
  [
    "GET",
    "tags?limt=1",
    undefined,
    "query.limt is not a parameter of this request: did you mean limit.",
  ],
  [
    "GET",
    "hosts?sort=name",
    undefined,
    "query.sort is not a parameter of this request: did you mean order_by.",
  ],
  [
    "POST",
    "auth/keys",
    { name: "x", role: "Viewer" },
    "body.permissions is required; body.role is not a field of this request: did you mean permissions.",
  ],
  [
    "POST",
    "networks",
    { nam: "x" },
    "body.name is required; body.nam is not a field of this request: did you mean name.",
  ],
  [
    "POST",
    "networks",
    { name: "x", zone: 1 },
    "body.zone is not a field of this request, which accepts id, name, description, stale_after_hours, external_id, metadata, tags, credential_ids.",
  ],
  [
    "POST",
    "ports",
    { number: 1, protocol: "Tcp", hostId: 1 },
    "body.host_id is required; body.hostId is not a field of this request: did you mean host_id.",
  ],
])("the error for %s %s with %j suggests the intended name", async (method, path, json, error) => {
  const { keys } = await mintOrganization();
  const answer = await openApi().send(method, `/api/v1/${path}`, { key: keys.owner, json });
  expect(answer).toMatchObject({ status: 400, body: { error } });
});
