import * as z from "zod";
import type { PathOf } from "../database/guards.ts";
import { authenticate } from "../http/authenticate.ts";
import { handles } from "../http/declares.ts";
import { created } from "../http/envelope.ts";
import { factory } from "../http/factory.ts";
import { found } from "../http/found.ts";
import { requireScope } from "../http/scope.ts";
import { validate } from "../http/validation/validate.ts";
import { bulk, createHeader, inBulkBody, ofBody } from "../http/verbs/create.ts";
import { createOnce, markReplay } from "../http/verbs/create-once.ts";
import { itemOf, type TenantContext } from "../http/verbs/resource.ts";
import { uuidV7 } from "../uuid.ts";
import { type ApiKeyInput, apiKeyInput } from "./input.ts";
import { mint } from "./mint.ts";
import { apiKeyResource, apiKeySchema } from "./model.ts";
import {
  aboveOwnRole,
  endsInThePast,
  foreignReferences,
  highestRole,
  insertKeys,
  violations,
} from "./sql.ts";

/** A key with its plaintext, which is returned only once. */
export const newApiKeySchema = z
  .object({
    key: z.string().max(44).nullable().meta({
      description: "The plaintext of the key, returned only once; null in a replayed response.",
    }),
    api_key: apiKeySchema,
  })
  .meta({
    id: "IssuedApiKey",
    description: "An API key with its plaintext, which is returned only once.",
  });

const limits = {
  role: "Admin",
  errors: [
    "auth_permission_denied",
    "entity_reference_invalid",
    "entity_already_exists",
    "idempotency_key_reused",
  ],
} as const;

/**
 * Creates keys, once for each Idempotency-Key. Returns them with their plaintexts, in the order in
 * which they were sent.
 */
async function createKeys(
  c: TenantContext,
  sent: readonly ApiKeyInput[],
  idempotencyKey: string | undefined,
  pathOf: PathOf,
) {
  const minted = await Promise.all(
    sent.map(async (key) => ({ ...key, id: key.id ?? uuidV7(), ...(await mint()) })),
  );
  const result = await createOnce(c, apiKeyResource, {
    ids: minted.map(({ id }) => id),
    idempotencyKey,
    pathOf,
    violations,
    change: {
      guards: [
        aboveOwnRole(highestRole(minted)),
        endsInThePast(minted, pathOf),
        ...foreignReferences(minted, pathOf),
      ],
      write: (database) => insertKeys(database, minted),
    },
  });
  const plaintexts = new Map(minted.map(({ id, plaintext }) => [id, plaintext]));
  const keys = result.rows.map((row) => {
    const api_key = itemOf(apiKeyResource, row);
    return { key: result.isReplayed ? null : (plaintexts.get(api_key.id) ?? null), api_key };
  });
  return { ...result, keys };
}

/** POST /api/v1/auth/keys: creates an API key, whose role cannot be higher than the caller's. */
export const createApiKey = factory.createHandlers(
  authenticate(limits.role),
  requireScope("organization"),
  validate(
    { header: createHeader, json: apiKeyInput },
    { elsewhere: { body: `send an array to POST ${apiKeyResource.path}/bulk` } },
  ),
  handles({
    // The key of an earlier request with the same Idempotency-Key may have been deleted.
    errors: [...limits.errors, "entity_not_found"],
    responses: { 201: ["ETag", "Location", "Idempotent-Replayed"] },
  }),
  async (c) => {
    const idempotencyKey = c.req.valid("header")["idempotency-key"];
    const { keys, ...result } = await createKeys(c, [c.req.valid("json")], idempotencyKey, ofBody);
    const [id = ""] = result.ids;
    const { etag } = found(result.rows, apiKeyResource.entity, id);
    markReplay(c, result);
    c.header("ETag", etag);
    c.header("Location", `${apiKeyResource.path}/${id}`);
    return created(c, found(keys, apiKeyResource.entity, id));
  },
);

/**
 * POST /api/v1/auth/keys/bulk: creates 1 to 100 API keys atomically, in the order in which they
 * were sent.
 */
export const createApiKeys = factory.createHandlers(
  authenticate(limits.role),
  requireScope("organization"),
  validate(
    { header: createHeader, json: bulk({ body: apiKeyInput }) },
    { elsewhere: { body: `send a single record to POST ${apiKeyResource.path}` } },
  ),
  handles({ errors: limits.errors, responses: { 201: ["Idempotent-Replayed"] } }),
  async (c) => {
    const idempotencyKey = c.req.valid("header")["idempotency-key"];
    const { keys, ...result } = await createKeys(
      c,
      c.req.valid("json"),
      idempotencyKey,
      inBulkBody,
    );
    markReplay(c, result);
    return created(c, keys);
  },
);
