import * as z from "zod";

/** The media types of a patch. JSON is treated as a merge patch (API contract, section 7). */
export const patchMediaTypes = ["application/merge-patch+json", "application/json"] as const;

/** A patch for a record: any of the fields that its PUT accepts. */
export const mergePatchSchema = z.record(z.string().max(255), z.unknown()).meta({
  id: "MergePatch",
  description:
    "The fields to change (RFC 7396): omitted fields stay unchanged, null clears, objects are merged, arrays are replaced.",
});

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
