import * as z from "zod";
import { apiKeySchema } from "../../src/api-keys/model.ts";
import type { Answer, Api } from "./api.ts";
import { sql } from "./database.ts";

/** The id of the key with this plaintext. */
export async function keyIdOf(plaintext: string): Promise<string> {
  const [row] = await sql`
    select api_key_id as id from user_api_key_secrets
    where key_hash = sha256(convert_to(${plaintext}, 'UTF8'))`;
  return String(row?.["id"]);
}

const keyWithPlaintext = z.object({ key: z.string(), api_key: apiKeySchema });

/** The key and its plaintext in the response to a create or a rotation. */
export const shownIn = ({ body }: Answer) => z.object({ data: keyWithPlaintext }).parse(body).data;

/** The keys and their plaintexts in the response to a bulk create. */
export const allShownIn = ({ body }: Answer) =>
  z.object({ data: z.array(keyWithPlaintext) }).parse(body).data;

/** Creates a key with a request. */
export const createKey = async (api: Api, caller: string, json: Record<string, unknown>) =>
  shownIn(await api.send("POST", "/api/v1/auth/keys", { key: caller, json }));

/** The response to an operation that every key may perform. */
export const whoami = (api: Api, key: string): Promise<Answer> =>
  api.send("GET", "/api/v1/auth/whoami", { key });
