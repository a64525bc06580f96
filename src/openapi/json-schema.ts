import * as z from "zod";
import { maxBodyBytes } from "../http/body/large-bodies.ts";

/** A part of a JSON Schema or of the OpenAPI document. */
export type Json = { [key: string]: unknown };

/** The direction of a schema: request or response. */
type Direction = "input" | "output";

/**
 * Schemas as JSON Schema, with the components that they refer to as `#/components/schemas/Name`.
 */
interface Converted {
  schemas: Map<z.ZodType, Json>;
  components: Record<string, Json>;
}

/** Converts schemas in one direction. Schemas with an `id` in their metadata become components. */
export function toJsonSchemas(schemas: readonly z.ZodType[], direction: Direction): Converted {
  const root = z.object(Object.fromEntries(schemas.entries()));
  const json = z.toJSONSchema(root, {
    io: direction,
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => refine(zodSchema, jsonSchema, direction),
  });
  const properties = Object.values(json.properties ?? {});
  return {
    schemas: new Map(schemas.map((schema, index) => [schema, withReferences(properties[index])])),
    components: Object.fromEntries(
      Object.entries(json.$defs ?? {}).map(([id, schema]) => [id, withReferences(schema)]),
    ),
  };
}

/** Copies a schema with its references pointing to components, optionally renamed. */
export const withReferences = (schema: unknown, rename = (id: string) => id): Json =>
  JSON.parse(JSON.stringify(schema), (key, value) =>
    key === "$ref" ? `#/components/schemas/${rename(nameIn(value))}` : withNullInType(value),
  );

const nullable = z.looseObject({
  anyOf: z.tuple([
    z.looseObject({ type: z.string(), enum: z.undefined().optional() }),
    z.strictObject({ type: z.literal("null") }),
  ]),
});

/**
 * Replaces a union of a schema and null with a list of types that includes null. Otherwise,
 * openapi-generator would make every field with the non-null schema nullable, even outside of the
 * union.
 */
function withNullInType(value: unknown): unknown {
  const parsed = nullable.safeParse(value);
  if (!parsed.success) {
    return value;
  }
  const { anyOf, ...own } = parsed.data;
  const [{ type, ...keywords }] = anyOf;
  const json: Json = { ...keywords, ...own, type: [type, "null"] };
  if (json["format"] === "uuid") {
    // The Go code from openapi-generator cannot validate a nullable value's pattern: it rejects
    // every union that contains one.
    delete json["pattern"];
  }
  return json;
}

/** The component name in a reference. */
export const nameIn = (reference: string) => reference.slice(reference.lastIndexOf("/") + 1);

/** Adds the metadata for one direction, and the discriminators of unions. */
function refine(schema: z.core.$ZodTypes, json: Json, direction: Direction): void {
  const metadata = z.globalRegistry.get(schema);
  delete json["id"];
  delete json["input"];
  delete json["output"];
  Object.assign(json, metadata?.[direction]);
  restrict(json, direction);
  if (schema._zod.def.type === "union" && "discriminator" in schema._zod.def) {
    json["discriminator"] = { propertyName: schema._zod.def.discriminator };
  }
}

/** Adds general bounds, and shortens the patterns of formats. */
function restrict(json: Json, direction: Direction): void {
  replaceConst(json);
  if (json["type"] === "integer") {
    json["format"] ??= "int32";
  }
  if (json["format"] === "uuid") {
    // Requests may use either case; responses use lower case.
    const digit = direction === "input" ? "[0-9a-fA-F]" : "[0-9a-f]";
    if (!Array.isArray(json["type"])) {
      json["pattern"] = `^${digit}{8}(-${digit}{4}){3}-${digit}{12}$`;
    }
    json["maxLength"] = 36;
  } else if (json["format"] === "date-time") {
    // Generators parse values of this format into a separate type, which cannot have a pattern.
    delete json["pattern"];
    if (direction === "output") {
      json["maxLength"] = 24;
    }
  }
  if (json["type"] === "string" && !("enum" in json)) {
    // The default bound: no string is longer than the largest body, not even a string that quotes
    // one.
    json["maxLength"] ??= maxBodyBytes;
  }
}

/**
 * Replaces `const`, which client generators misread: they turn a boolean constant into an
 * enumeration of strings, which no response matches. Here, a constant string becomes an enumeration
 * of one value, a number becomes a range of one value, and a boolean becomes any boolean.
 */
function replaceConst(json: Json): void {
  const { const: value } = json;
  if (value === undefined) {
    return;
  }
  delete json["const"];
  if (typeof value === "string") {
    Object.assign(json, { enum: [value] });
  } else if (Number.isInteger(value)) {
    Object.assign(json, { type: "integer", minimum: value, maximum: value });
  }
}
