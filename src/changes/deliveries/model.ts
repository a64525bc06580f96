import * as z from "zod";
import { type DeliveryError, deliveryStates } from "../../database/tables/index.ts";
import { id } from "../../http/input/id.ts";
import { integer } from "../../http/input/integer.ts";
import { timestamp } from "../../http/input/timestamp.ts";
import { deliveryErrorSchema } from "../webhooks/model.ts";

/** A delivery that failed at least once (API contract, section 12). */
export const deliverySchema = z
  .object({
    id,
    created_at: timestamp.meta({ description: "The time of the first attempt." }),
    webhook_id: id,
    message_id: z.string().max(64).meta({
      description: "The `webhook-id` header, which is the same for every retry.",
    }),
    state: z.enum(deliveryStates).meta({
      description:
        "`retrying`: the delivery is waiting for its next attempt. `failed`: it is not attempted again, unless it is retried manually.",
    }),
    since: timestamp.meta({
      description: "All its changes happened at this instant or later.",
    }),
    until: timestamp.meta({ description: "All its changes happened at this instant or earlier." }),
    attempt_count: integer(1),
    last_attempt_at: timestamp,
    next_attempt_at: timestamp.nullable(),
    duration_ms: integer().meta({ description: "The duration of the last attempt." }),
    error: deliveryErrorSchema.nullable().meta({
      description: "The error of the last attempt; null if it succeeded.",
    }),
  })
  .meta({
    id: "WebhookDelivery",
    description: "A delivery that failed at least once.",
  });
export type Delivery = z.output<typeof deliverySchema>;

export interface DeliveryRow extends Record<string, unknown>, Omit<Delivery, "error"> {
  error: DeliveryError | null;
  http_status: number | null;
}

/** Converts a row to a delivery in the response format. */
export const toDelivery = ({ error, http_status, ...row }: DeliveryRow): Delivery => ({
  id: row.id,
  created_at: row.created_at,
  webhook_id: row.webhook_id,
  message_id: row.message_id,
  state: row.state,
  since: row.since,
  until: row.until,
  attempt_count: row.attempt_count,
  last_attempt_at: row.last_attempt_at,
  next_attempt_at: row.next_attempt_at,
  duration_ms: row.duration_ms,
  error: error && { code: error, http_status },
});
