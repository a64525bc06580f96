import { deleteMany, deleteOne, noQuery } from "../http/verbs/delete.ts";
import { beyondReach } from "./guards.ts";
import { credentialResource } from "./model.ts";
import { credentialLocks } from "./sql.ts";

const options = {
  role: "Admin",
  scope: "networks",
  errors: ["auth_scope_denied"],
  locks: (ids: readonly string[]) => credentialLocks(ids),
  guards: (ids: readonly string[]) => [beyondReach(ids)],
} as const;

/** DELETE /api/v1/credentials/{id}: deletes a credential, and with it its assignments. */
export const deleteCredential = deleteOne(credentialResource, { ...options, query: noQuery });

/** POST /api/v1/credentials/bulk-delete: deletes up to 1,000 credentials, all or nothing. */
export const deleteCredentials = deleteMany(credentialResource, options);
