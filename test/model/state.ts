import type * as z from "zod";
import type { Credential } from "../../src/credentials/model.ts";
import type { Network } from "../../src/networks/model.ts";
import type { Tag } from "../../src/tags/model.ts";
import type { InventoryCollection, inventorySchemas } from "../helpers/inventory.ts";

/** The records of each inventory list, in list order. */
export type Inventory = {
  [Name in InventoryCollection]: readonly z.output<(typeof inventorySchemas)[Name]>[];
};
export type Host = Inventory["hosts"][number];
export type Service = Inventory["services"][number];
export type Binding = Inventory["bindings"][number];
export type Address = Inventory["ip-addresses"][number];
export type Port = Inventory["ports"][number];
export type Interface = Inventory["interfaces"][number];
export type Neighbor = Inventory["neighbors"][number];
export type Subnet = Inventory["subnets"][number];

/** The records to which an inventory refers. */
export interface Others {
  networks: readonly Network[];
  tags: readonly Tag[];
  credentials: readonly Credential[];
}

/** A record, read without concurrent writers. */
export interface Seen {
  /** Such as `hosts`. */
  collection: keyof Inventory | keyof Others;
  body: Readonly<Record<string, unknown>> & { id: string; updated_at: string };
  etag: string;
  /**
   * The part of the record that its ETag covers: everything except the last sighting, `is_open` and
   * `label`.
   */
  meaning: string;
}

/** All records of an organization, read without concurrent writers. */
export interface State {
  /** An instant after all changes, at which the organization had this state. */
  at: string;
  inventory: Inventory;
  others: Others;
  /** Every record, by its path below `/api/v1/`. */
  seen: ReadonlyMap<string, Seen>;
  /** The versions that began or ended since the previous state. */
  versions: readonly Version[];
}

/** A version of a record, as it is stored. */
export interface Version {
  collection: keyof Inventory;
  id: string;
  live_id: string;
  valid_from: string;
  valid_to: string | null;
  row: Readonly<Record<string, unknown>>;
}

/** Fields that a sighting updates without starting a version (API contract, section 10). */
const seenAgain = ["last_seen_at", "last_discovery_id", "read_at"];

/**
 * Fields that no ETag covers. `is_open` is derived from bindings. The `label` of a binding, and the
 * `host_id` before it, are derived from its service, port and address; the `parent_id` and the
 * `utilization` of a subnet, from other subnets and from its addresses.
 */
const untagged = [...seenAgain, "is_open", "label", "parent_id", "utilization"];
const untaggedText = new RegExp(
  `"host_id":"[^"]*",(?="label")|"(${untagged.join("|")})":("[^"]*"|null|true|false|{[^{}]*}),?`,
  "g",
);

/**
 * The part of a record that its ETag covers, as a string. It is not valid JSON, but equal strings
 * mean equal records.
 */
export const meaningOf = (body: unknown): string =>
  JSON.stringify(body).replaceAll(untaggedText, "");

/** The same part as an object, so that fields can be compared. */
export const meantBy = ({ body }: Pick<Seen, "body">): unknown => {
  const isDerived = "label" in body;
  return JSON.parse(
    JSON.stringify(body, (name, value) =>
      untagged.includes(name) || (isDerived && name === "host_id") ? undefined : value,
    ),
  );
};

/** Fields that a version lacks, or that differ once it is closed (API contract, section 9). */
const unversioned = new Set([
  ...seenAgain,
  "first_discovery_id",
  "updated_at",
  "valid_to",
  "lineage_id",
  "hidden",
  "position",
  "credential_assignments",
  // Sightings have no history.
  "utilization",
]);

/**
 * The records at an instant, as strings by live id. The string is the same whether or not the
 * version has since been closed.
 */
export type Snapshot = ReadonlyMap<string, string>;

/** A comparable form of a list at an instant, independent of the list's order. */
export const snapshotOf = (records: readonly object[]): Snapshot =>
  new Map(
    records.map((record) => {
      const comparable = comparableOf(record);
      return [String(Object(comparable).id), JSON.stringify(comparable)];
    }),
  );

function comparableOf(value: unknown): unknown {
  if (Array.isArray(value)) {
    // Positions determine the order of children, but are not part of a version.
    return value.map(comparableOf).sort((one, other) => (textOf(one) < textOf(other) ? -1 : 1));
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  const record: Record<string, unknown> = { ...value };
  const id = record["lineage_id"] ?? record["id"];
  return Object.fromEntries(
    Object.entries(record)
      .filter(([name]) => !unversioned.has(name))
      .map(([name, one]) => [name, name === "id" ? id : comparableOf(one)]),
  );
}

const textOf = (value: unknown): string => JSON.stringify(value) ?? "";
