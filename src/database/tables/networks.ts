import { sql } from "drizzle-orm";
import {
  check,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uuid,
} from "drizzle-orm/pg-core";
import { named } from "./checks.ts";
import { id, sortableText, times } from "./columns.ts";
import { organizations } from "./organizations.ts";
import { ownData, ownDataRules } from "./own-data.ts";
import { tags } from "./tags.ts";

/** The networks of an organization. Keys and daemons can be limited to them. */
export const networks = pgTable(
  "networks",
  {
    id: id(),
    ...times(),
    organization_id: uuid()
      .notNull()
      .references(() => organizations.id, { onDelete: "cascade" }),
    name: sortableText().notNull(),
    description: text(),
    ...ownData(),
    stale_after_hours: integer(),
  },
  (table) => [
    primaryKey({ name: "networks_pk", columns: [table.organization_id, table.id] }),
    index("networks_created_index").on(table.organization_id, table.created_at, table.id),
    ...named("networks", table),
    ...ownDataRules("networks", table),
    check("networks_stale_after_hours_check", sql`${table.stale_after_hours} between 1 and 8760`),
  ],
);

export const networkTags = pgTable(
  "network_tags",
  {
    organization_id: uuid().notNull(),
    network_id: uuid().notNull(),
    tag_id: uuid().notNull(),
  },
  (table) => [
    primaryKey({
      name: "network_tags_pk",
      columns: [table.organization_id, table.network_id, table.tag_id],
    }),
    index("network_tags_tag_index").on(table.tag_id),
    foreignKey({
      name: "network_tags_network_fk",
      columns: [table.organization_id, table.network_id],
      foreignColumns: [networks.organization_id, networks.id],
    }).onDelete("cascade"),
    foreignKey({
      name: "network_tags_tag_fk",
      columns: [table.organization_id, table.tag_id],
      foreignColumns: [tags.organization_id, tags.id],
    }).onDelete("cascade"),
  ],
);
