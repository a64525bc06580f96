import { check, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { maximumSubject } from "./api-tokens.ts";
import { oneOf, upTo } from "./checks.ts";
import { timestamp } from "./columns.ts";
import { organizations } from "./organizations.ts";

/** The types of actors that change the inventory (API contract, section 11). */
export const actorTypes = ["key", "token", "daemon", "import", "operator", "system"] as const;

/**
 * The transactions that changed an organization's inventory, one row each, with the actor as
 * determined by `app.changed_at`. The changes in a transaction are the versions with the same
 * timestamp. An organization's newest row is never deleted, because later timestamps must be
 * greater than its timestamp.
 */
export const transactions = pgTable(
  "transactions",
  {
    organization_id: uuid()
      .notNull()
      .references(() => organizations.id, { onDelete: "cascade" }),
    changed_at: timestamp().notNull(),
    actor_type: text({ enum: actorTypes }).notNull(),
    actor_id: uuid(),
    actor_name: text(),
    request_id: text(),
    discovery_id: uuid(),
  },
  (table) => [
    primaryKey({ name: "transactions_pk", columns: [table.organization_id, table.changed_at] }),
    check("transactions_actor_type_check", oneOf(table.actor_type, actorTypes)),
    check("transactions_actor_name_check", upTo(table.actor_name, maximumSubject)),
    check("transactions_request_id_check", upTo(table.request_id, 64)),
  ],
);
