import type * as z from "zod";

/** A check for Zod: records of a list that carry an id carry each their own. */
export const ownIds = ({
  value,
  issues,
}: z.core.ParsePayload<readonly { id?: string | undefined }[]>): void => {
  const seen = new Set<string>();
  for (const [position, { id }] of value.entries()) {
    if (id !== undefined && seen.has(id)) {
      issues.push({
        code: "custom",
        input: value,
        path: [position, "id"],
        message: "is the id of another record of this request: give each its own",
      });
    }
    seen.add(id ?? "");
  }
};
