import { sql } from "drizzle-orm";
import {
  check,
  foreignKey,
  index,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uuid,
} from "drizzle-orm/pg-core";
import { id, sortableText, times } from "./columns.ts";
import { organizations } from "./organizations.ts";
import { ownData, ownDataRules } from "./own-data.ts";

/**
 * Credentials. `settings` holds the credential type exactly as in responses, with secrets masked.
 * The secrets themselves are sealed in `credential_secrets`, which API queries never read.
 */
export const credentials = pgTable(
  "credentials",
  {
    id: id(),
    ...times(),
    organization_id: uuid()
      .notNull()
      .references(() => organizations.id, { onDelete: "cascade" }),
    name: sortableText().notNull(),
    ...ownData(),
    settings: jsonb().$type<{ type: string; [field: string]: unknown }>().notNull(),
    type: sortableText().notNull().generatedAlwaysAs(sql`settings ->> 'type'`),
  },
  (table) => [
    primaryKey({ name: "credentials_pk", columns: [table.organization_id, table.id] }),
    index("credentials_created_index").on(table.organization_id, table.created_at, table.id),
    ...ownDataRules("credentials", table),
    check("credentials_name_check", sql`char_length(${table.name}) between 1 and 100`),
  ],
);

/**
 * The first columns of the tables that hold a credential's parts, and of the primary keys of these
 * tables. Other indexes must not start with organization_id: row-level security adds this column to
 * every query, and a planner without statistics would use such an index to read a whole
 * organization.
 */
export const ofCredential = () => ({
  organization_id: uuid().notNull(),
  credential_id: uuid().notNull(),
});

/**
 * The names of a credential's stored secrets. The API can read these names, and deletes a secret by
 * deleting its row here.
 */
export const credentialSecretFields = pgTable(
  "credential_secret_fields",
  { ...ofCredential(), field: text().notNull() },
  (table) => [
    primaryKey({
      name: "credential_secret_fields_pk",
      columns: [table.organization_id, table.credential_id, table.field],
    }),
    foreignKey({
      name: "credential_secret_fields_credential_fk",
      columns: [table.organization_id, table.credential_id],
      foreignColumns: [credentials.organization_id, credentials.id],
    }).onDelete("cascade"),
  ],
);

/**
 * The sealed secrets. The API can insert them but cannot read them. `app.add_secret_field` adds the
 * row of `credential_secret_fields`, and a secret is deleted with that row.
 */
export const credentialSecrets = pgTable(
  "credential_secrets",
  { ...ofCredential(), field: text().notNull(), sealed: text().notNull() },
  (table) => [
    primaryKey({
      name: "credential_secrets_pk",
      columns: [table.organization_id, table.credential_id, table.field],
    }),
    foreignKey({
      name: "credential_secrets_field_fk",
      columns: [table.organization_id, table.credential_id, table.field],
      foreignColumns: [
        credentialSecretFields.organization_id,
        credentialSecretFields.credential_id,
        credentialSecretFields.field,
      ],
    }).onDelete("cascade"),
  ],
);
