import { sql } from "drizzle-orm";

/** The columns of a delivery, from `webhook_deliveries as delivery`. */
export const deliveryColumns = sql`
  delivery.id, delivery.created_at, delivery.webhook_id, delivery.message_id, delivery.state,
  delivery.after_at as since, delivery.until_at as until, delivery.attempt_count,
  delivery.last_attempt_at, delivery.next_attempt_at, delivery.duration_ms, delivery.error,
  delivery.http_status`;
