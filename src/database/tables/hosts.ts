import { sql } from "drizzle-orm";
import {
  boolean,
  check,
  foreignKey,
  index,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uuid,
} from "drizzle-orm/pg-core";
import { named, upTo } from "./checks.ts";
import { sortableText } from "./columns.ts";
import {
  discovered,
  evidence,
  inNetwork,
  inNetworkRules,
  liveNameRule,
  since,
  source,
  sourceCheck,
  versioned,
  versionedOwnDataRules,
  versionedRules,
} from "./history.ts";
import { mapValues, namesOf } from "./map-values.ts";
import { ownData } from "./own-data.ts";
import { searchableRules, searchableText } from "./searchable.ts";
import { tags } from "./tags.ts";

/**
 * String fields that describe a host's device, with their maximum lengths. Each of them defines a
 * nullable column, its check, a field in requests and responses, and a detail that discovery sets.
 */
export const hostTexts = {
  sys_name: 255,
  sys_descr: 255,
  sys_object_id: 255,
  sys_location: 255,
  sys_contact: 255,
  management_url: 2048,
  chassis_id: 255,
  manufacturer: 255,
  model: 255,
  serial_number: 255,
  operating_system: 255,
} as const;

/** The nullable columns that discovery sets, in addition to the name. */
export const hostDetails = [
  "hostname",
  ...namesOf(hostTexts),
  "description",
  "virtualization",
] as const;

/** The machines on a network, and their history. */
export const hosts = pgTable(
  "hosts",
  {
    ...versioned(),
    ...inNetwork(),
    name: sortableText().notNull(),
    hostname: text(),
    description: text(),
    hidden: boolean().notNull().default(false),
    is_stale: boolean().notNull().default(false),
    source: source(),
    ...ownData(),
    virtualization: jsonb().$type<{ type: string; [field: string]: unknown }>(),
    ...mapValues(hostTexts, () => text()),
    discovered: discovered(),
    evidence: evidence(),
    searchable: searchableText(
      sql`name`,
      sql`coalesce(hostname, '')`,
      sql`coalesce(sys_name, '')`,
      sql`coalesce(operating_system, '')`,
    ),
  },
  (table) => [
    ...versionedRules("hosts", table),
    ...inNetworkRules("hosts", table),
    ...named("hosts", table),
    ...versionedOwnDataRules("hosts", table),
    sourceCheck("hosts", table),
    check("hosts_hostname_check", upTo(table.hostname, 255)),
    ...namesOf(hostTexts).map((column) =>
      check(`hosts_${column}_check`, upTo(table[column], hostTexts[column])),
    ),
    ...searchableRules("hosts", table),
    liveNameRule("hosts", table),
  ],
);

/** The tags of live hosts. Ended memberships are in closed-tags.ts. */
export const hostTags = pgTable(
  "host_tags",
  {
    organization_id: uuid().notNull(),
    host_id: uuid().notNull(),
    tag_id: uuid().notNull(),
    valid_from: since(),
  },
  (table) => [
    primaryKey({
      name: "host_tags_pk",
      columns: [table.organization_id, table.host_id, table.tag_id],
    }),
    index("host_tags_tag_index").on(table.tag_id),
    foreignKey({
      name: "host_tags_host_fk",
      columns: [table.organization_id, table.host_id],
      foreignColumns: [hosts.organization_id, hosts.current_id],
    }).onDelete("cascade"),
    foreignKey({
      name: "host_tags_tag_fk",
      columns: [table.organization_id, table.tag_id],
      foreignColumns: [tags.organization_id, tags.id],
    }).onDelete("cascade"),
  ],
);
