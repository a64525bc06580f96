import { sql } from "drizzle-orm";
import {
  boolean,
  check,
  foreignKey,
  index,
  pgEnum,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid,
} from "drizzle-orm/pg-core";
import { roles } from "../../roles.ts";
import { bytes, id, sortableText, times, timestamp } from "./columns.ts";
import { networks } from "./networks.ts";
import { organizations } from "./organizations.ts";

/**
 * Unlike other fixed lists of values, roles are a Postgres enum, so that Postgres can compare them.
 */
export const role = pgEnum("role", roles);

/** The API keys of callers. `key_hint` is the end of the newest plaintext key, if known. */
export const userApiKeys = pgTable(
  "user_api_keys",
  {
    id: id(),
    ...times(),
    organization_id: uuid()
      .notNull()
      .references(() => organizations.id, { onDelete: "cascade" }),
    name: sortableText().notNull(),
    key_hint: text(),
    role: role().notNull(),
    is_enabled: boolean().notNull().default(true),
    is_limited_to_networks: boolean().notNull().default(false),
    expires_at: timestamp(),
    last_used_at: timestamp(),
  },
  (table) => [
    primaryKey({ name: "user_api_keys_pk", columns: [table.organization_id, table.id] }),
    index("user_api_keys_created_index").on(table.organization_id, table.created_at, table.id),
    check("user_api_keys_hint_check", sql`${table.key_hint} ~ '^[0-9A-Za-z]{4}$'`),
    check("user_api_keys_name_check", sql`char_length(${table.name}) between 1 and 100`),
  ],
);

/**
 * The hashes by which keys are looked up. Only the gate reads them; the plaintext is not stored. A
 * key that was rotated with an overlap has two hashes, and the older one expires.
 */
export const userApiKeySecrets = pgTable(
  "user_api_key_secrets",
  {
    organization_id: uuid().notNull(),
    api_key_id: uuid().notNull(),
    key_hash: bytes().notNull(),
    expires_at: timestamp(),
  },
  (table) => [
    primaryKey({ name: "user_api_key_secrets_pk", columns: [table.key_hash] }),
    // Tokens refer to the plaintext that issued them.
    unique("user_api_key_secrets_key_unique").on(
      table.organization_id,
      table.api_key_id,
      table.key_hash,
    ),
    foreignKey({
      name: "user_api_key_secrets_key_fk",
      columns: [table.organization_id, table.api_key_id],
      foreignColumns: [userApiKeys.organization_id, userApiKeys.id],
    }).onDelete("cascade"),
    check("user_api_key_secrets_hash_check", sql`octet_length(${table.key_hash}) = 32`),
  ],
);

/**
 * The networks of a key that is limited to specific networks. A key whose last network is deleted
 * stays limited and cannot access any network: an empty list must never mean "all".
 */
export const userApiKeyNetworks = pgTable(
  "user_api_key_networks",
  {
    organization_id: uuid().notNull(),
    api_key_id: uuid().notNull(),
    network_id: uuid().notNull(),
  },
  (table) => [
    primaryKey({
      name: "user_api_key_networks_pk",
      columns: [table.organization_id, table.api_key_id, table.network_id],
    }),
    index("user_api_key_networks_network_index").on(table.organization_id, table.network_id),
    foreignKey({
      name: "user_api_key_networks_key_fk",
      columns: [table.organization_id, table.api_key_id],
      foreignColumns: [userApiKeys.organization_id, userApiKeys.id],
    }).onDelete("cascade"),
    foreignKey({
      name: "user_api_key_networks_network_fk",
      columns: [table.organization_id, table.network_id],
      foreignColumns: [networks.organization_id, networks.id],
    }).onDelete("cascade"),
  ],
);
