import type * as z from "zod";

/** A key that must be different for every member of a list. */
export interface ListKey<Member> {
  /** The key of a member; undefined if the member does not have one. */
  of(member: Member): string | undefined;
  /** The field named in the issue's path; by default, the member itself. */
  field?: string | undefined;
  message: string;
}

const repeatedId = "is used by another record of this request: give each record its own id";

/** Requires all ids chosen by the caller to be different. */
export const idKey: ListKey<{ id?: string | undefined }> = {
  of: ({ id }) => id,
  field: "id",
  message: repeatedId,
};

/** The `params` of an issue about a duplicate member. */
export const repeated = { isRepeated: true } as const;

type Issues<Value> = z.core.ParsePayload<Value>["issues"];

/**
 * Adds an issue. With `continue`, the remaining checks still run, so that the caller receives all
 * issues at once.
 */
const addIssue = <Value>(
  issues: Issues<Value>,
  issue: { input: Value; path: PropertyKey[]; message: string; params?: typeof repeated },
) => issues.push({ ...issue, code: "custom", continue: true });

/** Checks that no two members of a list share a key. Adds an issue for each duplicate. */
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

/** An id that the caller chose for a child of a record. */
export interface ChildId {
  /** The kind of child. Ids need to be unique only within a kind. */
  kind: string;
  id: string;
  /** Its path in the record, such as `ports`, 0, `id`. */
  path: readonly PropertyKey[];
}

/**
 * Checks that no two members of a list have children with the same id. {@link eachOnce} checks the
 * children of one member.
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
