import * as z from "zod";
import { demoSigningKeys } from "../../drizzle/demo/signing-keys.ts";
import { hashApiKey } from "../../src/api-key.ts";
import { issuedTokenSchema } from "../../src/api-keys/issue-token.ts";
import { userApiTokens } from "../../src/database/tables/index.ts";
import { parseSigningKeys } from "../../src/env.ts";
import { mintTokenSecret, signToken } from "../../src/http/token.ts";
import type { Answer } from "./api.ts";
import { database, sql } from "./database.ts";

const settings = { SIGNING_KEYS: parseSigningKeys(demoSigningKeys) };

type Values = Partial<typeof userApiTokens.$inferInsert>;

/**
 * Creates a token of a key without a request. By default, it is limited only by the key.
 * @returns the signed token, and the secret id in it, whose hash the database stores
 */
export async function mintTokenWithSecret(key: string, values: Values = {}) {
  const key_hash = await hashApiKey(key);
  const [issuer] = await sql`
    select organization_id, api_key_id from user_api_key_secrets
    where key_hash = decode(${key_hash}, 'hex')`;
  const { organization_id, api_key_id } = z
    .object({ organization_id: z.guid(), api_key_id: z.guid() })
    .parse(issuer);
  const secret = mintTokenSecret();
  const inMinutes = Math.ceil(Date.now() / 1000 + 600) * 1000;
  const row = {
    role: "Owner",
    subject: "user",
    expires_at: new Date(inMinutes).toISOString(),
    ...values,
    ...{ organization_id, api_key_id, key_hash },
    token_hash: await hashApiKey(secret),
  } as const;
  await database.insert(userApiTokens).values(row);
  const { subject, expires_at: expiresAt } = row;
  return {
    secret,
    token: await signToken(settings, { secret, keyId: api_key_id, subject, expiresAt }),
  };
}

/** Creates a token of a key as {@link mintTokenWithSecret} does, and returns only the token. */
export const mintToken = async (key: string, values: Values = {}): Promise<string> =>
  (await mintTokenWithSecret(key, values)).token;

/** The token in the response to a request that issued one. */
export const issuedIn = ({ body }: Answer) =>
  z.object({ data: issuedTokenSchema }).parse(body).data;
