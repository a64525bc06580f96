import { deleteMany, deleteOne, noQuery } from "../http/verbs/delete.ts";
import { apiKeyResource } from "./model.ts";

// The database refuses keys above the caller's own, and the last Owner key (migration `keys`).
const options = {
  role: "Admin",
  scope: "organization",
  errors: ["auth_permission_denied", "entity_in_use"],
} as const;

/** DELETE /api/v1/auth/keys/{id}: deletes an API key, which stops working with the next request. */
export const deleteApiKey = deleteOne(apiKeyResource, { ...options, query: noQuery });

/** POST /api/v1/auth/keys/bulk-delete: deletes up to 1,000 API keys, all or nothing. */
export const deleteApiKeys = deleteMany(apiKeyResource, options);
