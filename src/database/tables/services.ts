import { sql } from "drizzle-orm";
import {
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid,
} from "drizzle-orm/pg-core";
import { upTo } from "./checks.ts";
import { sortableText } from "./columns.ts";
import {
  discovered,
  endsAt,
  evidence,
  hostRule,
  liveHostRule,
  liveNameRule,
  ofHostRule,
  onHost,
  onHostRule,
  since,
  source,
  sourceCheck,
  versioned,
  versionedOwnDataRules,
  versionedRules,
} from "./history.ts";
import { hosts } from "./hosts.ts";
import { ownData } from "./own-data.ts";
import { searchableRules, searchableText } from "./searchable.ts";
import { tags } from "./tags.ts";

/**
 * The services of hosts and their history. A live service is open while a live binding refers to
 * it, and otherwise closed.
 */
export const services = pgTable(
  "services",
  {
    ...versioned(),
    ...onHost(),
    name: sortableText().notNull(),
    /** The type of service, such as Nginx; by default, the service's name. */
    service_definition: text().notNull().default(sql`null`),
    /** The running product and its version. */
    version: text(),
    virtualization: jsonb().$type<{ type: string; [field: string]: unknown }>(),
    position: integer().notNull().default(0),
    ...ownData(),
    source: source(),
    discovered: discovered(),
    evidence: evidence(),
    searchable: searchableText(sql`name`, sql`service_definition`, sql`coalesce(version, '')`),
  },
  (table) => [
    ...versionedRules("services", table),
    onHostRule("services", table, hosts),
    hostRule("services", table),
    ofHostRule("services", table),
    liveHostRule("services", table),
    unique("services_current_unique").on(table.organization_id, table.current_id),
    check("services_name_check", upTo(table.name, 100)),
    check("services_definition_check", upTo(table.service_definition, 255)),
    check("services_version_check", upTo(table.version, 255)),
    ...versionedOwnDataRules("services", table),
    sourceCheck("services", table),
    ...searchableRules("services", table),
    liveNameRule("services", table),
    // For finding hosts by a service's complete name or definition.
    ...(["name", "service_definition"] as const).map((column) =>
      index(`services_${column}_index`).on(
        table.organization_id,
        sql`lower(${table[column]} collate "und-x-icu")`,
        endsAt,
        table.valid_from,
      ),
    ),
  ],
);

/** The tags of live services. Ended memberships are in closed-tags.ts. */
export const serviceTags = pgTable(
  "service_tags",
  {
    organization_id: uuid().notNull(),
    service_id: uuid().notNull(),
    tag_id: uuid().notNull(),
    valid_from: since(),
  },
  (table) => [
    primaryKey({
      name: "service_tags_pk",
      columns: [table.organization_id, table.service_id, table.tag_id],
    }),
    index("service_tags_tag_index").on(table.tag_id),
    foreignKey({
      name: "service_tags_service_fk",
      columns: [table.organization_id, table.service_id],
      foreignColumns: [services.organization_id, services.current_id],
    }).onDelete("cascade"),
    foreignKey({
      name: "service_tags_tag_fk",
      columns: [table.organization_id, table.tag_id],
      foreignColumns: [tags.organization_id, tags.id],
    }).onDelete("cascade"),
  ],
);
