import * as z from "zod";
import { apiKeySchema } from "../../src/api-keys/model.ts";
import type { Answer, Api } from "./api.ts";
import { sql } from "./database.ts";

/** The id of a key. */
export async function keyIdOf(plaintext: string): Promise<string> {
  const [row] = await sql`
    select api_key_id as id from user_api_key_secrets
    where key_hash = sha256(convert_to(${plaintext}, 'UTF8'))`;
  return String(row?.["id"]);
}

const shownKey = z.object({ key: z.string(), api_key: apiKeySchema });

/** The key with its plaintext in the response of a create or a rotation. */
export const shownIn = ({ body }: Answer) => z.object({ data: shownKey }).parse(body).data;

/** The keys with their plaintexts in the response of a bulk create. */
export const allShownIn = ({ body }: Answer) =>
  z.object({ data: z.array(shownKey) }).parse(body).data;

/** Creates a key by the API. */
export const createKey = async (api: Api, caller: string, json: Record<string, unknown>) =>
  shownIn(await api.send("POST", "/api/v1/auth/keys", { key: caller, json }));

/** What the API says to a key, by the call that every key may make. */
export const whoami = (api: Api, key: string): Promise<Answer> =>
  api.send("GET", "/api/v1/auth/whoami", { key });
