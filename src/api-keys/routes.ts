import { eq, inArray } from "drizzle-orm";
import { lockRecords } from "../database/locks.ts";
import { userApiKeys } from "../database/tables/index.ts";
import { booleanText } from "../http/input/boolean-text.ts";
import { contains, filter, ids, isNamed, searchFilter } from "../http/list/filter.ts";
import { lists } from "../http/list/list.ts";
import { ofBody } from "../http/verbs/create.ts";
import { deletes } from "../http/verbs/delete.ts";
import { reads } from "../http/verbs/read.ts";
import { updates } from "../http/verbs/update.ts";
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

/** GET /api/v1/auth/keys: lists the organization's API keys. */
export const list = lists(apiKeyResource, {
  ids: filter(ids, (values) => inArray(userApiKeys.id, values)),
  is_enabled: filter(booleanText, (value) => eq(userApiKeys.is_enabled, value)),
  name: isNamed(userApiKeys.name),
  q: searchFilter((text) => contains(text, userApiKeys.id, [userApiKeys.name])),
});

/** GET /api/v1/auth/keys/{id}: returns one API key, without the key itself. */
export const read = reads(apiKeyResource);

/**
 * PUT /api/v1/auth/keys/{id}: replaces an API key, except its plaintext.
 * PATCH /api/v1/auth/keys/{id}: changes the fields that are sent.
 */
export const [update, patch] = updates(apiKeyResource, {
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

/**
 * DELETE /api/v1/auth/keys/{id}: deletes an API key, which stops working immediately.
 * POST /api/v1/auth/keys/bulk-delete: deletes up to 1,000 API keys, all or nothing.
 */
// The database rejects keys with a higher role than the caller's, and requests that would remove
// the last Owner key: `app.refuse_higher_key`, `app.keep_owner_key`.
export const [deleteOne, deleteMany] = deletes(apiKeyResource, {
  role: "Admin",
  scope: "organization",
  errors: ["auth_permission_denied", "entity_in_use"],
});
