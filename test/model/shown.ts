import type * as z from "zod";
import type { Credential } from "../../src/credentials/model.ts";
import type { Network } from "../../src/networks/model.ts";
import type { Tag } from "../../src/tags/model.ts";
import type { InventoryCollection, inventorySchemas } from "../helpers/inventory.ts";

/** What the lists of the inventory show, in their order. */
export type Inventory = {
  [Name in InventoryCollection]: readonly z.output<(typeof inventorySchemas)[Name]>[];
};
export type Host = Inventory["hosts"][number];
export type Service = Inventory["services"][number];
export type Binding = Inventory["bindings"][number];
export type Address = Inventory["ip-addresses"][number];
export type Port = Inventory["ports"][number];
export type Interface = Inventory["interfaces"][number];
export type Subnet = Inventory["subnets"][number];

/** The records that an inventory refers to. */
export interface Others {
  networks: readonly Network[];
  tags: readonly Tag[];
  credentials: readonly Credential[];
}

/** A record as it was read when nobody wrote. */
export interface Seen {
  /** Such as `hosts`. */
  collection: keyof Inventory | keyof Others;
  body: Readonly<Record<string, unknown>> & { id: string; updated_at: string };
  etag: string;
  /** What its ETag stands for: all but when, and by what, it was seen last, and whether it is open. */
  meaning: string;
}

/** All that an organization shows when nobody writes. */
export interface State {
  /** An instant at which it was so, after all changes of it. */
  at: string;
  inventory: Inventory;
  others: Others;
  /** Every record, by its path below `/api/v1/`. */
  seen: ReadonlyMap<string, Seen>;
  /** The versions that began or ended since the state before. */
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

/** To be seen again is no change (API contract, section 10). */
const seenAgain = ["last_seen_at", "last_discovery_id"];

/** What no ETag stands for: whether something is open is what bindings say. */
const untagged = [...seenAgain, "is_open"];
const untaggedText = new RegExp(`"(${untagged.join("|")})":("[^"]*"|null|true|false),?`, "g");

/** What the ETag of a record stands for, as one text that is no longer JSON but tells all. */
export const meaningOf = (body: unknown): string =>
  JSON.stringify(body).replaceAll(untaggedText, "");

/** The same as an object, to be compared field by field. */
export const meantBy = ({ body }: Pick<Seen, "body">): unknown =>
  JSON.parse(JSON.stringify(body, (name, value) => (untagged.includes(name) ? undefined : value)));

/** What no version tells, or tells differently once it is closed (API contract, section 9). */
const untold = new Set([
  ...seenAgain,
  "first_discovery_id",
  "updated_at",
  "valid_to",
  "lineage_id",
  "hidden",
  "position",
  "credential_assignments",
]);

/** A list of records as they are at an instant, closed since or not: a text of each, by its live id. */
export type Told = ReadonlyMap<string, string>;

/** What a list at an instant tells, in whatever order. */
export const toldOf = (records: readonly object[]): Told =>
  new Map(
    records.map((record) => {
      const told = tell(record);
      return [String(Object(told).id), JSON.stringify(told)];
    }),
  );

function tell(value: unknown): unknown {
  if (Array.isArray(value)) {
    // Positions order children, and are no part of a version.
    return value.map(tell).sort((one, other) => (textOf(one) < textOf(other) ? -1 : 1));
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  const record: Record<string, unknown> = { ...value };
  const id = record["lineage_id"] ?? record["id"];
  return Object.fromEntries(
    Object.entries(record)
      .filter(([name]) => !untold.has(name))
      .map(([name, one]) => [name, name === "id" ? id : tell(one)]),
  );
}

const textOf = (value: unknown): string => JSON.stringify(value) ?? "";
