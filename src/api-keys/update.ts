import { lockRecords } from "../database/locks.ts";
import { ofBody } from "../http/verbs/create.ts";
import { update } from "../http/verbs/update.ts";
import { apiKeyInput } from "./input.ts";
import { apiKeyResource } from "./model.ts";
import {
  aboveOwnRole,
  belowKey,
  disablesItself,
  endsInThePast,
  foreignReferences,
  replaceKey,
  violations,
} from "./sql.ts";

/** PUT /api/v1/auth/keys/{id}: replaces everything of an API key but the key itself. */
export const updateApiKey = update(apiKeyResource, {
  role: "Admin",
  scope: "organization",
  body: apiKeyInput,
  errors: ["auth_permission_denied", "entity_reference_invalid", "entity_in_use"],
  violations,
  update: (_, id, key) => ({
    locks: [lockRecords({ networks: key.network_ids ?? [], apiKeys: [id] })],
    guards: [
      belowKey(id),
      aboveOwnRole(key.permissions),
      endsInThePast([key], ofBody, id),
      disablesItself(id, key),
      ...foreignReferences([key], ofBody),
    ],
    write: (database) => replaceKey(database, id, key),
  }),
});
