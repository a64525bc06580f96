import { sql } from "drizzle-orm";
import { check, index, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { maximumSubject } from "./api-tokens.ts";
import { oneOf, upTo } from "./checks.ts";
import { id, timestamp } from "./columns.ts";
import { organizations } from "./organizations.ts";
import { actorTypes } from "./transactions.ts";

/** The actions on records without history (API contract, section 11). */
export const auditActions = [
  "created",
  "updated",
  "deleted",
  "rotated",
  "assigned",
  "unassigned",
  "replayed",
  "tested",
  "retried",
  "scanned",
  "cancelled",
  "suspended",
  "resumed",
] as const;

/** The kinds of records in the audit log, in alphabetical order. */
export const auditEntities = [
  "ApiKey",
  "Credential",
  "Daemon",
  "Network",
  "Organization",
  "Tag",
  "Webhook",
] as const;

/**
 * The audit log of actions on records without history. It is written by triggers
 * (`app.write_audit`). `network_id` is set for networks and for records in a network. A key that is
 * limited to specific networks can read only the entries for its networks.
 */
export const auditEntries = pgTable(
  "audit_entries",
  {
    id: id(),
    organization_id: uuid()
      .notNull()
      .references(() => organizations.id, { onDelete: "cascade" }),
    at: timestamp().notNull(),
    action: text({ enum: auditActions }).notNull(),
    entity: text({ enum: auditEntities }).notNull(),
    entity_id: uuid().notNull(),
    network_id: uuid(),
    label: text().notNull(),
    changed: text().array().notNull(),
    actor_type: text({ enum: actorTypes }).notNull(),
    actor_id: uuid(),
    actor_name: text(),
    request_id: text(),
  },
  (table) => [
    primaryKey({
      name: "audit_entries_pk",
      columns: [table.organization_id, table.at, table.id],
    }),
    index("audit_entries_entity_index").on(table.organization_id, table.entity, table.at, table.id),
    index("audit_entries_record_index").on(
      table.organization_id,
      table.entity_id,
      table.at,
      table.id,
    ),
    index("audit_entries_actor_index")
      .on(table.organization_id, table.actor_id, table.at, table.id)
      .where(sql`actor_id is not null`),
    check("audit_entries_action_check", oneOf(table.action, auditActions)),
    check("audit_entries_entity_check", oneOf(table.entity, auditEntities)),
    check("audit_entries_label_check", upTo(table.label, 100)),
    check("audit_entries_actor_type_check", oneOf(table.actor_type, actorTypes)),
    check("audit_entries_actor_name_check", upTo(table.actor_name, maximumSubject)),
    check("audit_entries_request_id_check", upTo(table.request_id, 64)),
  ],
);
