import { inArray, sql } from "drizzle-orm";
import * as z from "zod";
import { tooMuchOnNetworks } from "../database/large-deletion.ts";
import { networks, networkTags } from "../database/tables/index.ts";
import { booleanText } from "../http/input/boolean-text.ts";
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
import { deletesMany, deletesOne } from "../http/verbs/delete.ts";
import { patchesMany } from "../http/verbs/patch-many.ts";
import { reads } from "../http/verbs/read.ts";
import { updates } from "../http/verbs/update.ts";
import { upserts } from "../http/verbs/upsert.ts";
import { networkInput } from "./input.ts";
import { networkResource } from "./model.ts";
import {
  deletionLocks,
  insertNetworks,
  networkGuards,
  networkLocks,
  overfullCredentials,
  replaceNetwork,
  stillUsed,
  violations,
} from "./sql.ts";

/** GET /api/v1/networks: lists the networks that the key can access. */
export const list = lists(networkResource, {
  ids: filter(ids, (values) => inArray(networks.id, values)),
  tag_ids: filter(
    ids,
    (values) => sql`exists (
      select from ${networkTags} as tagged
      where tagged.network_id = ${networks.id} and tagged.tag_id = any (${sql.param(values)}::uuid[]))`,
  ),
  name: isNamed(networks.name),
  external_id: hasExternalId(networks.external_id),
  q: searchFilter((text) => contains(text, networks.id, [networks.name, networks.description])),
});

/** GET /api/v1/networks/{id}: returns one network. */
export const read = reads(networkResource);

/**
 * POST /api/v1/networks: creates a network.
 * POST /api/v1/networks/bulk: creates 1 to 100 networks atomically.
 */
export const [create, createMany, creation] = creates(networkResource, {
  role: "Admin",
  scope: "organization",
  body: networkInput,
  errors: ["entity_reference_invalid"],
  violations,
  create: (_, networks, pathOf) => ({
    locks: networkLocks([], networks),
    guards: networkGuards(networks, pathOf),
    write: (database) => insertNetworks(database, networks),
    finally: overfullCredentials(networks, pathOf),
  }),
});

/**
 * PUT /api/v1/networks/{id}: replaces a network.
 * PATCH /api/v1/networks/{id}: changes the fields that are sent.
 */
export const [update, patch, replacement] = updates(networkResource, {
  role: "Admin",
  scope: "organization",
  body: networkInput,
  errors: ["entity_already_exists", "entity_reference_invalid"],
  violations,
  locks: (networks) =>
    networkLocks(
      networks.map(({ id }) => id),
      networks,
    ),
  update: (_, id, network, path) => ({
    guards: networkGuards([{ ...network, id }], () => path),
    write: (database) => replaceNetwork(database, id, network),
    finally: overfullCredentials([network], () => path),
  }),
});

/** PATCH /api/v1/networks/bulk: changes fields of 1 to 100 networks atomically. */
export const patchMany = patchesMany(networkResource, replacement);

/**
 * PUT /api/v1/networks/by-external-id/{external_id}: creates or replaces the network with this
 * external id.
 */
export const upsert = upserts(networkResource, creation, replacement);

const query = z.strictObject({
  cascade: booleanText.optional(),
});

const deletion = {
  role: "Admin",
  scope: "organization",
  locks: deletionLocks,
} as const;

/**
 * DELETE /api/v1/networks/{id}: deletes a network. If it has hosts or daemons, `cascade=true` is
 * required and deletes them, up to the limit for one deletion.
 */
export const deleteOne = deletesOne(networkResource, {
  ...deletion,
  errors: ["entity_in_use", "deletion_too_large"],
  isLong: true,
  query,
  guards: (ids, { cascade }) => [cascade ? tooMuchOnNetworks(ids) : stillUsed(ids)],
});

/**
 * POST /api/v1/networks/bulk-delete: deletes up to 1,000 networks that have neither hosts nor
 * daemons.
 */
export const deleteMany = deletesMany(networkResource, {
  ...deletion,
  errors: ["entity_in_use"],
  guards: (ids) => [stillUsed(ids)],
});
