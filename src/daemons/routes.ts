import { eq, inArray, sql } from "drizzle-orm";
import { lockRecords } from "../database/locks.ts";
import { daemons, daemonTags } from "../database/tables/index.ts";
import { booleanText } from "../http/input/boolean-text.ts";
import { id } from "../http/input/id.ts";
import {
  contains,
  filter,
  hasExternalId,
  ids,
  isNamed,
  searchFilter,
} from "../http/list/filter.ts";
import { lists } from "../http/list/list.ts";
import { deletes } from "../http/verbs/delete.ts";
import { patchesMany } from "../http/verbs/patch-many.ts";
import { reads } from "../http/verbs/read.ts";
import { updates } from "../http/verbs/update.ts";
import { daemonInput } from "./input.ts";
import { daemonResource } from "./model.ts";
import { boundForLife, daemonGuards, replaceDaemon, violations } from "./sql.ts";

/** GET /api/v1/daemons: lists the daemons on the key's networks (API contract, section 5). */
export const list = lists(daemonResource, {
  network_id: filter(id, (network) => eq(daemons.network_id, network)),
  ids: filter(ids, (values) => inArray(daemons.id, values)),
  tag_ids: filter(
    ids,
    (values) => sql`exists (
      select from ${daemonTags} as tagged
      where tagged.daemon_id = ${daemons.id} and tagged.tag_id = any (${sql.param(values)}::uuid[]))`,
  ),
  is_unreachable: filter(booleanText, (value) => eq(daemons.is_unreachable, value)),
  name: isNamed(daemons.name),
  external_id: hasExternalId(daemons.external_id),
  q: searchFilter((text) => contains(text, daemons.id, [daemons.name, daemons.url])),
});

/** GET /api/v1/daemons/{id}: returns one daemon, with the time and cause of its last failure. */
export const read = reads(daemonResource);

/**
 * PUT /api/v1/daemons/{id}: replaces a daemon's name, URL path and tags. PATCH
 * /api/v1/daemons/{id}: changes the fields that are sent.
 */
export const [update, patch, replacement] = updates(daemonResource, {
  role: "Member",
  scope: "networks",
  body: daemonInput,
  errors: ["entity_already_exists", "entity_reference_invalid"],
  violations,
  locks: (daemons) => [
    lockRecords({
      tags: daemons.flatMap(({ tags }) => tags),
      daemons: daemons.map(({ id }) => id),
    }),
  ],
  update: (_, id, daemon, path) => ({
    guards: [...daemonGuards({ ...daemon, id }, path), ...boundForLife(id, daemon, path)],
    write: (database) => replaceDaemon(database, id, daemon),
  }),
});

/** PATCH /api/v1/daemons/bulk: changes fields of 1 to 100 daemons atomically. */
export const patchMany = patchesMany(daemonResource, replacement);

/**
 * DELETE /api/v1/daemons/{id}: deletes a daemon, which is then no longer polled.
 * POST /api/v1/daemons/bulk-delete: deletes up to 1,000 daemons, all or nothing.
 */
export const [deleteOne, deleteMany] = deletes(daemonResource, {
  role: "Member",
  scope: "networks",
  errors: [],
});
