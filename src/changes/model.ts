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

/** The kinds of net change to a record between two instants. */
export const differenceKinds = ["added", "removed", "changed", "returned"] as const;

/** The value of a record's field: a scalar, ids, or an object such as `source`. */
type FieldValue =
  | string
  | number
  | string[]
  | { [field: string]: string | Record<string, never>[] | { [detail: string]: string | null } }
  | null;

/** A record's fields by name. The OpenAPI document types them: see openapi/changed-fields.ts. */
const fields = z.custom<Record<string, FieldValue>>().meta({ id: "ChangedFields" }).nullable();

/** A change to the inventory (API contract, section 11). */
export const changeSchema = z
  .object({
    id: z
      .string()
      .max(128)
      .meta({ description: "Opaque and stable: a change has the same id each time it is read." }),
    at: timestamp.meta({
      description: "The instant of the transaction, shared by all its changes.",
    }),
    change: z.enum(changeKinds),
    entity: z.enum(changeEntities),
    entity_id: id,
    host_id: id.nullable().meta({
      description: "The host itself, or the host of the record at that time; null for subnets.",
    }),
    host_label: z.string().max(400).nullable().meta({
      description:
        "The name of that host, after the change or, if the host ends with the change, before it; null for subnets.",
    }),
    network_id: id,
    label: z.string().max(400).meta({
      description: "A readable name, such as a host's name or `443/Tcp`.",
    }),
    label_before: z.string().max(400).nullable().meta({
      description: "The label before the change; null if it was the same, or if there was none.",
    }),
    changed: z
      .array(z.string().max(64))
      .max(64)
      .meta({ description: "The changed fields; empty unless `change` is `updated`." }),
    before: fields.meta({
      description:
        "The changed fields before the change, or the whole record with `include=records`; null if there was none.",
    }),
    after: fields.meta({
      description:
        "The changed fields after the change, or the whole record with `include=records`; null if there is none.",
    }),
    source: sourceSchema,
    discovery_id: id.nullable().meta({
      description: "The scan or import that made the change; null if a request made it.",
    }),
    actor: actorSchema,
    request_id: z.string().max(64).nullable(),
  })
  .meta({ id: "InventoryChange", description: "A change to an inventory record." });
export type Change = z.output<typeof changeSchema>;

/** The net change to a record between two instants (API contract, section 11). */
export const differenceSchema = changeSchema
  .extend({
    change: z.enum(differenceKinds),
    at: timestamp.meta({ description: "The instant of the record's last change." }),
    host_label: z.string().max(400).nullable().meta({
      description: "The name of that host at `to`, or before if it has ended; null for subnets.",
    }),
    label_before: z.string().max(400).nullable().meta({
      description: "The label at `from`; null if it was the same, or if there was none.",
    }),
    before: fields.meta({
      description:
        "The changed fields at `from`, or the whole record with `include=records`; null if there was none.",
    }),
    after: fields.meta({
      description:
        "The changed fields at `to`, or the whole record with `include=records`; null if there was none.",
    }),
  })
  .meta({
    id: "InventoryDifference",
    description: "The net change to an inventory record between two instants.",
  });
export type Difference = z.output<typeof differenceSchema>;

const count = z.int().min(0).max(maximumInteger);

const kindCounts = Object.fromEntries(differenceKinds.map((kind) => [kind, count])) as Record<
  (typeof differenceKinds)[number],
  typeof count
>;

const countsSchema = z.object(kindCounts).meta({
  id: "DifferenceCounts",
  description: "The number of records of one kind, by net change.",
});

/** The number of differences on one host (API contract, section 11). */
export const hostDifferencesSchema = z
  .object({
    host_id: id,
    label: z.string().max(400).meta({
      description: "The host's name at `to`, or at `from` if it does not exist at `to`.",
    }),
    ...kindCounts,
  })
  .meta({
    id: "HostDifferences",
    description:
      "The number of differing records on a host, by net change, including the host itself.",
  });
export type HostDifferences = z.output<typeof hostDifferencesSchema>;

/** A page of the differences between two instants, with counts across all pages. */
export const diffSchema = z
  .object({
    from: timestamp.meta({ description: "The earlier instant." }),
    to: timestamp.meta({
      description:
        "The later instant: the requested instant, or the latest settled instant before it.",
    }),
    counts: z
      .object(
        Object.fromEntries(changeEntities.map((entity) => [entity, countsSchema])) as Record<
          (typeof changeEntities)[number],
          typeof countsSchema
        >,
      )
      .meta({
        id: "DifferencesByKind",
        description: "The number of differing records, across all pages.",
      }),
    items: z.array(differenceSchema).max(maximumInteger),
  })
  .meta({ id: "Diff", description: "The differences between two instants." });
export type Diff = z.output<typeof diffSchema>;

/** A page of the hosts with differences, with counts across all pages. */
export const diffByHostSchema = diffSchema
  .extend({ items: z.array(hostDifferencesSchema).max(maximumInteger) })
  .meta({ id: "DiffByHost", description: "The hosts that differ between two instants." });
export type DiffByHost = z.output<typeof diffByHostSchema>;

/** The source of a change, by the type of actor that made it. */
const sources = {
  key: "Manual",
  token: "Manual",
  daemon: "Discovery",
  import: "Import",
  operator: "System",
  system: "System",
} as const satisfies Record<(typeof actorTypes)[number], (typeof recordSources)[number]>;

type Fields = Readonly<Record<string, FieldValue>>;

/** Converts `source` to its format in records: the database stores only its type. */
const withSource = (fields: Fields | null): Fields | null => {
  const source = z.object({ type: z.enum(recordSources) }).safeParse(fields?.["source"]);
  return source.success ? { ...fields, source: toSource(source.data.type) } : fields;
};

/** A row of `app.changes` or `app.diff`. `before` also contains the record's label at that time. */
export interface ChangeRow<Kind = (typeof changeKinds)[number]> extends Record<string, unknown> {
  at: string;
  entity: (typeof changeEntities)[number];
  entity_id: string;
  host_id: string | null;
  network_id: string;
  label: string;
  change: Kind;
  before: (Fields & { label: string }) | null;
  after: Fields | null;
  actor_type: (typeof actorTypes)[number] | null;
  actor_id: string | null;
  actor_name: string | null;
  request_id: string | null;
  discovery_id: string | null;
  host_label: string | null;
}

/** Fields that identify a version, and so differ between any two versions. */
const ofVersion: readonly string[] = ["valid_from"];

const changedFields = (before: Fields, after: Fields): string[] =>
  Object.keys(after).filter(
    (name) =>
      !ofVersion.includes(name) && JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );

const only = (names: readonly string[], record: Fields) =>
  Object.fromEntries(names.map((name) => [name, record[name] ?? null]));

/** A whole record, with timestamps in the response format. */
const whole = (record: Fields | null) =>
  record && {
    ...record,
    created_at: rfc3339(String(record["created_at"])),
    valid_from: rfc3339(String(record["valid_from"])),
  };

/** Opaque, stable id of a change. */
const idOf = ({ at, entity, entity_id }: ChangeRow<unknown>): string =>
  btoa(`${Date.parse(at).toString(36)} ${entity} ${entity_id.replaceAll("-", "")}`)
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

/**
 * Converts a row to a change or a difference in the response format.
 * @param isWhole true if the row contains whole records
 */
export function toChange<Kind>(
  row: ChangeRow<Kind>,
  isWhole: boolean,
): Omit<Change, "change"> & { change: Kind } {
  const { at, change, entity, entity_id, host_id, network_id, label } = row;
  const { label: labelBefore = null, ...fieldsBefore } = row.before ?? {};
  const [before, after] = [withSource(row.before && fieldsBefore), withSource(row.after)];
  const type = row.actor_type ?? "system";
  const changed = before && after ? changedFields(before, after) : [];
  return {
    id: idOf(row),
    at,
    change,
    entity,
    entity_id,
    host_id,
    host_label: row.host_label,
    network_id,
    label,
    label_before: after && labelBefore !== label ? labelBefore : null,
    changed,
    before: isWhole ? whole(before) : before && after && only(changed, before),
    after: isWhole ? whole(after) : before && after && only(changed, after),
    source: toSource(sources[type]),
    discovery_id: row.discovery_id,
    actor: { type, id: row.actor_id, name: row.actor_name },
    request_id: row.request_id,
  };
}
