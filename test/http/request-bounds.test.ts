import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { mintApiKey } from "../../src/api-key.ts";
import committed from "../../src/docs/assets/openapi.json" with { type: "json" };
import { openApi } from "../helpers/api.ts";
import { paths } from "../helpers/document.ts";
import { limitCases } from "../helpers/limit-cases.ts";
import { recordIdOf } from "../helpers/operations.ts";
import { mintOperator } from "../helpers/operators.ts";
import {
  mintPopulatedOrganization,
  type PopulatedOrganization,
} from "../helpers/populated-organization.ts";
import { changingNothing } from "../helpers/rows.ts";

type Schema = Readonly<Record<string, unknown>>;

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const components: Readonly<Record<string, unknown>> = committed.components.schemas;

/** Resolves a schema's reference. */
function resolved(schema: unknown): Schema {
  if (!isSchema(schema)) {
    return {};
  }
  const { $ref } = schema;
  return typeof $ref === "string" ? resolved(components[$ref.split("/").at(-1) ?? ""]) : schema;
}

const listOf = (schema: Schema, keyword: string): readonly unknown[] => {
  const value = schema[keyword];
  return Array.isArray(value) ? value : [];
};
const propertiesOf = ({ properties }: Schema): Schema => (isSchema(properties) ? properties : {});
const typesOf = ({ type }: Schema): readonly unknown[] => (Array.isArray(type) ? type : [type]);
const numberOf = (schema: Schema, keyword: string): number | undefined =>
  typeof schema[keyword] === "number" ? schema[keyword] : undefined;

const anId = (number: number) => `0f0a4f0e-3b62-4a38-8a3f-${String(number).padStart(12, "0")}`;

/**
 * Returns a value that matches a schema's own keywords. Different values of `number` give different
 * results.
 */
function sampleOf(given: unknown, number: number): unknown {
  const schema = resolved(given);
  const [alternative] = [...listOf(schema, "oneOf"), ...listOf(schema, "anyOf")];
  if (alternative !== undefined) {
    return sampleOf(alternative, number);
  }
  const [first] = listOf(schema, "enum");
  if (first !== undefined) {
    return first;
  }
  const [type] = typesOf(schema);
  switch (type) {
    case "integer":
    case "number":
      return numberOf(schema, "minimum") ?? number;
    case "boolean":
      return true;
    case "array":
      return [];
    case "object":
      return Object.fromEntries(
        listOf(schema, "required").map((name) => [
          name,
          sampleOf(propertiesOf(schema)[String(name)], number),
        ]),
      );
    default:
      return schema["format"] === "uuid"
        ? anId(number)
        : schema["format"] === "date-time"
          ? "2026-01-01T00:00:00Z"
          : `sample ${number}`;
  }
}

/**
 * A step into part of a body: a field, the first member of a list, or one of several alternative
 * forms.
 */
type Step = string | number | { form: number };

/** A value just beyond one of a schema's limits, and the limit. */
interface Beyond {
  bound: string;
  value: unknown;
  /** The position in the request. */
  path: readonly Step[];
}

/**
 * The maximum size of the strings and lists in these tests. A larger body is rejected as a whole
 * (`http/body-budget`).
 */
const largest = 100_000;

/** Returns values just beyond each limit that a schema itself contains. */
function ownBounds(schema: Schema): Omit<Beyond, "path">[] {
  const beyond: Omit<Beyond, "path">[] = [];
  const add = (bound: string, value: unknown) => beyond.push({ bound, value });
  const [maxLength, minLength] = [numberOf(schema, "maxLength"), numberOf(schema, "minLength")];
  if (maxLength !== undefined && maxLength < largest) {
    add("maxLength", "x".repeat(maxLength + 1));
  }
  if (minLength !== undefined && minLength > 0) {
    add("minLength", "x".repeat(minLength - 1));
  }
  const steps = { maximum: 1, minimum: -1, exclusiveMinimum: 0, exclusiveMaximum: 0 };
  for (const [keyword, by] of Object.entries(steps)) {
    const bound = numberOf(schema, keyword);
    if (bound !== undefined && Number.isSafeInteger(bound + by)) {
      add(keyword, bound + by);
    }
  }
  const [maxItems, minItems] = [numberOf(schema, "maxItems"), numberOf(schema, "minItems")];
  const members = (count: number) =>
    Array.from({ length: count }, (_, number) => sampleOf(schema["items"], number));
  if (maxItems !== undefined && maxItems < largest) {
    add("maxItems", members(maxItems + 1));
  }
  if (minItems !== undefined && minItems > 0) {
    add("minItems", members(minItems - 1));
  }
  if (schema["uniqueItems"] === true) {
    const member = sampleOf(schema["items"], 1);
    add("uniqueItems", [member, member]);
  }
  if (schema["enum"] !== undefined) {
    add("enum", "constructor");
  }
  if (schema["format"] === "uuid" || schema["format"] === "date-time") {
    add("format", "constructor");
  }
  if (typeof schema["pattern"] === "string") {
    // Spaces are treated as null only where null is allowed.
    const pattern = new RegExp(schema["pattern"], "u");
    const [unsuitable] = ["!\n!", " \n "].filter((text) => !pattern.test(text));
    expect(unsuitable, schema["pattern"]).toBeDefined();
    add("pattern", unsuitable);
  }
  const types = typesOf(schema);
  if (types[0] !== undefined) {
    add("type", types[0] === "object" || types[0] === "array" ? "constructor" : { "0": 1 });
  }
  if (schema["additionalProperties"] === false) {
    add("additionalProperties", { no_such_field: 1 });
  }
  return beyond;
}

const isIgnored = (description: unknown): boolean => /^Ignored/.test(String(description));

/** Returns every limit within a schema. A recursive schema is visited only once. */
function boundsOf(
  given: unknown,
  path: readonly Step[] = [],
  above: readonly Schema[] = [],
): Beyond[] {
  const schema = resolved(given);
  if (above.includes(schema) || isIgnored(schema["description"])) {
    return [];
  }
  const walked = [...above, schema];
  return [
    ...ownBounds(schema).map((one) => ({ ...one, path })),
    ...Object.entries(propertiesOf(schema)).flatMap(([name, property]) =>
      boundsOf(property, [...path, name], walked),
    ),
    ...(schema["items"] === undefined ? [] : boundsOf(schema["items"], [...path, 0], walked)),
    ...listOf(schema, "oneOf").flatMap((one, form) =>
      // A value of another type could match another form.
      boundsOf(one, [...path, { form }], walked).filter(
        (each) => each.bound !== "type" || each.path.length > path.length + 1,
      ),
    ),
  ];
}

/**
 * Returns a body with a value at a path, and with the required fields of all schemas along that
 * path.
 */
function bodyWith(given: unknown, path: readonly Step[], value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) {
    return value;
  }
  const schema = resolved(given);
  if (typeof step === "number") {
    return [bodyWith(schema["items"], rest, value)];
  }
  if (typeof step === "object") {
    return bodyWith(listOf(schema, "oneOf")[step.form], rest, value);
  }
  return {
    ...Object(sampleOf(schema, 1)),
    [step]: bodyWith(propertiesOf(schema)[step], rest, value),
  };
}

const operationSchema = z.object({
  operationId: z.string(),
  parameters: z
    .array(
      z.looseObject({
        name: z.string(),
        description: z.string().optional(),
        in: z.enum(["path", "query", "header"]),
        required: z.boolean().optional(),
        schema: z.record(z.string(), z.unknown()),
      }),
    )
    .default([]),
  requestBody: z
    .looseObject({
      content: z.looseObject({
        "application/json": z.looseObject({ schema: z.unknown() }),
      }),
    })
    .optional(),
  security: z.array(z.unknown()).optional(),
});
type Operation = z.output<typeof operationSchema> & { method: string; path: string };

const described = z.record(z.string(), z.record(z.string(), operationSchema)).parse(paths);

const operations: Operation[] = Object.entries(described).flatMap(([path, verbs]) =>
  Object.entries(verbs).map(([method, operation]) => ({
    ...operation,
    method: method.toUpperCase(),
    path,
  })),
);

/** A request just beyond a limit, and the path of the expected issue. */
interface InvalidRequest {
  bound: string;
  path: string;
  headers?: Record<string, string>;
  json?: unknown;
  issue: string;
}

function invalidRequestsOf({ path, parameters, requestBody }: Operation): InvalidRequest[] {
  const valid = path.replaceAll(/\{\w+\}/g, anId(1));
  const requests: InvalidRequest[] = [];
  const body = requestBody?.content["application/json"].schema;
  // All issues of a request are reported at once.
  const other = body === undefined ? {} : { json: {} };
  for (const { name, in: location, schema, description = "" } of parameters) {
    for (const { bound, value } of ownBounds(resolved(schema))) {
      // Parameters are strings, and a list parameter that is given once has one member.
      const isShapeless =
        bound === "type" && !["integer", "boolean"].includes(String(schema["type"]));
      if (
        isShapeless ||
        (location === "path" && value === "") ||
        bound === "minItems" ||
        isIgnored(description)
      ) {
        continue;
      }
      const values = (Array.isArray(value) ? value : [value]).map((one) =>
        typeof one === "object" ? "[object]" : String(one),
      );
      if (location === "query") {
        const query = new URLSearchParams(values.map((one) => [name, one]));
        requests.push({ ...other, bound, path: `${valid}?${query}`, issue: `query.${name}` });
      } else if (location === "path") {
        const invalid = path
          .replace(`{${name}}`, encodeURIComponent(values[0] ?? ""))
          .replaceAll(/\{\w+\}/g, anId(1));
        requests.push({ ...other, bound, path: invalid, issue: `path.${name}` });
      } else if (!/[\n]/.test(values[0] ?? "")) {
        requests.push({
          ...other,
          bound,
          path: valid,
          headers: { [name]: values[0] ?? "" },
          issue: `header.${name.toLowerCase()}`,
        });
      }
    }
  }
  for (const { bound, value, path: steps } of body === undefined ? [] : boundsOf(body)) {
    if (path.endsWith("/imports") && steps[0] === "hosts" && steps.length > 1) {
      // An import with an invalid host still imports the other hosts (`imports/`).
      continue;
    }
    const issue = steps.reduce<string>(
      (text, step) =>
        typeof step === "object"
          ? text
          : typeof step === "number"
            ? `${text}[${step}]`
            : `${text}.${step}`,
      "body",
    );
    requests.push({ bound, path: valid, json: bodyWith(body, steps, value), issue });
  }
  return requests;
}

const failure = z.object({
  code: z.string(),
  params: z.looseObject({ issues: z.array(z.object({ path: z.string() })).optional() }),
});

let organization: PopulatedOrganization;

let operator: { key: string };
beforeAll(async () => {
  organization = await mintPopulatedOrganization();
  operator = await mintOperator();
});

/** The key with which an operation succeeds. */
const keyFor = ({ security }: Pick<Operation, "security">) =>
  JSON.stringify(security).includes("operatorKey") ? operator.key : organization.keys.owner;

const operationsWithBounds = operations
  .map((operation) => ({
    ...operation,
    name: operation.operationId,
    requests: invalidRequestsOf(operation),
  }))
  .filter(({ requests }) => requests.length > 0);

test("most operations have limits, and every kind of limit is tested", () => {
  expect(operationsWithBounds.length).toBeGreaterThan(operations.length * 0.9);
  const kinds = new Set(
    operationsWithBounds.flatMap(({ requests }) => requests.map(({ bound }) => bound)),
  );
  expect([...kinds].sort()).toEqual(
    expect.arrayContaining([
      ...["additionalProperties", "enum", "format", "maxItems", "maxLength"],
      ...["maximum", "minItems", "minLength", "minimum", "pattern", "type", "uniqueItems"],
    ]),
  );
});

/** Changes the body of a bulk patch so that its first member is a patch of an existing record. */
const ofRecord = (json: unknown, id: string): unknown => {
  const [first, ...others] = z.array(z.unknown()).safeParse(json).data ?? [];
  return isSchema(first) && String(first["id"]).startsWith(anId(0).slice(0, 24))
    ? [{ ...first, id }, ...others]
    : json;
};

describe("a request just beyond one of its schema's limits", () => {
  test.each(operationsWithBounds)(
    "$name: is rejected with an issue at the right position, and changes nothing",
    async ({ method, requests, ...operation }) => {
      const api = openApi();
      // A patch is validated after it is applied to its record.
      const path = operation.path.replaceAll(/\{(\w+)\}/g, ":$1").replace(/bulk$/, ":id");
      const recordId = method === "PATCH" ? recordIdOf({ path }, organization) : null;
      const key = keyFor(operation);
      const accepted = await changingNothing(organization.id, async () => {
        const wrong: object[] = [];
        for (const { bound, path, headers = {}, json, issue } of requests) {
          const to = recordId === null ? path : path.replace(anId(1), recordId);
          const { status, body } = await api.send(method, to, {
            key,
            headers: {
              ...(json !== undefined &&
                method === "PATCH" &&
                !path.includes("/bulk") && { "Content-Type": "application/merge-patch+json" }),
              ...headers,
            },
            json: recordId === null ? json : ofRecord(json, recordId),
          });
          const { data } = failure.safeParse(body);
          const named = data?.params.issues?.map((one) => one.path) ?? [];
          // A list can be rejected because of its members, and a body can be rejected because of
          // its size.
          const isNamed = named.some((one) => one.startsWith(issue) || one === "body");
          if (status < 400 || status >= 500 || (status === 400 && !isNamed) || status === 404) {
            wrong.push({ bound, issue, status, code: data?.code, named: named.slice(0, 3) });
          }
        }
        return wrong;
      });
      expect(accepted).toEqual([]);
    },
  );
});

/** Nested objects with numeric names, which V8 serializes recursively. */
const deep = (depth: number) => `${'{"0":'.repeat(depth)}1${"}".repeat(depth)}`;

describe("a body of nested objects with numeric names", () => {
  const withBody = operations.filter(({ requestBody }) => requestBody !== undefined);

  test.each(withBody)(
    "$operationId: is rejected, but only after the key is checked",
    async ({ method, path, requestBody, security }) => {
      const api = openApi();
      const [contentType = ""] = Object.keys(requestBody?.content ?? {});
      const send = (key: string, depth: number, wrap: (body: string) => string) =>
        api.send(method, path.replaceAll(/\{\w+\}/g, anId(1)), {
          key,
          headers: { "Content-Type": contentType },
          body: wrap(deep(depth)),
        });
      for (const depth of limitCases([9000, 1, 30, 33], 1)) {
        for (const wrap of limitCases([(body: string) => body, (body: string) => `[${body}]`], 1)) {
          const { status } = await send(keyFor({ security }), depth, wrap);
          // Ignored fields are allowed, so a patch of a missing record returns 404.
          expect([depth, status]).toEqual([depth, expect.toBeOneOf([400, 404])]);
          expect((await send(mintApiKey(), depth, wrap)).status).toBe(401);
        }
      }
    },
  );
});
