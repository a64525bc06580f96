import { sql } from "drizzle-orm";
import * as z from "zod";
import { type BodyPath, invalidReference } from "../database/failure.ts";
import { abortOnAny, abortOnFirst, missingReferences } from "../database/guards.ts";
import { overfull } from "../database/set-limit.ts";
import { addMembers, replaceMembers } from "../database/sets.ts";
import { authenticate } from "../http/authenticate.ts";
import { mayFail } from "../http/declares.ts";
import { ok } from "../http/envelope.ts";
import { factory } from "../http/factory.ts";
import { id } from "../http/input/id.ts";
import { idSet } from "../http/input/set.ts";
import { validate } from "../http/validation/validate.ts";
import { entityTypes, type Taggable, taggableOf } from "./taggable.ts";

const entityType = z.enum(entityTypes);

const assignment = z
  .strictObject({ entity_type: entityType, entity_id: id, tag_ids: idSet })
  .meta({ id: "TagAssignment", description: "A record, and all of its tags." });

const bulkAssignment = z
  .strictObject({
    entity_type: entityType,
    entity_ids: idSet.min(1, { error: "must have at least 1 member" }),
    tag_id: id,
  })
  .meta({ id: "BulkTagAssignment", description: "Records of one type, and a tag." });

const violations = {
  network_tags_tag_fk: tagGone(),
  daemon_tags_tag_fk: tagGone(),
  credential_tags_tag_fk: tagGone(),
  host_tags_tag_fk: tagGone(),
  service_tags_tag_fk: tagGone(),
  subnet_tags_tag_fk: tagGone(),
};

function tagGone() {
  return invalidReference("Tag", "body.tag_id");
}

const guardsOf = (taggable: Taggable, field: BodyPath, ids: readonly string[]) => [
  ...missingReferences(
    taggable.entity,
    ids.map((record) => ({ id: record, field })),
  ),
  ...(taggable.beyondReach ? [taggable.beyondReach(ids)] : []),
];

/** PUT /api/v1/tags/assign: replaces the set of tags of one record. */
export const assignTags = factory.createHandlers(
  authenticate("Member"),
  validate({ json: assignment }),
  mayFail("entity_reference_invalid", "auth_scope_denied"),
  async (c) => {
    const { entity_type, entity_id, tag_ids } = c.req.valid("json");
    const taggable = taggableOf(entity_type);
    await c.var.tenant.run(
      (database) => [
        ...taggable.lock(tag_ids, [entity_id]).map((lock) => database.execute(lock)),
        abortOnFirst(database, [
          ...guardsOf(taggable, "body.entity_id", [entity_id]),
          ...missingReferences(
            "Tag",
            tag_ids.map((tag) => ({ id: tag, field: "body.tag_ids" })),
          ),
        ]),
        replaceMembers(database, taggable.set, entity_id, tag_ids),
      ],
      { violations },
    );
    return ok(c, { entity_type, entity_id, tag_ids: tag_ids.toSorted() });
  },
);

/** POST /api/v1/tags/assign/bulk-add: adds a tag to records atomically. */
export const addTagToRecords = factory.createHandlers(
  authenticate("Member"),
  validate({ json: bulkAssignment }),
  mayFail("entity_reference_invalid", "auth_scope_denied"),
  async (c) => {
    const { entity_type, entity_ids, tag_id } = c.req.valid("json");
    const taggable = taggableOf(entity_type);
    const [added] = await c.var.tenant.run(
      (database) => [
        addMembers(
          database,
          taggable.set,
          entity_ids.map((owner) => ({ owner, member: tag_id })),
        ),
        ...abortOnAny(
          database,
          overfull(
            taggable.set,
            entity_ids.map((record) => ({ id: record, field: "body.entity_ids" })),
            { record: taggable.entity.toLowerCase(), members: "tags" },
          ),
        ),
      ],
      {
        violations,
        first: (database) => [
          ...taggable.lock([tag_id], entity_ids).map((lock) => database.execute(lock)),
          abortOnFirst(database, [
            ...guardsOf(taggable, "body.entity_ids", entity_ids),
            ...missingReferences("Tag", [{ id: tag_id, field: "body.tag_id" }]),
          ]),
        ],
      },
    );
    return ok(c, { affected_count: added.rowCount });
  },
);

/** POST /api/v1/tags/assign/bulk-remove: removes a tag from records atomically. */
export const removeTagFromRecords = factory.createHandlers(
  authenticate("Member"),
  validate({ json: bulkAssignment }),
  mayFail("entity_reference_invalid", "auth_scope_denied"),
  async (c) => {
    const { entity_type, entity_ids, tag_id } = c.req.valid("json");
    const taggable = taggableOf(entity_type);
    const { set } = taggable;
    const [removed] = await c.var.tenant.run(
      (database) => [
        database.execute(sql`
          delete from ${sql.identifier(set.table)}
          where ${sql.identifier(set.owner)} = any (${sql.param(entity_ids)}::uuid[])
            and ${sql.identifier(set.member)} = ${tag_id}`),
      ],
      {
        first: (database) => [
          ...taggable.lock([tag_id], entity_ids).map((lock) => database.execute(lock)),
          abortOnFirst(database, [
            ...guardsOf(taggable, "body.entity_ids", entity_ids),
            ...missingReferences("Tag", [{ id: tag_id, field: "body.tag_id" }]),
          ]),
        ],
      },
    );
    return ok(c, { affected_count: removed.rowCount });
  },
);
