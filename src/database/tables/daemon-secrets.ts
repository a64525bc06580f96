import { sql } from "drizzle-orm";
import { check, foreignKey, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { oneOf } from "./checks.ts";
import { daemons } from "./daemons.ts";

/** The pattern of a sealed secret: `NAME.BASE64URL` (see `sealing.ts`). */
export const sealedForm = "^[A-Za-z0-9_-]{1,32}[.][A-Za-z0-9_-]+={0,2}$";

/**
 * The sealed secrets of daemons. Only the poller reads them; the callers' role does not have any
 * privileges on them.
 */
export const daemonSecrets = pgTable(
  "daemon_secrets",
  {
    organization_id: uuid().notNull(),
    daemon_id: uuid().notNull(),
    field: text({ enum: ["token"] }).notNull(),
    sealed: text().notNull(),
  },
  (table) => [
    primaryKey({
      name: "daemon_secrets_pk",
      columns: [table.organization_id, table.daemon_id, table.field],
    }),
    foreignKey({
      name: "daemon_secrets_daemon_fk",
      columns: [table.organization_id, table.daemon_id],
      foreignColumns: [daemons.organization_id, daemons.id],
    }).onDelete("cascade"),
    check("daemon_secrets_field_check", oneOf(table.field, ["token"])),
    check("daemon_secrets_sealed_check", sql.raw(`sealed ~ '${sealedForm}'`)),
    // A secret must fit in a message in the poller's queue.
    check("daemon_secrets_length_check", sql`char_length(${table.sealed}) <= 4096`),
  ],
);
