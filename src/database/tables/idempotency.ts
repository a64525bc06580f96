import { sql } from "drizzle-orm";
import { check, foreignKey, index, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { userApiKeys } from "./api-keys.ts";
import { bytes, timestamp } from "./columns.ts";

/**
 * The records that requests with an `Idempotency-Key` have created, kept for 24 hours (API
 * contract, section 7). The body is stored only as an HMAC, because it may contain secrets. Callers
 * write to this table only through `app.claim_idempotency`.
 */
export const idempotencyKeys = pgTable(
  "idempotency_keys",
  {
    organization_id: uuid().notNull(),
    api_key_id: uuid().notNull(),
    /** The subject of the token that sent the request; empty for the key itself. */
    subject: text().notNull().default(""),
    key: text().notNull(),
    operation: text().notNull(),
    request_digest: bytes().notNull(),
    record_ids: uuid().array().notNull(),
    created_at: timestamp().notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({
      name: "idempotency_keys_pk",
      columns: [table.organization_id, table.api_key_id, table.subject, table.key],
    }),
    index("idempotency_keys_created_index").on(table.created_at),
    foreignKey({
      name: "idempotency_keys_key_fk",
      columns: [table.organization_id, table.api_key_id],
      foreignColumns: [userApiKeys.organization_id, userApiKeys.id],
    }).onDelete("cascade"),
    check("idempotency_keys_subject_check", sql`char_length(${table.subject}) <= 200`),
    check("idempotency_keys_key_check", sql`char_length(${table.key}) between 1 and 255`),
    check(
      "idempotency_keys_operation_check",
      sql`char_length(${table.operation}) between 1 and 300`,
    ),
    check("idempotency_keys_digest_check", sql`octet_length(${table.request_digest}) = 32`),
  ],
);
