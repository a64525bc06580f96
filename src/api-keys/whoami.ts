import { sql } from "drizzle-orm";
import * as z from "zod";
import { recordWith } from "../database/collection.ts";
import { organizations } from "../database/tables/index.ts";
import { authenticate } from "../http/authenticate.ts";
import { mayFail } from "../http/declares.ts";
import { ok } from "../http/envelope.ts";
import { factory } from "../http/factory.ts";
import { id } from "../http/input/id.ts";
import { name } from "../http/input/text.ts";
import { validate } from "../http/validation/validate.ts";
import { itemOf, type RecordRow } from "../http/verbs/resource.ts";
import { apiKeyResource, apiKeySchema } from "./model.ts";

/** A key and its organization. */
export const whoamiSchema = z
  .object({
    api_key: apiKeySchema,
    organization: z.object({ id, name }).meta({ id: "OrganizationReference" }),
  })
  .meta({ id: "Caller", description: "The caller's API key, and its organization." });

/** GET /api/v1/auth/whoami: returns the caller's API key and its organization. */
export const whoami = factory.createHandlers(
  authenticate("Viewer"),
  validate({ query: z.strictObject({}) }),
  mayFail(),
  async (c) => {
    const [keys, own] = await c.var.tenant.run((database) => [
      database.execute<RecordRow>(recordWith(apiKeyResource, sql`app.key_id()`)),
      database.select({ id: organizations.id, name: organizations.name }).from(organizations),
    ]);
    const [key] = keys.rows;
    const [organization] = own;
    if (key === undefined || organization === undefined) {
      throw new Error("The gate accepted a key that does not exist.");
    }
    return ok(c, { api_key: itemOf(apiKeyResource, key), organization });
  },
);
