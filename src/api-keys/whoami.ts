import { sql } from "drizzle-orm";
import * as z from "zod";
import { recordWith } from "../database/collection.ts";
import { maximumSubject, organizations } from "../database/tables/index.ts";
import { authenticate } from "../http/authenticate.ts";
import { mayFail } from "../http/declares.ts";
import { ok } from "../http/envelope.ts";
import { factory } from "../http/factory.ts";
import { id } from "../http/input/id.ts";
import { sortedIds } from "../http/input/set.ts";
import { name } from "../http/input/text.ts";
import { timestamp } from "../http/input/timestamp.ts";
import { validate } from "../http/validation/validate.ts";
import { itemOf, type RecordRow } from "../http/verbs/resource.ts";
import { roles } from "../roles.ts";
import { apiKeyResource, apiKeySchema } from "./model.ts";

/** A token, with its current rights. */
const tokenSchema = z
  .object({
    subject: z.string().max(maximumSubject),
    permissions: z.enum(roles).meta({ description: "The lower role of the token and its key." }),
    network_ids: sortedIds(
      "The networks that both the token and its key can access; null for every network.",
    ).nullable(),
    expires_at: timestamp,
  })
  .meta({ id: "Token", description: "A token, with its current rights." });

type Token = z.output<typeof tokenSchema>;

/** A key and its organization. */
export const whoamiSchema = z
  .object({
    api_key: apiKeySchema,
    token: tokenSchema.nullable().meta({
      description: "The token that was sent, issued by the API key; null if the key was sent.",
    }),
    organization: z.object({ id, name }).meta({ id: "OrganizationReference" }),
  })
  .meta({
    id: "Caller",
    description: "The caller's API key or token, and its organization.",
  });

/** GET /api/v1/auth/whoami: returns the caller's API key or token, and its organization. */
export const whoami = factory.createHandlers(
  authenticate("Viewer"),
  validate({ query: z.strictObject({}) }),
  mayFail(),
  async (c) => {
    const [keys, tokens, own] = await c.var.tenant.run((database) => [
      database.execute<RecordRow>(recordWith(apiKeyResource, sql`app.key_id()`)),
      database.execute<Token & Record<string, unknown>>(
        sql`select subject, permissions::text, network_ids, expires_at from app.own_token()`,
      ),
      database.select({ id: organizations.id, name: organizations.name }).from(organizations),
    ]);
    const [key] = keys.rows;
    const [organization] = own;
    if (key === undefined || organization === undefined) {
      throw new Error("The gate accepted a key that does not exist.");
    }
    const [presented] = tokens.rows;
    const token: Token | null = presented ?? null;
    return ok(c, { api_key: itemOf(apiKeyResource, key), token, organization });
  },
);
