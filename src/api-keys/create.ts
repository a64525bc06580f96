import * as z from "zod";
import { authenticate } from "../http/authenticate.ts";
import { handles } from "../http/declares.ts";
import { created } from "../http/envelope.ts";
import { factory } from "../http/factory.ts";
import { found } from "../http/found.ts";
import { requireScope } from "../http/scope.ts";
import { validate } from "../http/validate.ts";
import { createHeader } from "../http/verbs/create.ts";
import { createOnce, markReplay } from "../http/verbs/create-once.ts";
import { itemOf } from "../http/verbs/resource.ts";
import { apiKeyInput } from "./input.ts";
import { mint } from "./mint.ts";
import { apiKeyResource, apiKeySchema } from "./model.ts";
import { aboveOwnRole, foreignReferences, insertKey, violations } from "./sql.ts";

/** A key with its plaintext, which is shown this once. */
export const newApiKeySchema = z
  .object({
    key: apiKeySchema,
    api_key: z.string().max(44).nullable().meta({
      description: "The key itself, shown this once; null in a replayed response.",
    }),
  })
  .meta({ id: "NewApiKey", description: "An API key with its plaintext, which is shown once." });

/** POST /api/v1/auth/keys: creates an API key, never above the caller's own role. */
export const createApiKey = factory.createHandlers(
  authenticate("Admin"),
  requireScope("organization"),
  validate({ header: createHeader, json: apiKeyInput }),
  handles({
    errors: [
      "auth_permission_denied",
      "entity_reference_invalid",
      "entity_already_exists",
      "entity_not_found",
      "idempotency_key_reused",
    ],
    responses: { 201: ["ETag", "Location", "Idempotent-Replayed"] },
  }),
  async (c) => {
    const sent = c.req.valid("json");
    const key = { ...sent, id: sent.id ?? crypto.randomUUID() };
    const { plaintext, kept } = await mint();
    const result = await createOnce(c, apiKeyResource, {
      ids: [key.id],
      idempotencyKey: c.req.valid("header")["idempotency-key"],
      violations,
      change: {
        guards: [aboveOwnRole(key.permissions), ...foreignReferences(key)],
        write: (database) => insertKey(database, key, kept),
      },
    });
    const id = result.ids[0] ?? key.id;
    const row = found(result.rows, apiKeyResource.entity, id);
    markReplay(c, result);
    c.header("ETag", row.etag);
    c.header("Location", `${apiKeyResource.path}/${id}`);
    return created(c, {
      key: itemOf(apiKeyResource, row),
      api_key: result.isReplayed ? null : plaintext,
    });
  },
);
