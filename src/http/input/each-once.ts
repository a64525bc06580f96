import type * as z from "zod";

/** What tells the members of a list apart. */
export interface ListKey<Member> {
  /** The key of a member; undefined where it has none. */
  of(member: Member): string | undefined;
  /** The field at which an issue says so; the member itself without one. */
  field?: string | undefined;
  message: string;
}

const repeatedId = "is the id of another record of this request: give each its own";

/** Tells records apart by the ids that callers give them. */
export const idKey: ListKey<{ id?: string | undefined }> = {
  of: ({ id }) => id,
  field: "id",
  message: repeatedId,
};

/** The `params` of an issue about a member of a list that another one equals. */
export const repeated = { isRepeated: true } as const;

type Issues<Value> = z.core.ParsePayload<Value>["issues"];

/** `continue`: a caller gets the issues of the whole body at once. */
const addIssue = <Value>(
  issues: Issues<Value>,
  issue: { input: Value; path: PropertyKey[]; message: string; params?: typeof repeated },
) => issues.push({ ...issue, code: "custom", continue: true });

/** A check of a list: no two members share a key. Gives an issue for every member that repeats one. */
export const eachOnce =
  <Member>(...keys: readonly ListKey<Member>[]) =>
  ({ value, issues }: z.core.ParsePayload<Member[]>): void => {
    for (const { of, field, message } of keys) {
      const seen = new Set<string>();
      for (const [position, member] of value.entries()) {
        const key = of(member);
        if (key !== undefined && seen.has(key)) {
          const path = field === undefined ? [position] : [position, field];
          addIssue(issues, { input: value, path, message, params: repeated });
        }
        seen.add(key ?? "");
      }
    }
  };

/** An id that a caller gave to what a record carries. */
export interface ChildId {
  /** Of what kind of record it is: ids must differ within a kind only. */
  kind: string;
  id: string;
  /** Where it stands in the record: `ports`, 0, `id`. */
  path: readonly PropertyKey[];
}

/**
 * A check of a list: no two members carry something with the same id. Within a member {@link
 * eachOnce} sees to that.
 */
export const eachWithOwnChildren =
  <Member>(childIdsOf: (member: Member) => readonly ChildId[]) =>
  ({ value, issues }: z.core.ParsePayload<Member[]>): void => {
    const owners = new Map<string, number>();
    for (const [position, member] of value.entries()) {
      for (const { kind, id, path } of childIdsOf(member)) {
        const key = `${kind}/${id}`;
        const owner = owners.get(key) ?? position;
        if (owner !== position) {
          addIssue(issues, { input: value, path: [position, ...path], message: repeatedId });
        }
        owners.set(key, owner);
      }
    }
  };
