import { sql } from "drizzle-orm";
import { recordWith } from "../../database/collection.ts";
import { abortOnAny, abortOnFirst, invalidWhen, notFound } from "../../database/guards.ts";
import { lock } from "../../database/locks.ts";
import { webhooks } from "../../database/tables/index.ts";
import { authenticate } from "../../http/authenticate.ts";
import { handles } from "../../http/declares.ts";
import { ok } from "../../http/envelope.ts";
import { factory } from "../../http/factory.ts";
import { found } from "../../http/found.ts";
import { recordPath } from "../../http/input/id.ts";
import { behindAll, feed, noId, sentPosition } from "../../http/list/cursor.ts";
import { validate } from "../../http/validation/validate.ts";
import { itemOf, type RecordRow } from "../../http/verbs/resource.ts";
import { replayInput } from "./input.ts";
import { webhookResource } from "./model.ts";

/**
 * POST /api/v1/webhooks/{id}/replay: resends all changes after an instant or a cursor. Deliveries
 * in progress are invalidated, and repeated if their changes are after that position.
 */
export const replayWebhook = factory.createHandlers(
  authenticate("Admin"),
  validate({ param: recordPath, json: replayInput }),
  handles({
    errors: ["entity_not_found", "history_expired", "cursor_expired"],
    responses: { 200: ["ETag"] },
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { since = "", cursor } = c.req.valid("json");
    const position =
      cursor === undefined
        ? { organization_id: null, at: since, entity: behindAll, entity_id: noId }
        : await sentPosition(c.var.settings, feed, cursor, "body.cursor");
    const { organization_id, at, entity, entity_id } = position;
    const [{ rows }] = await c.var.tenant.run(
      (database) => [database.execute<RecordRow>(recordWith(webhookResource, id))],
      {
        first: (database) => [
          database.execute(lock(webhookResource, [id])),
          abortOnFirst(database, [notFound(webhookResource, id)]),
          ...abortOnAny(
            database,
            organization_id === null
              ? []
              : [
                  invalidWhen(
                    sql`${organization_id}::uuid <> app.organization_id()`,
                    "body.cursor",
                    "is a cursor of another organization: send one of this organization",
                  ),
                ],
          ),
          database.execute(
            sql`select app.require_history(${at}::timestamptz, ${cursor === undefined ? null : entity}::text)`,
          ),
          database.execute(sql`
            update ${webhooks} set position_at = ${at}, position_entity = ${entity},
              position_id = ${entity_id}, replays = replays + 1, newer_at = now(),
              lease_expires_at = null, delivery_generation = delivery_generation + 1
            where webhooks.id = ${id}`),
        ],
      },
    );
    const row = found(rows, webhookResource.entity, id);
    c.header("ETag", row.etag);
    return ok(c, itemOf(webhookResource, row));
  },
);
