import * as z from "zod";

/** The media types of a patch: its own, and JSON, which is taken as the same (API contract, section 7). */
export const patchMediaTypes = ["application/merge-patch+json", "application/json"] as const;

/** A patch of a record: any fields that its PUT takes. */
export const mergePatchSchema = z.record(z.string().max(255), z.unknown()).meta({
  id: "MergePatch",
  description:
    "The fields to change (RFC 7396): what is left out stays, null clears, objects are merged, lists are replaced whole.",
});

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * What a patch makes of a value (RFC 7396, section 2). Names are data here, `__proto__` too.
 * @param patch no deeper than a body may be
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
