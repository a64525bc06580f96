import {
  type InventoryCollection,
  inventoryCollections,
  inventorySchemas,
} from "../../helpers/inventory.ts";
import { differenceOf, type Fault } from "../fault.ts";
import type { Version } from "../state.ts";

/**
 * Fields whose changes do not start a version, or that are not columns (API contract, section 9).
 */
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
  "neighbors",
  "read_at",
  "services",
  "bindings",
  "is_open",
  "label",
]);

/** The columns of a field. A neighbor's ids have two columns each. */
const columnsOf = (collection: InventoryCollection, field: string): string[] => {
  if (collection === "neighbors" && ["chassis_id", "port_id"].includes(field)) {
    return ["subtype", "value"].map((part) => field.replace("id", part));
  }
  return [field === "ip_address" ? "address" : field];
};

/** The fields of a collection's records. Both types of bindings have the same fields. */
const shapeOf = (schema: (typeof inventorySchemas)[InventoryCollection]) =>
  "shape" in schema ? schema.shape : schema.options[0].shape;

/** The visible columns whose changes start a version. */
const versionedColumns = Object.fromEntries(
  inventoryCollections.map((name) => [
    name,
    Object.keys(shapeOf(inventorySchemas[name]))
      .filter((field) => !unversioned.has(field) && !(name === "ports" && field === "type"))
      .filter((field) => !(name === "bindings" && field === "host_id"))
      .flatMap((field) => columnsOf(name, field)),
  ]),
);

/** The visible part of a version. */
const visibleOf = ({ collection, row }: Version) =>
  Object.fromEntries(versionedColumns[collection]?.map((name) => [name, row[name] ?? null]) ?? []);

const pathOf = ({ collection, live_id }: Version) => `${collection}/${live_id}`;

/**
 * A version begins when a visible field changes, and ends where the next one begins. The versions
 * of one record do not overlap, and none is zero-length.
 * @param versions all versions that began or ended recently
 */
export function judgeVersions(versions: readonly Version[]): Fault[] {
  const byRecord = Map.groupBy(versions, pathOf);
  return [...byRecord].flatMap(([path, own]) => {
    const inOrder = own.toSorted((one, other) => (one.valid_from < other.valid_from ? -1 : 1));
    return inOrder.flatMap((version, index) => {
      const next = inOrder[index + 1];
      const faults: Fault[] = [];
      const times = [version, next].map((one) => one && [one.valid_from, one.valid_to]);
      if (version.valid_to !== null && version.valid_to <= version.valid_from) {
        faults.push({ check: "zero-length version", where: path, difference: times });
      }
      if (next && (version.valid_to === null || version.valid_to > next.valid_from)) {
        faults.push({ check: "versions overlap", where: path, difference: times });
      }
      if (next && version.valid_to === next.valid_from) {
        const [one, other] = [visibleOf(version), visibleOf(next)];
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

/** Every instant at which a version began or ended. */
export const boundariesOf = (versions: readonly Version[]): string[] =>
  versions.flatMap(({ valid_from, valid_to }) =>
    valid_to === null ? [valid_from] : [valid_from, valid_to],
  );
