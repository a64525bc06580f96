import { hashApiKey, hintOf, mintOperatorKey } from "../../src/api-key.ts";
import { sql } from "./database.ts";

/** Creates an operator key. Returns its plaintext and its id. */
export async function mintOperator({
  name = "Test",
  expires_at = null,
  revoked_at = null,
}: {
  name?: string;
  expires_at?: string | null;
  revoked_at?: string | null;
} = {}): Promise<{
  key: string;
  id: string;
}> {
  const key = mintOperatorKey();
  const id = crypto.randomUUID();
  await sql`
    insert into app.operator_keys (id, name, key_hash, key_hint, expires_at, revoked_at)
    values (${id}, ${name}, decode(${await hashApiKey(key)}, 'hex'), ${hintOf(key)}, ${expires_at},
      ${revoked_at})`;
  return { key, id };
}
