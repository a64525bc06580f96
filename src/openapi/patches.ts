import * as z from "zod";
import { type Json, nameIn, withReferences } from "./json-schema.ts";

const objectSchema = z.looseObject({
  type: z.literal("object"),
  properties: z.record(z.string(), z.looseObject({})),
  required: z.array(z.string()).default([]),
});
type ObjectSchema = z.output<typeof objectSchema>;

const referenceSchema = z.looseObject({ $ref: z.string() });
const unionSchema = z.looseObject({ oneOf: z.array(z.looseObject({})) });
const nullableUnionSchema = z.looseObject({
  anyOf: z.tuple([z.looseObject({}), z.strictObject({ type: z.literal("null") })]),
});
const nullableTypeSchema = z.looseObject({ type: z.tuple([z.string(), z.literal("null")]) });
const enumSchema = z.looseObject({ type: z.literal("string"), enum: z.array(z.string()) });

/** A schema without its default, and without null. */
interface Stripped {
  /** The schema with null, if it is nullable. */
  whole: Json;
  /** The schema without null; undefined if null is the only value. */
  schema: Json | undefined;
  isNullable: boolean;
}

/**
 * The schemas of merge patches (RFC 7396), derived from the bodies of PUT. All fields are optional,
 * and so are those of objects inside the body; arrays are replaced, so their members stay complete.
 * A field can be null if PUT lets the caller omit it. No field has a default, because an omitted
 * field does not change. The patch of a union has the fields of all members, because a patch that
 * changes the type clears the fields of the old type.
 */
export class Patches {
  /** The components that the patches consist of, by name. */
  readonly components: Record<string, Json> = {};
  readonly #bodies: Readonly<Record<string, Json>>;

  /** @param bodies the components that the bodies of PUT refer to */
  constructor(bodies: Readonly<Record<string, Json>>) {
    this.#bodies = bodies;
  }

  /**
   * Adds the patch of a body as a component, and returns a reference to it.
   * @throws {Error} if the body is never an object, or if two different patches have the same name
   */
  of(name: string, body: Json): Json {
    const patch = this.#merged(this.#objectsIn(body));
    if (patch === undefined) {
      throw new Error(`The body for ${name} is not an object.`);
    }
    return this.#component(name, {
      ...patch,
      description:
        "The fields to change (RFC 7396): omitted fields stay unchanged, null clears, objects are merged, arrays are replaced. Unknown fields are errors.",
    });
  }

  /**
   * Adds the patch of a body in a list of patches: the `id` of the record is required.
   * @throws {Error} see {@link of}
   */
  withId(name: string, body: Json): Json {
    const objects = this.#objectsIn(body);
    const patch = objectSchema.safeParse(this.#merged(objects));
    const id = objects[0]?.properties["id"];
    if (!patch.success || id === undefined) {
      throw new Error(`The body for ${name} is not an object with an id.`);
    }
    return this.#component(name, {
      ...patch.data,
      properties: { ...patch.data.properties, id: withoutNull(id).schema ?? id },
      required: ["id"],
      description:
        "The id of a record, and the fields to change (RFC 7396): omitted fields stay unchanged, null clears, objects are merged, arrays are replaced. Unknown fields are errors.",
    });
  }

  #component(name: string, schema: Json): Json {
    const known = this.components[name] ?? this.#bodies[name];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`Two different schemas would be named ${name}.`);
    }
    this.components[name] = schema;
    return { $ref: `#/components/schemas/${name}` };
  }

  /** The object schemas among a schema and the members of its union. */
  #objectsIn(schema: Json): ObjectSchema[] {
    const resolved = this.#resolved(schema);
    const union = unionSchema.safeParse(resolved);
    if (union.success) {
      return union.data.oneOf.flatMap((member) => this.#objectsIn(member));
    }
    const object = objectSchema.safeParse(resolved);
    return object.success ? [object.data] : [];
  }

  #resolved(schema: Json): Json {
    const reference = referenceSchema.safeParse(schema);
    return reference.success ? (this.#bodies[nameIn(reference.data.$ref)] ?? schema) : schema;
  }

  /** The patch of an object, or of a union of objects; undefined if there are none. */
  #merged(objects: readonly ObjectSchema[]): Json | undefined {
    if (objects.length === 0) {
      return undefined;
    }
    const names = new Set(objects.flatMap(({ properties }) => Object.keys(properties)));
    const properties = [...names].map((name) => [
      name,
      this.#field(
        objects.map(({ properties }) => properties[name]).filter((field) => field !== undefined),
        !objects.every(({ required }) => required.includes(name)),
      ),
    ]);
    return {
      type: "object",
      properties: Object.fromEntries(properties),
      additionalProperties: false,
    };
  }

  /** @param schemas the schemas of a field in the members of a union */
  #field(schemas: readonly Json[], mayBeOmitted: boolean): Json {
    const stripped = schemas.map(withoutNull);
    const [first] = stripped;
    const areEqual = distinct(stripped.map(({ whole }) => whole)).length === 1;
    if (first?.schema && first.isNullable && areEqual) {
      const value = this.#value(first.schema);
      return value === first.schema ? first.whole : withNull(value);
    }
    if (first && stripped.every(({ schema }) => schema === undefined)) {
      return first.whole;
    }
    const isNullable = mayBeOmitted || stripped.some((one) => one.isNullable);
    const values = stripped.flatMap(({ schema }) => (schema ? [this.#value(schema)] : []));
    const finished = (value: Json) => (isNullable ? withNull(value) : value);
    const [only = {}, ...others] = distinct(values.map(finished));
    return others.length === 0 ? only : finished(this.#unionOf(distinct(values)));
  }

  /** The union of enumerations, such as of the types of a union's members, or of other schemas. */
  #unionOf(schemas: readonly Json[]): Json {
    const enums = z.array(enumSchema).safeParse(schemas.map((schema) => this.#resolved(schema)));
    return enums.success
      ? { type: "string", enum: [...new Set(enums.data.flatMap((one) => one.enum))] }
      : { anyOf: schemas };
  }

  /** The patch of a value: an object is merged, any other value is replaced. */
  #value(schema: Json): Json {
    const patch = this.#merged(this.#objectsIn(schema));
    if (patch === undefined) {
      return schema;
    }
    const reference = referenceSchema.safeParse(schema);
    if (!reference.success) {
      return {
        ...patch,
        ...(schema["description"] !== undefined && { description: schema["description"] }),
      };
    }
    const { description } = this.#resolved(schema);
    return this.#component(`${nameIn(reference.data.$ref).replace(/Input$/, "")}Patch`, {
      ...patch,
      ...(description !== undefined && { description }),
    });
  }
}

/** The schemas that differ, regardless of the order of their keywords. */
export const distinct = (schemas: readonly Json[]): Json[] => [
  ...new Map(
    schemas.map((schema) => [JSON.stringify(Object.entries(schema).sort()), schema]),
  ).values(),
];

/** Removes null and the default from a schema. */
function withoutNull({ default: _, ...whole }: Json): Stripped {
  const union = nullableUnionSchema.safeParse(whole);
  if (union.success) {
    const { anyOf, ...own } = union.data;
    return { whole, schema: { ...anyOf[0], ...own }, isNullable: true };
  }
  const nullable = nullableTypeSchema.safeParse(whole);
  if (!nullable.success) {
    return { whole, schema: whole, isNullable: false };
  }
  const [type] = nullable.data.type;
  // The document describes a value that is always null as a string without characters, or null.
  const schema = whole["maxLength"] === 0 ? undefined : { ...whole, type };
  return { whole, schema, isNullable: true };
}

/** A schema that also accepts null. A schema without a type accepts every value already. */
function withNull(schema: Json): Json {
  if (!("$ref" in schema || "type" in schema || "anyOf" in schema)) {
    return schema;
  }
  const { description, ...value } = schema;
  return withReferences({
    ...(description !== undefined && { description }),
    anyOf: [value, { type: "null" }],
  });
}
