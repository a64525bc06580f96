import { sql } from "drizzle-orm";
import { check, foreignKey, index, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { role, userApiKeySecrets } from "./api-keys.ts";
import { upTo } from "./checks.ts";
import { bytes, timestamp } from "./columns.ts";

/** Maximum length of a token's subject, in characters (API contract, section 8). */
export const maximumSubject = 200;

/**
 * The tokens that keys have issued, by the hash of the token's secret id. A token belongs to the
 * plaintext of the key that issued it, so that it ends when the plaintext does. `role` and
 * `network_ids` are upper bounds: the gate combines them with the key's current role and networks.
 * Only functions read and write this table.
 */
export const userApiTokens = pgTable(
  "user_api_tokens",
  {
    organization_id: uuid().notNull(),
    api_key_id: uuid().notNull(),
    key_hash: bytes().notNull(),
    token_hash: bytes().notNull(),
    role: role().notNull(),
    subject: text().notNull(),
    network_ids: uuid().array(),
    expires_at: timestamp().notNull(),
  },
  (table) => [
    primaryKey({ name: "user_api_tokens_pk", columns: [table.token_hash] }),
    index("user_api_tokens_key_index").on(
      table.organization_id,
      table.api_key_id,
      table.expires_at,
    ),
    index("user_api_tokens_expiry_index").on(table.expires_at),
    foreignKey({
      name: "user_api_tokens_secret_fk",
      columns: [table.organization_id, table.api_key_id, table.key_hash],
      foreignColumns: [
        userApiKeySecrets.organization_id,
        userApiKeySecrets.api_key_id,
        userApiKeySecrets.key_hash,
      ],
    }).onDelete("cascade"),
    check("user_api_tokens_hash_check", sql`octet_length(${table.token_hash}) = 32`),
    check("user_api_tokens_subject_check", upTo(table.subject, maximumSubject)),
    check("user_api_tokens_networks_check", sql`cardinality(${table.network_ids}) <= 1000`),
  ],
);
