import { sql } from "drizzle-orm";
import * as z from "zod";
import { abortOnFirst, notFound } from "../../database/guards.ts";
import { lock } from "../../database/locks.ts";
import { webhookDeliveries, webhooks } from "../../database/tables/index.ts";
import { authenticate } from "../../http/authenticate.ts";
import { mayFail } from "../../http/declares.ts";
import { ok } from "../../http/envelope.ts";
import { factory } from "../../http/factory.ts";
import { found } from "../../http/found.ts";
import { id } from "../../http/input/id.ts";
import { validate } from "../../http/validation/validate.ts";
import { webhookResource } from "../webhooks/model.ts";
import { type DeliveryRow, toDelivery } from "./model.ts";
import { deliveryColumns } from "./sql.ts";

/**
 * POST /api/v1/webhooks/{id}/deliveries/{delivery_id}/retry: makes a delivery due, whatever its
 * state (API contract, section 12). Idempotent until the delivery is sent.
 */
export const retryDelivery = factory.createHandlers(
  authenticate("Admin"),
  validate({ param: z.object({ id, delivery_id: id }) }),
  mayFail("entity_not_found"),
  async (c) => {
    const { id: webhook, delivery_id } = c.req.valid("param");
    const [{ rows }] = await c.var.tenant.run(
      (database) => [
        database.execute<DeliveryRow>(sql`
          update ${webhookDeliveries} as delivery set state = 'retrying', next_attempt_at = now()
          where delivery.webhook_id = ${webhook} and delivery.id = ${delivery_id}
          returning ${deliveryColumns}`),
        database.execute(sql`
          update ${webhooks} set retry_at = now()
          where webhooks.id = ${webhook} and exists (
            select from ${webhookDeliveries} as delivery
            where delivery.webhook_id = ${webhook} and delivery.id = ${delivery_id})`),
      ],
      {
        first: (database) => [
          database.execute(lock(webhookResource, [webhook])),
          abortOnFirst(database, [notFound(webhookResource, webhook)]),
        ],
      },
    );
    return ok(c, toDelivery(found(rows, "WebhookDelivery", delivery_id)));
  },
);
