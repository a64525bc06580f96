import * as z from "zod";
import { describeOperation } from "../../openapi/describe.ts";
import { exampleCursor } from "../../openapi/envelope.ts";
import { idParameter, newestFirstCursor } from "../../openapi/texts.ts";
import { describeMessage } from "../../openapi/webhooks.ts";
import { changeExample } from "../docs.ts";
import { listDeliveries } from "./list.ts";
import { type Delivery, deliverySchema } from "./model.ts";
import { changesMessageSchema, testMessageSchema } from "./payload.ts";
import { retryDelivery } from "./retry.ts";
import { trialSchema, tryReceiver } from "./try-receiver.ts";

const tag = "Webhooks";

const example: Delivery = {
  id: "c81f2a6e-4d05-4b7b-8a39-6f1e0d7c5b24",
  created_at: "2026-04-22T15:41:00.000Z",
  webhook_id: "5e0c1d8a-7b34-4f0e-9a51-c2d4b86e3f17",
  message_id: "msg_2f0d5c1b7a9e48f6b3c4d5e6f7a8b9c0",
  state: "failed",
  since: "2026-04-22T15:40:00.000Z",
  until: "2026-04-22T15:40:12.000Z",
  attempt_count: 8,
  last_attempt_at: "2026-04-23T19:16:05.000Z",
  next_attempt_at: null,
  duration_ms: 15000,
  error: { code: "timed_out", http_status: null },
};

const id = idParameter("Webhook", "webhook", example.webhook_id);

describeOperation(listDeliveries, {
  operationId: "list_webhook_deliveries",
  tag,
  summary: "List a webhook's failed deliveries",
  description:
    "Lists the deliveries that failed at least once, newest first: deliveries that are waiting for a retry, succeeded on a retry, or failed permanently. They are kept for 30 days after their last attempt. Send `meta.next_cursor` as `cursor` while `meta.has_more` is true.",
  parameters: {
    ...id,
    state: { description: "Only deliveries in this state.", example: example.state },
    cursor: newestFirstCursor,
    limit: { description: "Maximum number of deliveries.", example: 100 },
  },
  data: z.array(deliverySchema).max(1000),
  response: "The deliveries before the cursor.",
  example: { data: [example] },
  errorExamples: { entity_not_found: { entity: "Webhook", id: example.webhook_id } },
});

describeOperation(retryDelivery, {
  operationId: "retry_webhook_delivery",
  tag,
  summary: "Retry a delivery",
  description:
    "Sends a delivery again within seconds, whatever its state. Its changes are read again from the feed. A request body is ignored.",
  parameters: {
    ...id,
    delivery_id: { description: "The delivery's id.", example: example.id },
  },
  data: deliverySchema,
  response: "The delivery, which is now due.",
  example: {
    data: { ...example, state: "retrying", next_attempt_at: "2026-04-24T08:00:00.000Z" },
  },
  errorExamples: { entity_not_found: { entity: "WebhookDelivery", id: example.id } },
});

describeOperation(tryReceiver, {
  operationId: "test_webhook",
  tag,
  summary: "Send a webhook a signed sample",
  description:
    'Sends `{"type": "inventory.test", …}` without changes immediately, even if the webhook is disabled, and returns the result. It waits up to 15 seconds for the receiver. A webhook can have one test at a time and ten within 60 seconds; an organization can have three tests at a time. A request body is ignored.',
  parameters: id,
  data: trialSchema,
  response: "The result of the test.",
  example: {
    data: {
      message_id: "msg_7d1f4f5d0b1c4a6f9e2d3c4b5a697887",
      is_delivered: true,
      http_status: 204,
      error: null,
      duration_ms: 84,
    },
  },
  errorExamples: { entity_not_found: { entity: "Webhook", id: example.webhook_id } },
});

const verification =
  "Verify `webhook-signature` with the webhook's secret, as the Standard Webhooks specification describes, and ignore a `type` that you do not know.";

describeMessage({
  type: "inventory.changes",
  operationId: "receive_inventory_changes",
  tag,
  summary: "Receive changes",
  description: `Sends up to 100 changes that the webhook's filters select. Each change is sent at least once: ignore a change whose \`id\` you have already received. A message that is not accepted is sent again, for up to 28 hours. ${verification}`,
  message: changesMessageSchema,
  example: {
    type: "inventory.changes",
    timestamp: changeExample.at,
    data: { changes: [changeExample], next_cursor: exampleCursor },
  },
});

describeMessage({
  type: "inventory.test",
  operationId: "receive_inventory_test",
  tag,
  summary: "Receive a test",
  description: `Sends a sample without changes, after \`POST /api/v1/webhooks/{id}/test\`. It is sent once. ${verification}`,
  message: testMessageSchema,
  example: {
    type: "inventory.test",
    timestamp: "2026-04-22T15:57:37.843Z",
    data: { changes: [], next_cursor: null },
  },
});
