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
  uuid,
} from "drizzle-orm/pg-core";
import { oneOf } from "./checks.ts";
import { id, times, timestamp } from "./columns.ts";
import { networks } from "./networks.ts";
import { organizations } from "./organizations.ts";

/** The condition of a live version. */
export const isLive = sql`valid_to is null`;

const isClosed = sql`valid_to is not null`;

/**
 * When a version ends, as indexes have it: behind the columns that a list filters by, it leaves out
 * what is not valid at a timestamp without a look at the table. See `history.ts` of `src/database`.
 */
export const endsAt = sql`(case when valid_to is null then 'infinity'::timestamptz else valid_to end)`;

/** A column that its table's trigger fills where a writer leaves it out: never null in a row. */
const filledByTrigger = sql`null`;

/**
 * What a record of the inventory has (API contract, section 9): a slowly changing dimension of type 2.
 * The live version has `valid_to` null and keeps its id; closed versions have ids of their own and carry
 * that id as `lineage_id`. The triggers `history_*`, which the migrator generates from `kinds.ts`, write the history for
 * every writer, and an exclusion constraint keeps versions apart.
 *
 * `current_id` is the id of a live version, null in a closed one: what foreign keys refer to.
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

/** Since when a live record is a member of a set whose past is kept. A trigger fills it. */
export const since = () => timestamp().notNull().default(filledByTrigger);

/**
 * Foreign key of live versions only: closed versions may reference deleted rows, so a `live_*` column, null
 * in them, carries the key.
 */
export const liveReference = (column: string) =>
  uuid().generatedAlwaysAs(sql.raw(`case when valid_to is null then ${column} end`));

/** What a part of a host has beyond {@link versioned}. Its network is the host's, by default too. */
export const onHost = () => ({ host_id: uuid().notNull(), live_host_id: liveReference("host_id") });

/** How a record came to be (API contract, section 9). */
export const recordSources = ["Manual", "System", "Discovery", "Import"] as const;

export const source = () => text({ enum: recordSources }).notNull().default("Manual");

/**
 * What discovery has written of a record, by column. A column that still says it, or that is empty, is
 * discovery's to change; any other value is a person's (`app.fillable`).
 */
export const discovered = () => jsonb().$type<Readonly<Record<string, unknown>>>();

/** How much stands behind what discovery wrote in a column. */
export interface Evidence {
  /**
   * Of what says more, a higher one: it replaces what says less, and never the other way round. The host
   * of an address has one where a person made one host of two.
   */
  rank?: number;
  /** The daemon that said it. While that one can be reached, no other daemon or import changes it. */
  daemon_id?: string;
  /**
   * Of a host that is seen at several places, an address of the one where this was seen: while the host
   * has it, what is seen at others does not change the field.
   */
  address?: string;
  /** Of a name: those that daemons have called the host, at most 8. */
  called?: readonly string[];
}

/** The {@link Evidence} of what is {@link discovered}, by column; absent where it is the least. */
export const evidence = () => jsonb().$type<Readonly<Record<string, Evidence>>>();

export type Table<Name extends string> = Record<Name, ExtraConfigColumn & PgColumn>;

export type Versioned = Table<keyof ReturnType<typeof versioned>>;

/** The constraints and indexes of {@link versioned}. */
export const versionedRules = (name: string, table: Versioned) => [
  primaryKey({ name: `${name}_pk`, columns: [table.organization_id, table.id] }),
  check(`${name}_lineage_check`, sql`(${table.valid_to} is null) = (${table.lineage_id} is null)`),
  check(`${name}_interval_check`, sql`${table.valid_from} < ${table.valid_to}`),
  // The list's order, and behind it all that counting and choosing need: they then never touch the
  // table. Row level security looks at network_id.
  index(`${name}_live_index`)
    .on(table.organization_id, table.created_at, table.live_id, table.network_id, table.id)
    .where(isLive),
  // Also for a network: what lies in others is left out without a look at the table.
  index(`${name}_history_index`).on(
    table.organization_id,
    table.created_at,
    table.live_id,
    table.valid_from,
    table.valid_to,
    table.network_id,
    table.id,
  ),
  // For counting the versions of an instant. And the changes of an organization in their order: each is the
  // beginning or the end of a version.
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

/** The index of a page of live versions by name, which has all that it needs to choose and order them. */
export const liveNameRule = (name: string, table: Versioned & Table<"name">) =>
  index(`${name}_live_name_index`)
    .on(table.organization_id, table.name, table.live_id, table.network_id, table.id)
    .where(isLive);

type OnHost = Versioned & Table<keyof ReturnType<typeof onHost>>;

/** What foreign keys refer to that ask for a part of one host. */
export const ofHostRule = (name: string, table: OnHost) =>
  unique(`${name}_of_host_unique`).on(table.organization_id, table.host_id, table.current_id);

/** The index of the live parts of a host, where no unique one begins with it. */
export const liveHostRule = (name: string, table: OnHost) =>
  index(`${name}_live_host_index`)
    .on(table.organization_id, table.live_host_id, table.created_at, table.live_id)
    .where(sql`live_host_id is not null`);

/**
 * The constraints and indexes of {@link onHost}.
 * @param hosts the table of hosts
 */
export const onHostRules = (
  name: string,
  table: OnHost,
  hosts: Record<"organization_id" | "network_id" | "current_id", PgColumn>,
) => [
  index(`${name}_host_index`).on(table.organization_id, table.host_id, endsAt, table.valid_from),
  foreignKey({
    name: `${name}_host_fk`,
    columns: [table.organization_id, table.network_id, table.live_host_id],
    foreignColumns: [hosts.organization_id, hosts.network_id, hosts.current_id],
  }).onDelete("cascade"),
];

/** What lies in a network and on no host has beyond {@link versioned}. */
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

export const sourceCheck = (name: string, { source }: Table<"source">) =>
  check(`${name}_source_check`, oneOf(source, recordSources));
