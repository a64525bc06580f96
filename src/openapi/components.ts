import * as z from "zod";
import { type Json, nameIn, toJsonSchemas, withReferences } from "./json-schema.ts";

/** An API's schemas as JSON Schema, and the components that they refer to. */
interface Schemas {
  request(schema: z.ZodType): Json;
  response(schema: z.ZodType): Json;
  components: Record<string, Json>;
}

/**
 * Converts the schemas of requests and responses. If a component differs between requests and
 * responses, the component for requests has the suffix `Input`.
 */
export function convert(requests: readonly z.ZodType[], responses: readonly z.ZodType[]): Schemas {
  const input = toJsonSchemas(requests, "input");
  const output = toJsonSchemas(responses, "output");
  const differing = differingIds(input.components, output.components);
  const rename = (id: string) => (differing.has(id) ? `${id}Input` : id);
  const components = { ...output.components };
  for (const [id, schema] of Object.entries(input.components)) {
    components[rename(id)] = withReferences(schema, rename);
  }
  const finished = (schema: Json) => withMappings(schema, components);
  return {
    request: (schema) => finished(withReferences(input.schemas.get(schema), rename)),
    response: (schema) => finished(withReferences(output.schemas.get(schema))),
    components: Object.fromEntries(
      Object.keys(components)
        .sort()
        .map((id) => [id, finished(withReferences(components[id]))]),
    ),
  };
}

/**
 * The components that differ between requests and responses, directly or through their references.
 */
function differingIds(input: Record<string, Json>, output: Record<string, Json>): Set<string> {
  const shared = Object.entries(input).filter(([id]) => id in output);
  const differing = new Set<string>();
  let before: number;
  do {
    before = differing.size;
    for (const [id, schema] of shared) {
      const differs = JSON.stringify(schema) !== JSON.stringify(output[id]);
      if (differs || references(schema).some((name) => differing.has(name))) {
        differing.add(id);
      }
    }
  } while (differing.size > before);
  return differing;
}

function references(schema: Json): string[] {
  const names: string[] = [];
  JSON.stringify(schema, (key, value) => {
    if (key === "$ref") {
      names.push(nameIn(value));
    }
    return value;
  });
  return names;
}

const union = z.object({
  oneOf: z.array(z.object({ $ref: z.string() })),
  discriminator: z.object({ propertyName: z.string() }),
});
const tag = z.object({ enum: z.tuple([z.string()]) });

/** Adds the mapping from values to components to discriminators. */
function withMappings(schema: Json, components: Record<string, Json>): Json {
  return JSON.parse(JSON.stringify(schema), (_, value) => {
    const parsed = union.safeParse(value);
    if (!parsed.success) {
      return value;
    }
    const { propertyName } = parsed.data.discriminator;
    const mapping = Object.fromEntries(
      parsed.data.oneOf.map(({ $ref }) => [tagOf(nameIn($ref), propertyName, components), $ref]),
    );
    return { ...value, discriminator: { propertyName, mapping } };
  });
}

const variant = z.object({ properties: z.record(z.string(), z.unknown()) });

/** The discriminator value of a variant. Its schema may be a component itself. */
function tagOf(name: string, propertyName: string, components: Record<string, Json>): string {
  const property = variant.parse(components[name]).properties[propertyName];
  const reference = z.object({ $ref: z.string() }).safeParse(property);
  return tag.parse(reference.success ? components[nameIn(reference.data.$ref)] : property).enum[0];
}
