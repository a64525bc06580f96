import { expect, test } from "vitest";
import * as z from "zod";
import document from "../../src/docs/assets/openapi.json" with { type: "json" };
import { Patches } from "../../src/openapi/patches.ts";
import { withReferencesFollowed } from "../helpers/document.ts";

const operation = z.object({
  requestBody: z.object({
    content: z.record(z.string(), z.object({ schema: z.looseObject({}) })),
  }),
});

type Schema = Readonly<Record<string, unknown>>;
const reference = z.object({ $ref: z.string() });

/** The paths that support PATCH, each with the schemas of its bodies by media type. */
const patched = Object.entries(document.paths).flatMap(([path, methods]) =>
  "patch" in methods && "put" in methods
    ? [
        {
          path,
          patch: operation.parse(methods.patch).requestBody.content,
          put: operation.parse(methods.put).requestBody.content,
        },
      ]
    : [],
);

test("every PATCH has a schema of its own, the same for both of its media types", () => {
  expect(patched.length).toBeGreaterThan(10);
  const names = patched.map(({ path, patch }) => {
    const references = Object.values(patch).map(({ schema }) => reference.parse(schema).$ref);
    expect(references).toHaveLength(2);
    expect([path, new Set(references).size]).toEqual([path, 1]);
    return references[0];
  });
  expect(new Set(names).size).toBe(patched.length);
  expect(names).toEqual(
    expect.arrayContaining(
      ["HostPatch", "CredentialPatch", "SubnetPatch"].map((name) => `#/components/schemas/${name}`),
    ),
  );
  expect(Object.keys(document.components.schemas)).not.toContain("MergePatch");
});

const object = z.object({
  properties: z.record(z.string(), z.looseObject({})),
  required: z.array(z.string()).optional(),
  additionalProperties: z.literal(false),
});

/** The objects among a schema and the members of its union. */
function objectsOf(schema: unknown): z.output<typeof object>[] {
  const union = z.object({ oneOf: z.array(z.unknown()) }).safeParse(schema);
  const members = union.success ? union.data.oneOf.flatMap(objectsOf) : [];
  const { data } = object.safeParse(schema);
  return data ? [...members, data] : members;
}

/** A schema without null, without defaults and without the text for readers. */
function plain(schema: unknown): { value: unknown; isNullable: boolean } {
  const {
    anyOf,
    description: _,
    default: __,
    type,
    pattern,
    ...rest
  } = z
    .looseObject({
      anyOf: z.array(z.unknown()).optional(),
      type: z.unknown().optional(),
      pattern: z.unknown().optional(),
    })
    .parse(schema);
  const isUuid = rest["format"] === "uuid";
  const members = (anyOf ?? []).filter((one) => Object(one).type !== "null");
  if (anyOf && members.length === 1 && members.length < anyOf.length) {
    return { value: plain(members[0]).value, isNullable: true };
  }
  const isNullable = Array.isArray(type);
  return {
    value: {
      ...rest,
      ...(anyOf && { anyOf }),
      ...(type !== undefined && { type: isNullable ? type[0] : type }),
      // A nullable id has no pattern.
      ...(pattern !== undefined && !isUuid && { pattern }),
    },
    isNullable,
  };
}

/** Compares a patch with the body of PUT, and the objects inside of them. */
function expectPatch(patch: unknown, put: unknown, path: string): void {
  const bodies = objectsOf(put);
  const { properties, required } = object.parse(patch);
  const names = new Set(bodies.flatMap((body) => Object.keys(body.properties)));
  expect([path, Object.keys(properties).sort()]).toEqual([path, [...names].sort()]);
  expect([path, required]).toEqual([path, undefined]);
  for (const [name, field] of Object.entries(properties)) {
    const at = `${path}.${name}`;
    expect([at, "default" in field]).toEqual([at, false]);
    const own = plain(field);
    const fields = bodies.flatMap((body) => body.properties[name] ?? []).map(plain);
    const mayBeOmitted = !bodies.every((body) => body.required?.includes(name));
    const isAny = Object.keys(Object(own.value)).length === 0;
    expect([at, own.isNullable]).toEqual([
      at,
      !isAny && (mayBeOmitted || fields.some(({ isNullable }) => isNullable)),
    ]);
    const [only] = fields;
    const inner = only && objectsOf(only.value).length > 0;
    if (inner) {
      expectPatch(own.value, only.value, at);
    } else if (fields.length === 1) {
      expect([at, own.value]).toEqual([at, only?.value]);
    }
  }
}

test.each(patched)(
  "PATCH $path accepts the fields of PUT, all of them optional",
  ({ path, patch, put }) => {
    const resolved = (content: typeof patch): unknown =>
      withReferencesFollowed(document, content["application/json"]?.schema, () => true);
    expectPatch(resolved(patch), resolved(put), path);
  },
);

const text = (keywords: Schema = {}) => ({ type: "string", ...keywords });

/** The patch of a body, and the components that it refers to. */
function patchOf(body: Schema, bodies: Record<string, Record<string, unknown>> = {}) {
  const patches = new Patches(bodies);
  patches.of("ThingPatch", { ...body });
  const { ThingPatch, ...others } = patches.components;
  return { fields: ThingPatch?.["properties"], others };
}
const objectOf = (properties: Schema, required: readonly string[] = []) => ({
  type: "object",
  properties,
  required: [...required],
  additionalProperties: false,
});

test("a field that PUT requires cannot be null, and a field that PUT lets the caller omit can", () => {
  const body = objectOf({ name: text(), color: text({ default: "Gray" }), any: {} }, ["name"]);
  expect(patchOf(body).fields).toEqual({
    name: text(),
    color: { type: ["string", "null"] },
    any: {},
  });
});

test("objects are merged, so their fields are optional too; lists are replaced, so their members are complete", () => {
  const inner = { $ref: "#/components/schemas/Inner" };
  const bodies = { Inner: objectOf({ a: text() }, ["a"]) };
  const body = objectOf({ one: inner, many: { type: "array", items: inner } }, ["one", "many"]);
  expect(patchOf(body, bodies)).toEqual({
    fields: {
      one: { $ref: "#/components/schemas/InnerPatch" },
      many: { type: "array", items: inner },
    },
    others: {
      InnerPatch: {
        type: "object",
        properties: { a: text() },
        additionalProperties: false,
      },
    },
  });
});

test("the patch of a union has the fields of all members, and clears those of the other type", () => {
  const member = (type: string, field: string) =>
    objectOf({ type: text({ enum: [type] }), [field]: text() }, ["type", field]);
  expect(patchOf({ oneOf: [member("A", "a"), member("B", "b")] }).fields).toEqual({
    type: text({ enum: ["A", "B"] }),
    a: { type: ["string", "null"] },
    b: { type: ["string", "null"] },
  });
});

test("rejects a body that is never an object, and two different patches with the same name", () => {
  expect(() => patchOf(text())).toThrow("The body for ThingPatch is not an object");
  const patches = new Patches({});
  patches.of("ThingPatch", objectOf({ a: text() }));
  expect(() => patches.of("ThingPatch", objectOf({ b: text() }))).toThrow(
    "Two different schemas would be named ThingPatch",
  );
});
