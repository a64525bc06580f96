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
  versionedRules,
} from "./history.ts";
import { searchableRules, searchableText } from "./searchable.ts";
import { tags } from "./tags.ts";

/** Texts of at most 255 characters that a host says of itself. */
const shortTexts = [
  "hostname",
  "sys_name",
  "sys_descr",
  "sys_object_id",
  "sys_location",
  "sys_contact",
  "chassis_id",
  "manufacturer",
  "model",
  "serial_number",
  "operating_system",
] as const;

/** What a host says of itself beyond its name, in columns that may be empty. */
export const hostDetails = [
  ...shortTexts,
  "description",
  "management_url",
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
    virtualization: jsonb().$type<{ type: string; [field: string]: unknown }>(),
    sys_name: text(),
    sys_descr: text(),
    sys_object_id: text(),
    sys_location: text(),
    sys_contact: text(),
    management_url: text(),
    chassis_id: text(),
    manufacturer: text(),
    model: text(),
    serial_number: text(),
    operating_system: text(),
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
    sourceCheck("hosts", table),
    check("hosts_management_url_check", upTo(table.management_url, 2048)),
    ...shortTexts.map((column) => check(`hosts_${column}_check`, upTo(table[column], 255))),
    ...searchableRules("hosts", table),
    liveNameRule("hosts", table),
  ],
);

/** The tags of hosts, of live ones. What ended is in closed-tags.ts. */
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
