import type { Change, Difference } from "../../src/changes/model.ts";
import type { InventoryCollection } from "../helpers/inventory.ts";

/** The collection of each kind of record. */
const collections = {
  Binding: "bindings",
  Host: "hosts",
  IPAddress: "ip-addresses",
  Interface: "interfaces",
  Neighbor: "neighbors",
  Port: "ports",
  Service: "services",
  Subnet: "subnets",
} as const satisfies Record<Change["entity"], InventoryCollection>;

export type Fields = NonNullable<Change["after"]>;

/** All records at an instant, by {@link pathOf}. */
export type State = ReadonlyMap<string, Fields>;

/** The path of a change's record, below `/api/v1/`. */
export const pathOf = ({ entity, entity_id }: Pick<Change, "entity" | "entity_id">): string =>
  `${collections[entity]}/${entity_id}`;

/**
 * Applies changes to a state. Each change contains the whole record before and after.
 * @returns the new state, and the changes whose `before` does not match the state
 */
export function replay(before: State, changes: readonly Change[]) {
  const state = new Map(before);
  const misfits: { change: Change; found: Fields | null }[] = [];
  for (const change of changes) {
    const path = pathOf(change);
    const found = state.get(path) ?? null;
    if (JSON.stringify(found) !== JSON.stringify(change.before)) {
      misfits.push({ change, found });
    }
    if (change.after) {
      state.set(path, change.after);
    } else {
      state.delete(path);
    }
  }
  return { state, misfits };
}

/**
 * Orders differences as the API does: records without a host come last, and text is ordered by
 * bytes.
 */
export function inOrder(one: Difference, other: Difference): number {
  const places = [one, other].map((item) => [
    item.network_id,
    item.host_id ?? "~",
    item.entity,
    item.label,
    item.entity_id,
  ]);
  const [first = [], second = []] = places;
  const at = first.findIndex((text, index) => text !== second[index]);
  return at === -1 ? 0 : (first[at] ?? "") < (second[at] ?? "") ? -1 : 1;
}

/** A record as text, without the fields that identify its version. */
const textOf = (record: Fields | null): string => {
  const { created_at: _, valid_from: __, ...rest } = record ?? {};
  return JSON.stringify(rest);
};

/**
 * The differences between two states by record, given the changes that led from one to the other.
 */
export function differencesOf(before: State, after: State, changes: readonly Change[]) {
  const found = new Map<string, Pick<Difference, "at" | "change" | "before" | "after">>();
  for (const [path, own] of Map.groupBy(changes, pathOf)) {
    const [earlier, later] = [before.get(path) ?? null, after.get(path) ?? null];
    const creation = own.findLast(({ change }) => change === "created" || change === "returned");
    const added = creation?.change === "returned" ? "returned" : "added";
    const change = later === null ? "removed" : earlier === null ? added : "changed";
    if (textOf(earlier) !== textOf(later)) {
      found.set(path, { at: own.at(-1)?.at ?? "", change, before: earlier, after: later });
    }
  }
  return found;
}
