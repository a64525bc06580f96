import { sql } from "drizzle-orm";
import * as z from "zod";
import { abortOnFirst, notFound } from "../../database/guards.ts";
import { deliveryStates, webhookDeliveries } from "../../database/tables/index.ts";
import { authenticate } from "../../http/authenticate.ts";
import { handles } from "../../http/declares.ts";
import { okCursor } from "../../http/envelope.ts";
import { factory } from "../../http/factory.ts";
import { choice } from "../../http/input/choice.ts";
import { recordPath } from "../../http/input/id.ts";
import { integerText } from "../../http/input/integer.ts";
import { cursorOf, cursorText, sentPosition } from "../../http/list/cursor.ts";
import { validate } from "../../http/validation/validate.ts";
import { webhookResource } from "../webhooks/model.ts";
import { type DeliveryRow, toDelivery } from "./model.ts";
import { deliveryColumns } from "./sql.ts";

const query = z.strictObject({
  state: choice(deliveryStates).optional(),
  cursor: cursorText.optional(),
  limit: integerText(1, 1000).default(100),
});

/** Identifies this list's records in cursors. */
const entity = "WebhookDelivery";

/**
 * GET /api/v1/webhooks/{id}/deliveries: lists a webhook's deliveries that failed at least once,
 * newest first (API contract, section 12).
 */
export const listDeliveries = factory.createHandlers(
  authenticate("Viewer"),
  validate({ param: recordPath, query }),
  handles({ errors: ["entity_not_found"], hasCursor: true }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { state, cursor, limit } = c.req.valid("query");
    const list = `deliveries ${id}`;
    const after = cursor === undefined ? null : await sentPosition(c.var.settings, list, cursor);
    const [, { rows }] = await c.var.tenant.run((database) => [
      abortOnFirst(database, [notFound(webhookResource, id)]),
      database.execute<DeliveryRow>(sql`
        select ${deliveryColumns} from ${webhookDeliveries} as delivery
        where delivery.organization_id = app.organization_id() and delivery.webhook_id = ${id}
          and ${state === undefined ? sql`true` : sql`delivery.state = ${state}`}
          and ${
            after
              ? sql`(delivery.created_at, delivery.id) < (${after.at}::timestamptz, ${after.entity_id}::uuid)`
              : sql`true`
          }
        order by delivery.created_at desc, delivery.id desc limit ${limit + 1}`),
    ]);
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const end = last
      ? { at: last.created_at, entity_id: last.id }
      : { at: after?.at ?? "9999-12-31T23:59:59.999Z", entity_id: after?.entity_id ?? id };
    const caller = c.var.tenant.caller;
    if (!caller) {
      throw new Error("The gate accepted a key, but the session has no caller.");
    }
    const { organization_id } = caller;
    return okCursor(c, page.map(toDelivery), {
      next_cursor: await cursorOf(c.var.settings, list, { organization_id, entity, ...end }),
      has_more: rows.length > limit,
    });
  },
);
