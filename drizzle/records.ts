import type { PgTable } from "drizzle-orm/pg-core";
import type { Entity } from "../src/database/collection.ts";
import {
  credentialHostIpAddresses,
  credentialHosts,
  credentialNetworks,
  credentials,
  credentialTags,
  daemons,
  daemonTags,
  discoverySessions,
  hosts,
  hostTags,
  networks,
  networkTags,
  organizations,
  serviceTags,
  subnetTags,
  tags,
  userApiKeyNetworks,
  userApiKeys,
  webhooks,
} from "../src/database/tables/index.ts";
import type { kinds } from "../src/database/tables/kinds.ts";

type ColumnOf<Table extends PgTable> = keyof Table["_"]["columns"] & string;

interface RecordOptions<Column extends string> {
  /**
   * Restrictions on writes by keys that are limited to specific networks. With `refused`, triggers
   * reject all writes to the records and their sets; with `assignments`, those to the sets of a
   * record that is assigned outside the key's networks. Everything else is left to the tables'
   * policies.
   */
  limitedKeys: "refused" | "assignments" | "policies";
  /** The maximum number of records per organization. */
  maximum?: number;
  /** The plural in error messages, if it is not the table name. */
  plural?: string;
  /** If only these columns change, the revision is not incremented. */
  silent?: readonly Column[];
  /** An SQL condition: updates for which it is false do not increment the revision. */
  revisedWhen?: string;
  /**
   * The fields whose changes the audit log names. `as` lists the columns of fields whose names
   * differ from the column names.
   */
  audited?: {
    fields: readonly Column[];
    as?: Readonly<Record<string, readonly Column[]>>;
    /** An SQL condition: updates for which it is false do not write an entry. */
    when?: string;
    /** An SQL condition: updates for which it is true succeed even if the log is full. */
    unbounded?: string;
  };
}
export type RecordKind = RecordOptions<string> & { table: PgTable };

const recordKind = <Table extends PgTable>(
  table: Table,
  options: RecordOptions<ColumnOf<Table>>,
): RecordKind => ({ table, ...options });

const ownDataFields = ["external_id", "metadata"] as const;

/** The kinds of records without history. */
export const records: Readonly<Record<Exclude<Entity, keyof typeof kinds>, RecordKind>> = {
  ApiKey: recordKind(userApiKeys, {
    limitedKeys: "refused",
    maximum: 1000,
    plural: "API keys",
    silent: ["last_used_at"],
    audited: {
      fields: ["expires_at", "is_enabled", "name"],
      as: { network_ids: ["is_limited_to_networks"], permissions: ["role"] },
      // This makes it possible to disable a key that fills the log.
      unbounded: "old.is_enabled and not new.is_enabled",
    },
  }),
  Credential: recordKind(credentials, {
    limitedKeys: "assignments",
    maximum: 10_000,
    audited: {
      fields: [...ownDataFields, "name"],
      as: { credential_type: ["settings"] },
    },
  }),
  Daemon: recordKind(daemons, {
    limitedKeys: "policies",
    maximum: 10_000,
    // Polling a daemon is not a change to its record.
    revisedWhen: "current_user <> 'inventory_poller'",
    audited: {
      fields: [...ownDataFields, "host_id", "name", "receives_credentials", "url"],
      as: { scan_schedule: ["schedule_cron", "schedule_timezone", "schedule_is_full_scan"] },
      when: "current_user <> 'inventory_poller'",
    },
  }),
  DiscoverySession: recordKind(discoverySessions, {
    limitedKeys: "policies",
    // A scan that has ended no longer changes.
    revisedWhen: "old.finished_at is null",
  }),
  Network: recordKind(networks, {
    limitedKeys: "refused",
    maximum: 10_000,
    audited: { fields: [...ownDataFields, "description", "name", "stale_after_hours"] },
  }),
  Organization: recordKind(organizations, {
    limitedKeys: "policies",
    // Callers cannot read these.
    silent: ["suspended_at", "deletes_at"],
    audited: { fields: ["history_days", "name"] },
  }),
  Tag: recordKind(tags, {
    limitedKeys: "refused",
    maximum: 10_000,
    audited: { fields: [...ownDataFields, "color", "description", "name"] },
  }),
  Webhook: recordKind(webhooks, {
    limitedKeys: "policies",
    maximum: 20,
    // Deliveries and replays are not changes to the record, unless they disable it.
    silent: [
      "last_success_at",
      "last_failure_at",
      "last_error",
      "last_error_http_status",
      "failing_since",
      "position_at",
      "position_entity",
      "position_id",
      "replays",
      "newer_at",
      "retry_at",
      "lease_expires_at",
      "delivery_generation",
      "is_slow",
    ],
    audited: {
      fields: ["changes", "entities", "name", "network_ids", "url"],
      as: { is_enabled: ["disabled_reason"] },
    },
  }),
};

interface Milestone {
  name: string;
  /** The table to which a record is added. */
  table: PgTable;
  /** An SQL condition on `added`, the new record. By default, any record reaches the milestone. */
  when?: string;
  /** The number of records with which the milestone is reached. By default, one. */
  number?: number;
}

/** The onboarding milestones that new records reach. */
export const milestones: readonly Milestone[] = [
  { name: "FirstCredentialCreated", table: credentials },
  { name: "FirstSnmpCredentialCreated", table: credentials, when: "added.type like 'Snmp%'" },
  { name: "FirstDaemonRegistered", table: daemons },
  {
    name: "FirstHostDiscovered",
    table: hosts,
    when: "added.source in ('Discovery', 'Import') and added.valid_to is null",
  },
  { name: "FirstTagCreated", table: tags },
  { name: "FirstUserApiKeyCreated", table: userApiKeys },
  { name: "SecondNetworkCreated", table: networks, number: 2 },
];

/** The kinds of records that own sets, keyed by the column of the set that references them. */
export const owners = {
  api_key_id: "ApiKey",
  credential_id: "Credential",
  daemon_id: "Daemon",
  host_id: "Host",
  interface_id: "Interface",
  network_id: "Network",
  service_id: "Service",
  subnet_id: "Subnet",
} as const satisfies Readonly<Record<string, Entity>>;
export type OwnerColumn = keyof typeof owners;

interface SetOptions<Column extends string> {
  /** The records that a set belongs to. Changes to the set increment their revisions. */
  owners: readonly [Column & OwnerColumn, ...(Column & OwnerColumn)[]];
  /** The first owner's field that the audit log names. */
  field?: string;
  /** True if the log records changes to the set as assignments. */
  isAssignment?: boolean;
  /** True if a `closed_*` table keeps memberships that have ended. */
  hasHistory?: boolean;
}
export type MemberSet = SetOptions<string> & { table: PgTable };

const memberSet = <Table extends PgTable>(
  table: Table,
  options: SetOptions<ColumnOf<Table>>,
): MemberSet => ({ table, ...options });

/** The sets of records: tables with a row for each member. */
export const sets: readonly MemberSet[] = [
  memberSet(hostTags, { owners: ["host_id"], hasHistory: true }),
  memberSet(serviceTags, { owners: ["service_id"], hasHistory: true }),
  memberSet(subnetTags, { owners: ["subnet_id"], hasHistory: true }),
  memberSet(daemonTags, { owners: ["daemon_id"], field: "tags" }),
  memberSet(networkTags, { owners: ["network_id"], field: "tags" }),
  memberSet(credentialTags, { owners: ["credential_id"], field: "tags" }),
  memberSet(credentialNetworks, {
    owners: ["credential_id", "network_id"],
    field: "assigned_network_ids",
    isAssignment: true,
  }),
  memberSet(credentialHosts, {
    owners: ["credential_id", "host_id"],
    field: "host_assignments",
    isAssignment: true,
  }),
  memberSet(credentialHostIpAddresses, {
    owners: ["credential_id", "host_id"],
    field: "host_assignments",
    isAssignment: true,
  }),
  memberSet(userApiKeyNetworks, { owners: ["api_key_id"], field: "network_ids" }),
];
