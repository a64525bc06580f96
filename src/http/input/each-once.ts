import type * as z from "zod";

/** What tells the records of a list apart, and the field at which an issue says so. */
export interface ListKey<Member> {
  /** The key of a member; undefined where it has none. */
  of(member: Member): string | undefined;
  field: string;
  message: string;
}

/** What tells records apart that callers give ids. */
export const idKey: ListKey<{ id?: string | undefined }> = {
  of: ({ id }) => id,
  field: "id",
  message: "is the id of another record of this request: give each its own",
};

/** A check of a list: no two members share a key. Gives an issue for every member that repeats one. */
export const eachOnce =
  <Member>(...keys: readonly ListKey<Member>[]) =>
  ({ value, issues }: z.core.ParsePayload<Member[]>): void => {
    for (const { of, field, message } of keys) {
      const seen = new Set<string>();
      for (const [position, member] of value.entries()) {
        const key = of(member);
        if (key !== undefined && seen.has(key)) {
          // `continue`: a caller gets the issues of the whole body at once.
          issues.push({
            code: "custom",
            input: value,
            path: [position, field],
            message,
            continue: true,
          });
        }
        seen.add(key ?? "");
      }
    }
  };
