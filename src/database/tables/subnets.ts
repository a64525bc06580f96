import { sql } from "drizzle-orm";
import {
  check,
  cidr,
  foreignKey,
  index,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { named, oneOf } from "./checks.ts";
import { sortableText } from "./columns.ts";
import {
  endsAt,
  inNetwork,
  inNetworkRules,
  isLive,
  since,
  source,
  sourceCheck,
  versioned,
  versionedOwnDataRules,
  versionedRules,
} from "./history.ts";
import { ownData } from "./own-data.ts";
import { searchableRules, searchableText } from "./searchable.ts";
import { tags } from "./tags.ts";

/** The purposes of a subnet (API contract, section 9). */
export const subnetTypes = [
  "Internet",
  "Remote",
  "Gateway",
  "VpnTunnel",
  "Dmz",
  "Lan",
  "WiFi",
  "IoT",
  "Guest",
  "DockerBridge",
  "MacVlan",
  "IpVlan",
  "Management",
  "Storage",
  "Loopback",
  "Unknown",
] as const;

/** The subnets of a network, and their history. */
export const subnets = pgTable(
  "subnets",
  {
    ...versioned(),
    ...inNetwork(),
    cidr: cidr().notNull(),
    name: sortableText().notNull(),
    description: text(),
    subnet_type: text({ enum: subnetTypes }).notNull().default("Unknown"),
    ...ownData(),
    source: source(),
    searchable: searchableText(sql`name`, sql`coalesce(description, '')`, sql`text(cidr)`),
  },
  (table) => [
    ...versionedRules("subnets", table),
    ...inNetworkRules("subnets", table),
    ...named("subnets", table),
    ...versionedOwnDataRules("subnets", table),
    check("subnets_type_check", oneOf(table.subnet_type, subnetTypes)),
    sourceCheck("subnets", table),
    uniqueIndex("subnets_cidr_unique")
      .on(table.organization_id, table.network_id, table.cidr)
      .where(isLive),
    ...searchableRules("subnets", table),
    // For finding the subnets that contain an address, by looking up one possible block per bit of
    // the address. The containment operators would need GiST, which cannot be used behind row-level
    // security.
    index("subnets_cidr_index").on(table.organization_id, table.cidr, endsAt, table.valid_from),
  ],
);

/** The tags of live subnets. Ended memberships are in closed-tags.ts. */
export const subnetTags = pgTable(
  "subnet_tags",
  {
    organization_id: uuid().notNull(),
    subnet_id: uuid().notNull(),
    tag_id: uuid().notNull(),
    valid_from: since(),
  },
  (table) => [
    primaryKey({
      name: "subnet_tags_pk",
      columns: [table.organization_id, table.subnet_id, table.tag_id],
    }),
    index("subnet_tags_tag_index").on(table.tag_id),
    foreignKey({
      name: "subnet_tags_subnet_fk",
      columns: [table.organization_id, table.subnet_id],
      foreignColumns: [subnets.organization_id, subnets.current_id],
    }).onDelete("cascade"),
    foreignKey({
      name: "subnet_tags_tag_fk",
      columns: [table.organization_id, table.tag_id],
      foreignColumns: [tags.organization_id, tags.id],
    }).onDelete("cascade"),
  ],
);
