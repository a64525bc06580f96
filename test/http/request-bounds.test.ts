import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { mintApiKey } from "../../src/api-key.ts";
import committed from "../../src/docs/assets/openapi.json" with { type: "json" };
import { openApi } from "../helpers/api.ts";
import { paths } from "../helpers/document.ts";
import { limitCases } from "../helpers/limit-cases.ts";
import { mintOrganization, type Organization } from "../helpers/organization.ts";
import { changingNothing } from "../helpers/rows.ts";

type Schema = Readonly<Record<string, unknown>>;

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const components: Readonly<Record<string, unknown>> = committed.components.schemas;

/** A schema, behind its reference. */
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

/** A value that a schema takes, as far as its own keywords say; `number` makes it differ from others. */
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

/** A step to a part of a body: a field, the first member of a list, or one of several forms. */
type Step = string | number | { form: number };

/** A value that is one beyond a bound of a schema, and the bound. */
interface Beyond {
  bound: string;
  value: unknown;
  /** Where in the request it stands. */
  path: readonly Step[];
}

/** Texts and lists up to this size: a body with more is refused whole (`http/body-budget`). */
const largest = 100_000;

/** Values one beyond each bound that a schema itself states. */
function ownBounds(schema: Schema): Omit<Beyond, "path">[] {
  const found: Omit<Beyond, "path">[] = [];
  const add = (bound: string, value: unknown) => found.push({ bound, value });
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
    // Blanks alone are null where that is allowed.
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
  return found;
}

const isIgnored = (description: unknown): boolean => /^Ignored/.test(String(description));

/** Every bound below a schema. A schema inside itself is walked once. */
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
      // A value of another type can suit another form.
      boundsOf(one, [...path, { form }], walked).filter(
        (found) => found.bound !== "type" || found.path.length > path.length + 1,
      ),
    ),
  ];
}

/** A body that holds a value at a path, with what else its schema needs on the way there. */
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

/** A request that is one beyond a bound, and the path of the issue that says so. */
interface Spoilt {
  bound: string;
  path: string;
  headers?: Record<string, string>;
  json?: unknown;
  issue: string;
}

function spoiltOf({ path, parameters, requestBody }: Operation): Spoilt[] {
  const valid = path.replaceAll(/\{\w+\}/g, anId(1));
  const found: Spoilt[] = [];
  const body = requestBody?.content["application/json"].schema;
  // All issues of a request are named at once.
  const other = body === undefined ? {} : { json: {} };
  for (const { name, in: place, schema, description = "" } of parameters) {
    for (const { bound, value } of ownBounds(resolved(schema))) {
      // Everything is text there, and a list that is given once has one member.
      const isShapeless =
        bound === "type" && !["integer", "boolean"].includes(String(schema["type"]));
      if (
        isShapeless ||
        (place === "path" && value === "") ||
        bound === "minItems" ||
        isIgnored(description)
      ) {
        continue;
      }
      const values = (Array.isArray(value) ? value : [value]).map((one) =>
        typeof one === "object" ? "[object]" : String(one),
      );
      if (place === "query") {
        const query = new URLSearchParams(values.map((one) => [name, one]));
        found.push({ ...other, bound, path: `${valid}?${query}`, issue: `query.${name}` });
      } else if (place === "path") {
        const spoilt = path
          .replace(`{${name}}`, encodeURIComponent(values[0] ?? ""))
          .replaceAll(/\{\w+\}/g, anId(1));
        found.push({ ...other, bound, path: spoilt, issue: `path.${name}` });
      } else if (!/[\n]/.test(values[0] ?? "")) {
        found.push({
          ...other,
          bound,
          path: valid,
          headers: { [name]: values[0] ?? "" },
          issue: `header.${name.toLowerCase()}`,
        });
      }
    }
  }
  for (const { bound, value, path: place } of body === undefined ? [] : boundsOf(body)) {
    if (path.endsWith("/imports") && place[0] === "hosts" && place.length > 1) {
      // An import takes the others where one host is refused (`imports/`).
      continue;
    }
    const issue = place.reduce<string>(
      (text, step) =>
        typeof step === "object"
          ? text
          : typeof step === "number"
            ? `${text}[${step}]`
            : `${text}.${step}`,
      "body",
    );
    found.push({ bound, path: valid, json: bodyWith(body, place, value), issue });
  }
  return found;
}

const failure = z.object({
  code: z.string(),
  params: z.looseObject({ issues: z.array(z.object({ path: z.string() })).optional() }),
});

let organization: Organization;

beforeAll(async () => {
  organization = await mintOrganization();
});

const spoiltOperations = operations
  .map((operation) => ({ ...operation, name: operation.operationId, spoilt: spoiltOf(operation) }))
  .filter(({ spoilt }) => spoilt.length > 0);

test("most operations state bounds, and every kind of bound is tried", () => {
  expect(spoiltOperations.length).toBeGreaterThan(operations.length * 0.9);
  const kinds = new Set(spoiltOperations.flatMap(({ spoilt }) => spoilt.map(({ bound }) => bound)));
  expect([...kinds].sort()).toEqual(
    expect.arrayContaining([
      ...["additionalProperties", "enum", "format", "maxItems", "maxLength"],
      ...["maximum", "minItems", "minLength", "minimum", "pattern", "type", "uniqueItems"],
    ]),
  );
});

describe("a request one beyond a bound that its schema states", () => {
  test.each(spoiltOperations)(
    "$name: is refused there, and changes nothing",
    async ({ method, spoilt }) => {
      const api = openApi();
      const key = organization.keys.owner;
      const accepted = await changingNothing(organization.id, async () => {
        const wrong: object[] = [];
        for (const { bound, path, headers = {}, json, issue } of spoilt) {
          const { status, body } = await api.send(method, path, {
            key,
            headers: {
              ...(json !== undefined &&
                method === "PATCH" && { "Content-Type": "application/merge-patch+json" }),
              ...headers,
            },
            json,
          });
          const { data } = failure.safeParse(body);
          const named = data?.params.issues?.map((one) => one.path) ?? [];
          // A list can be refused for its members, and a body for how much it holds.
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

/** Objects inside each other whose names are numbers, which V8 writes by recursion. */
const deep = (depth: number) => `${'{"0":'.repeat(depth)}1${"}".repeat(depth)}`;

describe("a body of objects inside each other whose names are numbers", () => {
  const withBody = operations.filter(({ requestBody }) => requestBody !== undefined);

  test.each(withBody)(
    "$operationId: is refused, and its key is judged first",
    async ({ method, path, requestBody }) => {
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
          const { status } = await send(organization.keys.owner, depth, wrap);
          // A patch of a record that there is not: what is ignored may be there.
          expect([depth, status]).toEqual([depth, expect.toBeOneOf([400, 404])]);
          expect((await send(mintApiKey(), depth, wrap)).status).toBe(401);
        }
      }
    },
  );
});
