import * as z from "zod";
import { maxBodyBytes } from "../json-body.ts";
import { annotations } from "./describe.ts";

/** A piece of JSON Schema, or of the document. */
export type Json = { [key: string]: unknown };

type Direction = "input" | "output";

const refPrefix = "#/components/schemas/";

/** Schemas in JSON Schema, by the keys that they were given, and the components they refer to. */
export interface Converted {
  schemas: Map<z.ZodType, Json>;
  components: Record<string, Json>;
}

/**
 * Converts the schemas of requests and of answers. Those with an `id` become components. Where the
 * two directions of a component differ, that of requests has the suffix `Input`.
 */
export function convert(requests: readonly z.ZodType[], answers: readonly z.ZodType[]) {
  const input = convertAll(requests, "input");
  const output = convertAll(answers, "output");
  const renamed = new Set(
    Object.keys(input.components).filter((id) => {
      const twin = output.components[id];
      return twin && JSON.stringify(twin) !== JSON.stringify(input.components[id]);
    }),
  );
  // What refers to a renamed component differs as well.
  for (let before = -1; before !== renamed.size; ) {
    before = renamed.size;
    for (const [id, schema] of Object.entries(input.components)) {
      if (output.components[id] && references(schema).some((name) => renamed.has(name))) {
        renamed.add(id);
      }
    }
  }
  const rename = (id: string) => (renamed.has(id) ? `${id}Input` : id);
  const components: Record<string, Json> = { ...output.components };
  for (const [id, schema] of Object.entries(input.components)) {
    components[rename(id)] = withReferences(schema, rename);
  }
  const discriminated = (schema: Json) => withMappings(schema, components);
  const all = new Map<z.ZodType, Json>();
  for (const [schema, json] of input.schemas) {
    all.set(schema, discriminated(withReferences(json, rename)));
  }
  const answersOnly = new Map<z.ZodType, Json>();
  for (const [schema, json] of output.schemas) {
    answersOnly.set(schema, discriminated(json));
  }
  return {
    request: (schema: z.ZodType) => found(all, schema),
    answer: (schema: z.ZodType) => found(answersOnly, schema),
    components: Object.fromEntries(
      Object.entries(components)
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([id, schema]) => [id, discriminated(schema)]),
    ),
  };
}

function found(schemas: Map<z.ZodType, Json>, schema: z.ZodType): Json {
  const json = schemas.get(schema);
  if (!json) {
    throw new Error("a schema was not converted");
  }
  return json;
}

function convertAll(schemas: readonly z.ZodType[], io: Direction): Converted {
  const root = z.object(Object.fromEntries(schemas.entries()));
  const json = z.toJSONSchema(root, {
    io,
    metadata: annotations,
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => refine(zodSchema, jsonSchema, io),
  });
  const properties = Object.values(json.properties ?? {});
  const local = (schema: unknown) => withReferences(asJson(schema), (id) => id);
  return {
    schemas: new Map(schemas.map((schema, index) => [schema, local(properties[index])])),
    components: Object.fromEntries(
      Object.entries(json.$defs ?? {}).map(([id, schema]) => [id, local(schema)]),
    ),
  };
}

/** Adds what annotations say of one direction, and what Zod does not tell of unions. */
function refine(schema: z.core.$ZodTypes, json: Json, io: Direction): void {
  const { input, output, id } = annotations.get(schema) ?? {};
  delete json["input"];
  delete json["output"];
  Object.assign(json, io === "input" ? input : output);
  if (id !== undefined) {
    delete json["id"];
  }
  restrict(json, io);
  if (schema._zod.def.type === "union" && "discriminator" in schema._zod.def) {
    json["discriminator"] = { propertyName: schema._zod.def.discriminator };
  }
}

/** Adds the bounds that hold by themselves, and shortens the patterns that a format stands for. */
function restrict(json: Json, io: Direction): void {
  if (json["type"] === "number" && Number.isInteger(json["const"])) {
    Object.assign(json, { type: "integer", minimum: json["const"], maximum: json["const"] });
  }
  if (json["type"] === "integer") {
    json["format"] = "int32";
  }
  if (json["format"] === "uuid") {
    const digit = io === "input" ? "[0-9a-fA-F]" : "[0-9a-f]";
    json["pattern"] = `^${digit}{8}(-${digit}{4}){3}-${digit}{12}$`;
    json["maxLength"] = 36;
  } else if (json["format"] === "date-time") {
    delete json["pattern"];
    if (io === "output") {
      json["pattern"] = "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$";
      json["maxLength"] = 24;
    }
  }
  if (json["type"] === "string" && !("const" in json || "enum" in json)) {
    // No text is longer than the longest body, nor is one that quotes it.
    json["maxLength"] = Math.min(Number(json["maxLength"] ?? maxBodyBytes), maxBodyBytes);
  }
}

const asJson = (value: unknown): Json => JSON.parse(JSON.stringify(value));

/** Zod's `#/$defs/Name`, or a reference of ours, as a reference to a component. */
function withReferences(schema: Json, rename: (id: string) => string): Json {
  return JSON.parse(JSON.stringify(schema), (key, value) =>
    key === "$ref" && typeof value === "string"
      ? refPrefix + rename(value.replace(/^.*\//, ""))
      : value,
  );
}

/** The names of the components that a schema refers to. */
export function references(schema: unknown): string[] {
  const names: string[] = [];
  JSON.stringify(schema, (key, value) => {
    if (key === "$ref" && typeof value === "string") {
      names.push(value.replace(/^.*\//, ""));
    }
    return value;
  });
  return names;
}

/** Completes discriminators: which value stands for which component. */
function withMappings(schema: Json, components: Record<string, Json>): Json {
  return JSON.parse(JSON.stringify(schema), (_, value) => {
    const propertyName = value?.discriminator?.propertyName;
    if (typeof propertyName !== "string" || !Array.isArray(value.oneOf)) {
      return value;
    }
    const mapping = Object.fromEntries(
      value.oneOf.map(({ $ref }: { $ref: string }) => {
        const variant = components[$ref.replace(/^.*\//, "")] as
          | { properties: Record<string, { const: string }> }
          | undefined;
        return [variant?.properties[propertyName]?.const, $ref];
      }),
    );
    return { ...value, discriminator: { propertyName, mapping } };
  });
}
