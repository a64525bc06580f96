import { sql } from "drizzle-orm";
import {
  check,
  type ExtraConfigColumn,
  index,
  type PgColumn,
  pgTable,
  primaryKey,
  uuid,
} from "drizzle-orm/pg-core";
import { timestamp } from "./columns.ts";
import type { Table } from "./history.ts";
import { organizations } from "./organizations.ts";

/** The common columns of ended memberships, except the owner. Triggers write these rows. */
const ended = () => ({
  organization_id: uuid()
    .notNull()
    .references(() => organizations.id, { onDelete: "cascade" }),
  tag_id: uuid().notNull(),
  valid_from: timestamp().notNull(),
  valid_to: timestamp().notNull(),
});

/** @param owner the column of the former owner */
const endedRules = (
  name: string,
  table: Table<keyof ReturnType<typeof ended>>,
  owner: ExtraConfigColumn & PgColumn,
) => [
  primaryKey({
    name: `${name}_pk`,
    columns: [table.organization_id, owner, table.tag_id, table.valid_to],
  }),
  index(`${name}_tag_index`).on(
    table.organization_id,
    table.tag_id,
    table.valid_to,
    table.valid_from,
    owner,
  ),
  // For finding the rows to delete: see app.sweep_history.
  index(`${name}_ended_index`).on(table.organization_id, table.valid_to),
  check(`${name}_interval_check`, sql`${table.valid_from} < ${table.valid_to}`),
];

/** The former tags of hosts. Rows contain the ids that hosts and tags had while they were live. */
export const closedHostTags = pgTable(
  "closed_host_tags",
  { ...ended(), host_id: uuid().notNull() },
  (table) => endedRules("closed_host_tags", table, table.host_id),
);

export const closedServiceTags = pgTable(
  "closed_service_tags",
  { ...ended(), service_id: uuid().notNull() },
  (table) => endedRules("closed_service_tags", table, table.service_id),
);

export const closedSubnetTags = pgTable(
  "closed_subnet_tags",
  { ...ended(), subnet_id: uuid().notNull() },
  (table) => endedRules("closed_subnet_tags", table, table.subnet_id),
);
