import {
  type InventoryCollection,
  inventoryCollections,
  inventorySchemas,
} from "../../helpers/inventory.ts";
import { differenceOf, type Fault } from "../fault.ts";
import type { Version } from "../shown.ts";

/** Fields that no version is made of, or that are no columns (API contract, section 9). */
const unversioned = new Set([
  "id",
  "created_at",
  "updated_at",
  "last_seen_at",
  "first_discovery_id",
  "last_discovery_id",
  "valid_from",
  "valid_to",
  "lineage_id",
  "hidden",
  "position",
  "tags",
  "credential_assignments",
  "ip_addresses",
  "ports",
  "interfaces",
  "services",
  "bindings",
  "is_open",
]);

/** Columns that are not called as callers see them. */
const columnOf = (field: string) => (field === "ip_address" ? "address" : field);

/** The fields of records. The types of bindings have the same. */
const shapeOf = (schema: (typeof inventorySchemas)[InventoryCollection]) =>
  "shape" in schema ? schema.shape : schema.options[0].shape;

/** The columns that callers see, of which versions are made. */
const versionedColumns = Object.fromEntries(
  inventoryCollections.map((name) => [
    name,
    Object.keys(shapeOf(inventorySchemas[name]))
      .filter((field) => !unversioned.has(field) && !(name === "ports" && field === "type"))
      .map(columnOf),
  ]),
);

/** What callers see of a version. */
const shownOf = ({ collection, row }: Version) =>
  Object.fromEntries(versionedColumns[collection]?.map((name) => [name, row[name] ?? null]) ?? []);

const pathOf = ({ collection, live_id }: Version) => `${collection}/${live_id}`;

/**
 * A version begins when something changes that callers see, and ends where the next one begins; of
 * one record, no two hold at once, and each holds for some time.
 * @param versions all that began or ended lately
 */
export function judgeVersions(versions: readonly Version[]): Fault[] {
  const byRecord = Map.groupBy(versions, pathOf);
  return [...byRecord].flatMap(([path, own]) => {
    const inOrder = own.toSorted((one, other) => (one.valid_from < other.valid_from ? -1 : 1));
    return inOrder.flatMap((version, place) => {
      const next = inOrder[place + 1];
      const faults: Fault[] = [];
      const times = [version, next].map((one) => one && [one.valid_from, one.valid_to]);
      if (version.valid_to !== null && version.valid_to <= version.valid_from) {
        faults.push({ check: "version without duration", where: path, difference: times });
      }
      if (next && (version.valid_to === null || version.valid_to > next.valid_from)) {
        faults.push({ check: "versions overlap", where: path, difference: times });
      }
      if (next && version.valid_to === next.valid_from) {
        const [one, other] = [shownOf(version), shownOf(next)];
        if (differenceOf(one, other) === undefined) {
          const hidden = differenceOf(version.row, next.row);
          const difference = { times, hidden };
          faults.push({ check: "version without a change", where: path, difference });
        }
      }
      return faults;
    });
  });
}

/** Every instant at which something began or ended. */
export const boundariesOf = (versions: readonly Version[]): string[] =>
  versions.flatMap(({ valid_from, valid_to }) =>
    valid_to === null ? [valid_from] : [valid_from, valid_to],
  );
