import { sql } from "drizzle-orm";
import { check, index, pgTable, primaryKey, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { named, oneOf } from "./checks.ts";
import { id, sortableText, times } from "./columns.ts";
import { organizations } from "./organizations.ts";
import { ownData, ownDataRules } from "./own-data.ts";

/** The tag colors (API contract, section 8). */
export const tagColors = [
  "Pink",
  "Rose",
  "Red",
  "Amber",
  "Orange",
  "Green",
  "Emerald",
  "Teal",
  "Cyan",
  "Blue",
  "Indigo",
  "Purple",
  "Fuchsia",
  "Violet",
  "Sky",
  "Gray",
  "Lime",
  "Yellow",
] as const;

/** Labels that an organization gives to its records. */
export const tags = pgTable(
  "tags",
  {
    id: id(),
    ...times(),
    organization_id: uuid()
      .notNull()
      .references(() => organizations.id, { onDelete: "cascade" }),
    name: sortableText().notNull(),
    description: text(),
    ...ownData(),
    color: text({ enum: tagColors }).notNull().default("Gray"),
  },
  (table) => [
    primaryKey({ name: "tags_pk", columns: [table.organization_id, table.id] }),
    index("tags_created_index").on(table.organization_id, table.created_at, table.id),
    ...named("tags", table),
    ...ownDataRules("tags", table),
    check("tags_color_check", oneOf(table.color, tagColors)),
    // Names are folded according to ICU's rules, because the column's collation folds only ASCII
    // and the default collation differs between databases.
    uniqueIndex("tags_name_unique").on(
      table.organization_id,
      sql`lower(${table.name} collate "und-x-icu")`,
    ),
  ],
);
