import * as z from "zod";
import { kinds } from "../database/tables/kinds.ts";
import { versionColumns } from "../database/tables/version-columns.ts";
import { type Json, nameIn } from "./json-schema.ts";
import { distinct } from "./patches.ts";

/** Columns that callers read under another name. */
const fieldNames: Readonly<Record<string, string>> = {
  address: "ip_address",
  chassis_subtype: "chassis_id",
  port_subtype: "port_id",
};

/** The components of records whose name is not that of their kind. */
const componentNames: Readonly<Record<string, string>> = { IPAddress: "HostIPAddress" };

const objectSchema = z.object({ properties: z.record(z.string(), z.looseObject({})) });
const unionSchema = z.object({ oneOf: z.array(z.object({ $ref: z.string() })) });

type Components = Readonly<Record<string, Json>>;

/** The keywords that {@link unionOf} merges. */
const textSchema = z.object({
  type: z.union([
    z.literal("string").transform(() => false),
    z.tuple([z.literal("string"), z.literal("null")]).transform(() => true),
  ]),
  enum: z.array(z.string()).optional(),
  format: z.string().optional(),
  maxLength: z.int().default(0),
});

/**
 * The schema of the fields of a change, for records of any kind. A field has its schema in the
 * record. If it differs between kinds, it accepts the values of all of them; it has no type if their
 * types differ, since some generators cannot name such a union.
 * @param components the components of the records
 */
export function changedFields(components: Components): Json {
  const fields = new Map<string, Json[]>();
  for (const [entity, kind] of Object.entries(kinds)) {
    const records = recordsIn(componentNames[entity] ?? entity, components);
    const columns = ["id", "created_at", "valid_from", ...versionColumns(kind)];
    for (const name of columns.map((column) => fieldNames[column] ?? column)) {
      const found = records.flatMap(({ properties: { [name]: field } }) => (field ? [field] : []));
      if (found.length > 0) {
        fields.set(name, [...(fields.get(name) ?? []), ...found]);
      }
    }
  }
  return {
    type: "object",
    properties: Object.fromEntries([...fields].map(([name, found]) => [name, unionOf(found)])),
    additionalProperties: false,
    description: "Fields of a record of any kind.",
  };
}

/** The schema of a record, or those of the members of its union. */
function recordsIn(name: string, components: Components): z.output<typeof objectSchema>[] {
  const union = unionSchema.safeParse(components[name]);
  return union.success
    ? union.data.oneOf.flatMap(({ $ref }) => recordsIn(nameIn($ref), components))
    : [objectSchema.parse(components[name])];
}

/** A schema that accepts the values of all of these, without a description. */
function unionOf(fields: readonly Json[]): Json {
  const plain = fields.map(({ description: _, ...field }) => field);
  const [first = {}, ...others] = distinct(plain);
  if (others.length === 0) {
    return first;
  }
  const texts = z.array(textSchema).safeParse([first, ...others]);
  if (!texts.success) {
    return {};
  }
  const enums = texts.data.map((text) => text.enum);
  const formats = new Set(texts.data.map(({ format }) => format));
  return {
    ...(formats.size === 1 && { format: first["format"] }),
    ...(enums.every((values) => values !== undefined)
      ? { enum: [...new Set(enums.flat())] }
      : { maxLength: Math.max(...texts.data.map(({ maxLength }) => maxLength)) }),
    type: texts.data.some(({ type }) => type) ? ["string", "null"] : "string",
  };
}
