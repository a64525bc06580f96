import * as z from "zod";

/** The media types of a patch. JSON is treated as a merge patch (API contract, section 7). */
export const patchMediaTypes = ["application/merge-patch+json", "application/json"] as const;

type ObjectsOf<Value> = Value extends readonly unknown[]
  ? never
  : Value extends object
    ? Value
    : never;
type KeysOf<Value> = Value extends unknown ? keyof Value : never;
/** The values of a field in any member of a union; undefined if a member lacks the field. */
type FieldOf<Value, Name extends PropertyKey> = Value extends unknown
  ? Name extends keyof Value
    ? Value[Name]
    : undefined
  : never;
type PatchOf<Value> =
  | Exclude<Value, ObjectsOf<Value>>
  | ([ObjectsOf<Value>] extends [never] ? never : MergePatch<ObjectsOf<Value>>);

/**
 * A merge patch (RFC 7396) for a body of PUT: all its fields are optional, and so are those of
 * objects inside it. A field that PUT lets the caller omit can be null. The patch of a union has the
 * fields of all members, because a patch that changes the type clears the fields of the old type.
 */
export type MergePatch<Body extends object> = {
  [Name in KeysOf<Body>]?:
    | PatchOf<FieldOf<Body, Name>>
    | (undefined extends FieldOf<Body, Name> ? null : never)
    | undefined;
};

/**
 * The schema of a merge patch. It checks only that the patch is an object: the patched record is
 * validated like the body of PUT. The OpenAPI document derives the fields from that body. `Required`
 * is the type of the fields that a typed client must send.
 */
export const mergePatchOf = <Body extends z.ZodType, Required = unknown>(entity: string) =>
  z
    .preprocess(
      (patch: MergePatch<ObjectsOf<z.input<Body>>> & Required) => patch,
      z.record(z.string().max(255), z.unknown()),
    )
    .meta({ id: `${entity}Patch` });

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Applies a merge patch (RFC 7396, section 2). All names are treated as data, including
 * `__proto__`.
 * @param patch nested at most as deeply as a body may be
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) {
    return patch;
  }
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) {
      merged.delete(name);
    } else {
      merged.set(name, mergePatch(merged.get(name), value));
    }
  }
  return Object.fromEntries(merged);
}
