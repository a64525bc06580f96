import * as z from "zod";
import { maxBodyBytes } from "../http/body/large-bodies.ts";

/** A piece of JSON Schema, or of the document. */
export type Json = { [key: string]: unknown };

/** Whether a schema is that of a request or of a response. */
type Direction = "input" | "output";

/** Schemas in JSON Schema, and the components that they refer to by `#/components/schemas/Name`. */
interface Converted {
  schemas: Map<z.ZodType, Json>;
  components: Record<string, Json>;
}

/** Converts schemas in one direction. Those whose metadata have an `id` become components. */
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

/** A copy of a schema whose references are to components, under other names where they have one. */
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
 * What may be null, with null among its types. For a union with null openapi-generator makes every
 * field nullable whose schema is that of the other alternative.
 */
function withNullInType(value: unknown): unknown {
  const found = nullable.safeParse(value);
  if (!found.success) {
    return value;
  }
  const { anyOf, ...own } = found.data;
  const [{ type, ...keywords }] = anyOf;
  const json: Json = { ...keywords, ...own, type: [type, "null"] };
  if (json["format"] === "uuid") {
    // In Go, openapi-generator cannot validate a pattern of what may be null: it refuses every union with one.
    delete json["pattern"];
  }
  return json;
}

/** The name of the component that a reference is to. */
export const nameIn = (reference: string) => reference.slice(reference.lastIndexOf("/") + 1);

/** Adds the metadata of one direction, and the discriminators of unions. */
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

/** Adds the bounds that always hold, and shortens the patterns of formats. */
function restrict(json: Json, direction: Direction): void {
  replaceConst(json);
  if (json["type"] === "integer") {
    json["format"] ??= "int32";
  }
  if (json["format"] === "uuid") {
    // Requests may use either case; responses are in lower case.
    const digit = direction === "input" ? "[0-9a-fA-F]" : "[0-9a-f]";
    if (!Array.isArray(json["type"])) {
      json["pattern"] = `^${digit}{8}(-${digit}{4}){3}-${digit}{12}$`;
    }
    json["maxLength"] = 36;
  } else if (json["format"] === "date-time") {
    // Generators parse what has this format into a type of their own, which has no pattern.
    delete json["pattern"];
    if (direction === "output") {
      json["maxLength"] = 24;
    }
  }
  if (json["type"] === "string" && !("enum" in json)) {
    // Where nothing else is said, no text is longer than the longest body, nor is one that quotes it.
    json["maxLength"] ??= maxBodyBytes;
  }
}

/**
 * Generators of clients read `const` badly: a boolean one becomes an enumeration of texts, which no
 * response fits. A text becomes a list of one value, a number a range of one, and a boolean becomes
 * any boolean.
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
