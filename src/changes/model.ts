import * as z from "zod";
import { rfc3339 } from "../database/tables/columns.ts";
import {
  type actorTypes,
  changeEntities,
  changeKinds,
  recordSources,
} from "../database/tables/index.ts";
import { id } from "../http/input/id.ts";
import { maximumInteger } from "../http/input/integer.ts";
import { timestamp } from "../http/input/timestamp.ts";
import { actorSchema } from "../http/verbs/actor.ts";
import { sourceSchema, toSource } from "../http/verbs/record.ts";

/** What can become of a record between two instants. */
export const differenceKinds = ["added", "removed", "changed", "returned"] as const;

/** What a field of a record holds: a value, ids, or an object such as `source`. */
type FieldValue =
  | string
  | number
  | string[]
  | { [field: string]: string | Record<string, never>[] | { [detail: string]: string | null } }
  | null;

/**
 * Fields of a record, by their names. What each holds is what the schema of the record says: some generators
 * cannot name a choice of these forms.
 */
const fields = z.record(z.string().max(64), z.custom<FieldValue>()).nullable();

/** A change of the inventory as callers see it (API contract, section 11). */
export const changeSchema = z
  .object({
    id: z
      .string()
      .max(128)
      .meta({ description: "Opaque and stable: a change has the same id whenever it is read." }),
    at: timestamp.meta({
      description: "The instant of its transaction, which all its changes share.",
    }),
    change: z.enum(changeKinds),
    entity: z.enum(changeEntities),
    entity_id: id,
    host_id: id.nullable().meta({
      description: "The host that it is or belonged to then; null for subnets.",
    }),
    network_id: id,
    label: z.string().max(400).meta({
      description: "What a person calls it, such as a host's name or `443/Tcp`.",
    }),
    changed: z
      .array(z.string().max(64))
      .max(64)
      .meta({ description: "The fields that differ from before. Empty unless it was updated." }),
    before: fields.meta({
      description:
        "The changed fields as they were, or the whole record with `include=records`; null where there was none.",
    }),
    after: fields.meta({
      description:
        "The changed fields as they became, or the whole record with `include=records`; null where there is none.",
    }),
    source: sourceSchema,
    discovery_id: id.nullable().meta({
      description: "The scan or the import that found it; null for a request.",
    }),
    actor: actorSchema,
    request_id: z.string().max(64).nullable(),
  })
  .meta({ id: "InventoryChange", description: "What became of a record of the inventory." });
export type Change = z.output<typeof changeSchema>;

/** What became of a record between two instants (API contract, section 11). */
export const differenceSchema = changeSchema
  .extend({
    change: z.enum(differenceKinds),
    at: timestamp.meta({ description: "When it changed last." }),
    before: fields.meta({
      description:
        "The changed fields as they were at `from`, or the whole record with `include=records`; null where there was none.",
    }),
    after: fields.meta({
      description:
        "The changed fields as they were at `to`, or the whole record with `include=records`; null where there was none.",
    }),
  })
  .meta({
    id: "InventoryDifference",
    description: "What became of a record of the inventory between two instants.",
  });
export type Difference = z.output<typeof differenceSchema>;

const count = z.int().min(0).max(maximumInteger);

const countsSchema = z
  .object(
    Object.fromEntries(differenceKinds.map((kind) => [kind, count])) as Record<
      (typeof differenceKinds)[number],
      typeof count
    >,
  )
  .meta({ id: "DifferenceCounts", description: "How many records of a kind differ, and how." });

/** All that differs between two instants, by pages. */
export const diffSchema = z
  .object({
    from: timestamp.meta({ description: "The instant that is compared with." }),
    to: timestamp.meta({
      description: "Up to which instant changes are shown: what was asked for, or what is settled.",
    }),
    counts: z
      .object(
        Object.fromEntries(changeEntities.map((entity) => [entity, countsSchema])) as Record<
          (typeof changeEntities)[number],
          typeof countsSchema
        >,
      )
      .meta({ id: "DifferencesByKind", description: "How many records differ, over all pages." }),
    items: z.array(differenceSchema).max(maximumInteger),
  })
  .meta({ id: "Diff", description: "What differs between two instants." });
export type Diff = z.output<typeof diffSchema>;

/** How a record changes, by who changes it. */
const sources = {
  key: "Manual",
  daemon: "Discovery",
  import: "Import",
  system: "System",
} as const satisfies Record<(typeof actorTypes)[number], (typeof recordSources)[number]>;

type Fields = Readonly<Record<string, FieldValue>>;

/** Fields with their `source` as records have it: the database names its type alone. */
const withSource = (fields: Fields | null): Fields | null => {
  const source = z.object({ type: z.enum(recordSources) }).safeParse(fields?.["source"]);
  return source.success ? { ...fields, source: toSource(source.data.type) } : fields;
};

/** A change as `app.changes` has it, or as `app.diff` has a difference. */
export interface ChangeRow<Kind = (typeof changeKinds)[number]> extends Record<string, unknown> {
  at: string;
  entity: (typeof changeEntities)[number];
  entity_id: string;
  host_id: string | null;
  network_id: string;
  label: string;
  change: Kind;
  before: Fields | null;
  after: Fields | null;
  actor_type: (typeof actorTypes)[number] | null;
  actor_id: string | null;
  actor_name: string | null;
  request_id: string | null;
  discovery_id: string | null;
}

/** What says of a record which version it is, and so differs between any two. */
const ofVersion: readonly string[] = ["valid_from"];

const changedFields = (before: Fields, after: Fields): string[] =>
  Object.keys(after).filter(
    (name) =>
      !ofVersion.includes(name) && JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );

const only = (names: readonly string[], record: Fields) =>
  Object.fromEntries(names.map((name) => [name, record[name] ?? null]));

/** A whole record: its times are in the form of every response. */
const whole = (record: Fields | null) =>
  record && {
    ...record,
    created_at: rfc3339(String(record["created_at"])),
    valid_from: rfc3339(String(record["valid_from"])),
  };

/** What tells the change of a record from all others, in a form that says nothing. */
const idOf = ({ at, entity, entity_id }: ChangeRow<unknown>): string =>
  btoa(`${Date.parse(at).toString(36)} ${entity} ${entity_id.replaceAll("-", "")}`)
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

/**
 * A change, or a difference, as callers see it.
 * @param isWhole whether it has whole records
 */
export function toChange<Kind>(
  row: ChangeRow<Kind>,
  isWhole: boolean,
): Omit<Change, "change"> & { change: Kind } {
  const { at, change, entity, entity_id, host_id, network_id, label } = row;
  const [before, after] = [withSource(row.before), withSource(row.after)];
  const type = row.actor_type ?? "system";
  const changed = before && after ? changedFields(before, after) : [];
  return {
    id: idOf(row),
    at,
    change,
    entity,
    entity_id,
    host_id,
    network_id,
    label,
    changed,
    before: isWhole ? whole(before) : before && after && only(changed, before),
    after: isWhole ? whole(after) : before && after && only(changed, after),
    source: toSource(sources[type]),
    discovery_id: row.discovery_id,
    actor: { type, id: row.actor_id, name: row.actor_name },
    request_id: row.request_id,
  };
}
