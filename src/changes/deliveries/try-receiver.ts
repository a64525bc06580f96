import { sql } from "drizzle-orm";
import * as z from "zod";
import { runAsPoller } from "../../database/poller.ts";
import { webhooks } from "../../database/tables/index.ts";
import { authenticate } from "../../http/authenticate.ts";
import { mayFail } from "../../http/declares.ts";
import { ok } from "../../http/envelope.ts";
import { factory } from "../../http/factory.ts";
import { found } from "../../http/found.ts";
import { recordPath } from "../../http/input/id.ts";
import { integer } from "../../http/input/integer.ts";
import { validate } from "../../http/validate.ts";
import { deliveryErrorSchema, webhookResource } from "../webhooks/model.ts";
import { testMessage } from "./message.ts";
import { send } from "./send.ts";

/** What came of a message that tries a receiver. */
export const trialSchema = z
  .object({
    message_id: z.string().max(64).meta({ description: "The header `webhook-id`." }),
    is_delivered: z.boolean(),
    http_status: z
      .int()
      .min(100)
      .max(599)
      .nullable()
      .meta({ description: "Of the receiver's response; null where there was none." }),
    error: deliveryErrorSchema.nullable(),
    duration_ms: integer(),
  })
  .meta({ id: "WebhookTrial", description: "What a receiver did with a signed sample." });

/**
 * POST /api/v1/webhooks/{id}/test: sends a signed sample at once, also where the webhook is disabled, and tells what
 * came of it (API contract, section 12). Nothing of it is stored.
 */
export const tryReceiver = factory.createHandlers(
  authenticate("Admin"),
  validate({ param: recordPath }),
  mayFail("entity_not_found"),
  async (c) => {
    const { id } = c.req.valid("param");
    const { settings, tenant } = c.var;
    const [{ rows }] = await tenant.run(
      (database) => [
        database.execute<{ organization_id: string; url: string }>(
          sql`select organization_id, url from ${webhooks} where ${webhooks.id} = ${id}`,
        ),
      ],
      { isRead: true },
    );
    const { organization_id, url } = found(rows, webhookResource.entity, id);
    // Callers' role has no right to secrets.
    const [secrets] = await runAsPoller(settings, (database) => [
      database.execute<{ sealed: string }>(sql`
        select sealed from webhook_secrets
        where organization_id = ${organization_id} and webhook_id = ${id}
          and (not is_former or expires_at > now())
        order by is_former`),
    ]);
    const message = testMessage();
    const sealed_secrets = secrets.rows.map(({ sealed }) => sealed);
    const { error, http_status, duration_ms } = await send(
      settings,
      { organization_id, webhook_id: id, url, sealed_secrets },
      message,
    );
    return ok(c, {
      message_id: message.id,
      is_delivered: error === null,
      http_status,
      error: error && { code: error, http_status },
      duration_ms,
    });
  },
);
