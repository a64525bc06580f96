import { sql } from "drizzle-orm";
import { recordWith } from "../../database/collection.ts";
import { abortOnFirst, notFound } from "../../database/guards.ts";
import { lock } from "../../database/locks.ts";
import { webhooks } from "../../database/tables/index.ts";
import { authenticate } from "../../http/authenticate.ts";
import { handles } from "../../http/declares.ts";
import { ok } from "../../http/envelope.ts";
import { factory } from "../../http/factory.ts";
import { found } from "../../http/found.ts";
import { recordPath } from "../../http/input/id.ts";
import { validate } from "../../http/validation/validate.ts";
import { itemOf, type RecordRow } from "../../http/verbs/resource.ts";
import { webhookRotationInput } from "./input.ts";
import { webhookResource } from "./model.ts";
import { mintSecret } from "./secret.ts";

/**
 * POST /api/v1/webhooks/{id}/rotate: creates a new secret. During the overlap, deliveries are also
 * signed with the old one.
 */
export const rotateWebhookSecret = factory.createHandlers(
  authenticate("Admin"),
  validate({ param: recordPath, json: webhookRotationInput }),
  handles({ errors: ["entity_not_found"], responses: { 200: ["ETag"] } }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { overlap_seconds } = c.req.valid("json");
    const organizationId = await c.var.tenant.organizationId();
    const { secret, sealed, hint } = await mintSecret(c.var.settings, organizationId, id);
    const [{ rows }] = await c.var.tenant.run(
      (database) => [database.execute<RecordRow>(recordWith(webhookResource, id))],
      {
        first: (database) => [
          database.execute(lock(webhookResource, [id])),
          abortOnFirst(database, [notFound(webhookResource, id)]),
          database.execute(
            sql`select app.store_webhook_secret(${id}, ${sealed}, ${overlap_seconds})`,
          ),
          database.execute(
            sql`update ${webhooks} set secret_hint = ${hint} where webhooks.id = ${id}`,
          ),
        ],
      },
    );
    const row = found(rows, webhookResource.entity, id);
    c.header("ETag", row.etag);
    return ok(c, { secret, webhook: itemOf(webhookResource, row) });
  },
);
