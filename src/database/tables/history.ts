import { sql } from "drizzle-orm";
import {
  check,
  type ExtraConfigColumn,
  foreignKey,
  index,
  jsonb,
  type PgColumn,
  primaryKey,
  text,
  unique,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { oneOf } from "./checks.ts";
import { id, times, timestamp } from "./columns.ts";
import { networks } from "./networks.ts";
import { organizations } from "./organizations.ts";
import { hasExternalId, type OwnData, ownDataChecks } from "./own-data.ts";

/** True for live versions. */
export const isLive = sql`valid_to is null`;

const isClosed = sql`valid_to is not null`;

/**
 * The end of a version, as the expression that indexes contain after the columns of a list's
 * filter. Without reading the table, it excludes versions that are not valid at a timestamp. See
 * `src/database/history.ts`.
 */
export const endsAt = sql`(case when valid_to is null then 'infinity'::timestamptz else valid_to end)`;

/**
 * The default of a column that the table's trigger sets if a writer omits it. The column is never
 * null in a stored row.
 */
const filledByTrigger = sql`null`;

/**
 * The columns of an inventory record (API contract, section 9), a type 2 slowly changing dimension.
 * In the live version, `valid_to` is null and `id` is the id of the record. Closed versions have
 * their own ids, and the record's id as `lineage_id`. The triggers `history_*`, which the migrator
 * generates from `kinds.ts`, write the history for every writer, and an exclusion constraint
 * prevents overlapping versions.
 *
 * `current_id` is the id of a live version, and null in a closed version. Foreign keys refer to it.
 */
export const versioned = () => ({
  id: id(),
  ...times(),
  organization_id: uuid()
    .notNull()
    .references(() => organizations.id, { onDelete: "cascade" }),
  network_id: uuid().notNull().default(filledByTrigger),
  last_seen_at: timestamp().notNull().default(filledByTrigger),
  valid_from: timestamp().notNull().default(filledByTrigger),
  valid_to: timestamp(),
  first_discovery_id: uuid(),
  last_discovery_id: uuid(),
  lineage_id: uuid(),
  live_id: uuid().notNull().generatedAlwaysAs(sql`coalesce(lineage_id, id)`),
  current_id: uuid().generatedAlwaysAs(sql`case when valid_to is null then id end`),
});

/** The start of a membership in a set with history. A trigger sets it. */
export const since = () => timestamp().notNull().default(filledByTrigger);

/**
 * A foreign key column for live versions only. Closed versions may refer to deleted rows, so the
 * foreign key is on a `live_*` column that is null in them.
 */
export const liveReference = (column: string) =>
  uuid().generatedAlwaysAs(sql.raw(`case when valid_to is null then ${column} end`));

/**
 * The columns that a host's child has in addition to {@link versioned}. Its network is the host's
 * network, which is also the default.
 */
export const onHost = () => ({ host_id: uuid().notNull(), live_host_id: liveReference("host_id") });

/** The possible origins of a record (API contract, section 9). */
export const recordSources = ["Manual", "System", "Discovery", "Import"] as const;

export const source = () => text({ enum: recordSources }).notNull().default("Manual");

/**
 * The values that discovery wrote to a record, by column. Discovery may change a column that is
 * empty or still has this value; any other value was written by a user (`app.fillable`).
 */
export const discovered = () => jsonb().$type<Readonly<Record<string, unknown>>>();

/** The evidence for a value that discovery wrote to a column. */
export interface Evidence {
  /**
   * The rank of the source. A value can replace a value of lower rank, but never one of higher
   * rank. An address's host has a rank if a user consolidated two hosts.
   */
  rank?: number;
  /**
   * The daemon that reported the value. While this daemon is reachable, no other daemon or import
   * can change the value.
   */
  daemon_id?: string;
  /**
   * An address of the location at which this value was seen, for a host that is seen at several
   * locations. While the host has this address, values seen at other locations do not change the
   * field.
   */
  address?: string;
  /** For a name: the names that daemons have reported for the host, at most 8. */
  called?: readonly string[];
}

/** The {@link Evidence} for {@link discovered} values, by column; absent for the lowest rank. */
export const evidence = () => jsonb().$type<Readonly<Record<string, Evidence>>>();

export type Table<Name extends string> = Record<Name, ExtraConfigColumn & PgColumn>;

export type Versioned = Table<keyof ReturnType<typeof versioned>>;

/** The constraints and indexes of {@link versioned}. */
export const versionedRules = (name: string, table: Versioned) => [
  primaryKey({ name: `${name}_pk`, columns: [table.organization_id, table.id] }),
  check(`${name}_lineage_check`, sql`(${table.valid_to} is null) = (${table.lineage_id} is null)`),
  check(`${name}_interval_check`, sql`${table.valid_from} < ${table.valid_to}`),
  // The list's order, followed by all columns that are needed to count and to select ids, so that
  // neither operation reads the table. Row-level security reads network_id.
  index(`${name}_live_index`)
    .on(table.organization_id, table.created_at, table.live_id, table.network_id, table.id)
    .where(isLive),
  // This index also serves lists of one network: records of other networks are excluded without
  // reading the table.
  index(`${name}_history_index`).on(
    table.organization_id,
    table.created_at,
    table.live_id,
    table.valid_from,
    table.valid_to,
    table.network_id,
    table.id,
  ),
  // For counting the versions at an instant, and for reading an organization's changes in order:
  // each change is the start or the end of a version.
  index(`${name}_live_since_index`)
    .on(table.organization_id, table.valid_from, table.live_id, table.network_id)
    .where(isLive),
  index(`${name}_closed_index`)
    .on(table.organization_id, table.valid_to, table.live_id, table.valid_from, table.network_id)
    .where(isClosed),
  index(`${name}_closed_since_index`)
    .on(table.organization_id, table.valid_from, table.live_id, table.network_id)
    .where(isClosed),
  index(`${name}_live_network_index`)
    .on(table.organization_id, table.network_id, table.created_at, table.live_id, table.id)
    .where(isLive),
  // The versions of one record.
  index(`${name}_version_index`).on(table.organization_id, table.live_id, endsAt, table.valid_from),
];

/**
 * The index for a page of live versions by name, with all columns needed to select and order them.
 */
export const liveNameRule = (name: string, table: Versioned & Table<"name">) =>
  index(`${name}_live_name_index`)
    .on(table.organization_id, table.name, table.live_id, table.network_id, table.id)
    .where(isLive);

type OnHost = Versioned & Table<keyof ReturnType<typeof onHost>>;

/** The target of foreign keys that require both records to belong to the same host. */
export const ofHostRule = (name: string, table: OnHost) =>
  unique(`${name}_of_host_unique`).on(table.organization_id, table.host_id, table.current_id);

/** The index of a host's live children, for tables where no unique index starts with the host. */
export const liveHostRule = (name: string, table: OnHost) =>
  index(`${name}_live_host_index`)
    .on(table.organization_id, table.live_host_id, table.created_at, table.live_id)
    .where(sql`live_host_id is not null`);

/** The index of a host's children, both live and closed. */
export const hostRule = (name: string, table: OnHost) =>
  index(`${name}_host_index`).on(table.organization_id, table.host_id, endsAt, table.valid_from);

/**
 * The foreign key of {@link onHost}.
 * @param hosts the table of hosts
 */
export const onHostRule = (
  name: string,
  table: OnHost,
  hosts: Record<"organization_id" | "network_id" | "current_id", PgColumn>,
) =>
  foreignKey({
    name: `${name}_host_fk`,
    columns: [table.organization_id, table.network_id, table.live_host_id],
    foreignColumns: [hosts.organization_id, hosts.network_id, hosts.current_id],
  }).onDelete("cascade");

/**
 * The columns, in addition to {@link versioned}, of a record that belongs to a network but not to a
 * host.
 */
export const inNetwork = () => ({ live_network_id: liveReference("network_id") });

/** The constraints of {@link inNetwork}. */
export const inNetworkRules = (
  name: string,
  table: Versioned & Table<keyof ReturnType<typeof inNetwork>>,
) => [
  unique(`${name}_current_unique`).on(table.organization_id, table.current_id),
  unique(`${name}_network_unique`).on(table.organization_id, table.network_id, table.current_id),
  index(`${name}_of_network_index`)
    .on(table.live_network_id)
    .where(sql`live_network_id is not null`),
  foreignKey({
    name: `${name}_network_fk`,
    columns: [table.organization_id, table.live_network_id],
    foreignColumns: [networks.organization_id, networks.id],
  }).onDelete("cascade"),
];

/** The constraints of `ownData` for a kind of record with history. */
export const versionedOwnDataRules = (name: string, table: OwnData & Versioned) => [
  ...ownDataChecks(name, table),
  uniqueIndex(`${name}_external_id_unique`)
    .on(table.organization_id, table.external_id)
    .where(sql`${isLive} and ${hasExternalId}`),
  // For finding the version with an external id at an instant.
  index(`${name}_external_id_index`)
    .on(table.organization_id, table.external_id, endsAt, table.valid_from)
    .where(hasExternalId),
];

export const sourceCheck = (name: string, { source }: Table<"source">) =>
  check(`${name}_source_check`, oneOf(source, recordSources));
