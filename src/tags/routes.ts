import { inArray } from "drizzle-orm";
import { externalIdsTaken } from "../database/external-ids.ts";
import { tags } from "../database/tables/index.ts";
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
import { tagInput } from "./input.ts";
import { tagResource } from "./model.ts";
import { deletionLocks, insertTags, namesRepeated, nameTaken, violations } from "./sql.ts";

/** GET /api/v1/tags: lists the organization's tags. */
export const list = lists(tagResource, {
  ids: filter(ids, (values) => inArray(tags.id, values)),
  name: isNamed(tags.name),
  external_id: hasExternalId(tags.external_id),
  q: searchFilter((text) => contains(text, tags.id, [tags.name, tags.description])),
});

/** GET /api/v1/tags/{id}: returns one tag. */
export const read = reads(tagResource);

/**
 * POST /api/v1/tags: creates a tag.
 * POST /api/v1/tags/bulk: creates 1 to 100 tags atomically.
 */
export const [create, createMany, creation] = creates(tagResource, {
  role: "Admin",
  scope: "organization",
  body: tagInput,
  errors: [],
  violations,
  create: (_, tags, pathOf) => ({
    guards: [
      ...namesRepeated(tags, pathOf),
      nameTaken(tags, pathOf),
      ...externalIdsTaken(tagResource, tags, pathOf),
    ],
    insert: (passed) => insertTags(tags, passed),
  }),
});

/**
 * PUT /api/v1/tags/{id}: replaces a tag.
 * PATCH /api/v1/tags/{id}: changes the fields that are sent.
 */
export const [update, patch, replacement] = updates(tagResource, {
  role: "Admin",
  scope: "organization",
  body: tagInput,
  errors: ["entity_already_exists"],
  violations,
  update: (_, id, { name, description, color, external_id, metadata }, path) => ({
    guards: [
      nameTaken([{ id, name }], () => path),
      ...externalIdsTaken(tagResource, [{ id, external_id }], () => path),
    ],
    set: { name, description, color, external_id, metadata: JSON.stringify(metadata) },
  }),
});

/** PATCH /api/v1/tags/bulk: changes fields of 1 to 100 tags atomically. */
export const patchMany = patchesMany(tagResource, replacement);

/**
 * PUT /api/v1/tags/by-external-id/{external_id}: creates or replaces the tag with this
 * external id.
 */
export const upsert = upserts(tagResource, creation, replacement);

/**
 * DELETE /api/v1/tags/{id}: deletes a tag and removes it from all records.
 * POST /api/v1/tags/bulk-delete: deletes up to 1,000 tags atomically.
 */
export const [deleteOne, deleteMany] = deletes(tagResource, {
  role: "Admin",
  scope: "organization",
  errors: [],
  locks: deletionLocks,
});
