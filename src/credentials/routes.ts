import { inArray, sql } from "drizzle-orm";
import { externalIdsTaken } from "../database/external-ids.ts";
import { keyRingOf } from "../database/sealing.ts";
import { credentials } from "../database/tables/index.ts";
import { credentialTypeFilters, typesOfFilter } from "../discovery/credentials/types.ts";
import { choice } from "../http/input/choice.ts";
import {
  contains,
  filter,
  hasExternalId,
  ids,
  isNamed,
  searchFilter,
} from "../http/list/filter.ts";
import { lists } from "../http/list/list.ts";
import { creates } from "../http/verbs/create.ts";
import { deletes } from "../http/verbs/delete.ts";
import { patchesMany } from "../http/verbs/patch-many.ts";
import { reads } from "../http/verbs/read.ts";
import { updates } from "../http/verbs/update.ts";
import { upserts } from "../http/verbs/upsert.ts";
import { beyondReach, foreignReferences, overfullNetworks, unassigned } from "./guards.ts";
import { credentialInput, newCredentialInput } from "./input.ts";
import { credentialResource } from "./model.ts";
import { sealSecrets } from "./seal-secrets.ts";
import {
  credentialLocks,
  insertCredentials,
  replaceCredential,
  replacementLocks,
  violations,
} from "./sql.ts";

/**
 * GET /api/v1/credentials: lists the organization's credentials (API contract, section 3). A key
 * limited to specific networks sees all of them, but only the assignments that it can access.
 */
export const list = lists(credentialResource, {
  type: filter(
    choice(credentialTypeFilters),
    (type) => sql`${credentials.type} = any(${sql.param(typesOfFilter(type))}::text[])`,
  ),
  ids: filter(ids, (values) => inArray(credentials.id, values)),
  name: isNamed(credentials.name),
  external_id: hasExternalId(credentials.external_id),
  q: searchFilter((text) => contains(text, credentials.id, [credentials.name])),
});

/** GET /api/v1/credentials/{id}: returns one credential, with its secrets masked. */
export const read = reads(credentialResource);

/**
 * POST /api/v1/credentials: creates a credential with all of its secrets.
 * POST /api/v1/credentials/bulk: creates 1 to 100 credentials atomically.
 */
export const [create, createMany, creation] = creates(credentialResource, {
  role: "Admin",
  scope: "networks",
  body: newCredentialInput,
  errors: ["auth_scope_denied", "entity_reference_invalid"],
  violations,
  create: async (c, sent, pathOf) => {
    const ring = keyRingOf(c.var.settings);
    const credentials = await Promise.all(
      sent.map(async (credential) => {
        const { sealed } = await sealSecrets(ring, credential, credential.credential_type);
        return { ...credential, secrets: sealed };
      }),
    );
    return {
      locks: credentialLocks([], sent),
      guards: [
        foreignReferences(sent, pathOf),
        unassigned(sent),
        ...externalIdsTaken(credentialResource, sent, pathOf),
      ],
      write: (database) => insertCredentials(database, credentials),
      finally: overfullNetworks(sent, pathOf),
    };
  },
});

/**
 * PUT /api/v1/credentials/{id}: replaces a credential (API contract, section 3).
 * PATCH /api/v1/credentials/{id}: changes the fields that are sent.
 */
export const [update, patch, replacement] = updates(credentialResource, {
  role: "Admin",
  scope: "networks",
  body: credentialInput,
  errors: ["auth_scope_denied", "entity_already_exists", "entity_reference_invalid"],
  violations,
  locksOfMany: replacementLocks,
  update: async (c, id, credential, path) => {
    const ring = keyRingOf(c.var.settings);
    const secrets = await sealSecrets(ring, { ...credential, id }, credential.credential_type);
    return { replace: (tags) => replaceCredential(id, credential, secrets, { tags, path }) };
  },
});

/** PATCH /api/v1/credentials/bulk: changes fields of 1 to 100 credentials atomically. */
export const patchMany = patchesMany(credentialResource, replacement);

/**
 * PUT /api/v1/credentials/by-external-id/{external_id}: creates or replaces the credential with this
 * external id.
 */
export const upsert = upserts(credentialResource, creation, replacement);

/**
 * DELETE /api/v1/credentials/{id}: deletes a credential and its assignments.
 * POST /api/v1/credentials/bulk-delete: deletes up to 1,000 credentials atomically.
 */
export const [deleteOne, deleteMany] = deletes(credentialResource, {
  role: "Admin",
  scope: "networks",
  errors: ["auth_scope_denied"],
  locks: (ids: readonly string[]) => credentialLocks(ids),
  guards: (ids: readonly string[]) => [beyondReach(ids)],
});
