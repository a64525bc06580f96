import { describeGroup, describeOperation } from "../../openapi/describe.ts";
import { idParameter } from "../../openapi/texts.ts";
import { describeVerbs } from "../../openapi/verbs.ts";
import { createWebhook, issuedWebhookSchema } from "./create.ts";
import { type Webhook, webhookResource, webhookSchema } from "./model.ts";
import { replayWebhook } from "./replay.ts";
import { rotateWebhookSecret } from "./rotate.ts";

const tag = describeGroup({
  name: "Webhooks",
  description: "Subscriptions that send changes to a URL as signed requests.",
});

const example: Webhook = {
  id: "5e0c1d8a-7b34-4f0e-9a51-c2d4b86e3f17",
  created_at: "2025-03-01T09:00:00.000Z",
  updated_at: "2025-03-01T09:00:00.000Z",
  organization_id: "e4b66c48-02de-4481-8c6f-f8b16360c781",
  name: "bell",
  url: "https://bell.example.com/changes",
  entities: [],
  changes: [],
  network_ids: null,
  is_enabled: true,
  disabled_reason: null,
  secret_hint: "bmU=",
  last_success_at: "2026-04-22T15:57:37.843Z",
  last_failure_at: null,
  last_error: null,
};

const body = {
  name: "ticket system",
  url: "https://tickets.example.com/hooks/inventory",
  entities: ["Port"],
  changes: ["created", "deleted"],
};

const made: Webhook = {
  ...example,
  id: "b6a2f0c4-19d8-4e75-8c3b-0d9e51f7a266",
  name: body.name,
  url: body.url,
  entities: ["Port"],
  changes: ["created", "deleted"],
  secret_hint: "Mw0=",
  last_success_at: null,
};

const secret = "whsec_Q0RFRkdISUpLTE1OT1BRUlNUVVZXWFlaMDEyMzQ1Nw0=";

const scope =
  "A key limited to specific networks can see, create and change only webhooks that are limited to the key's networks.";

describeVerbs(webhookResource, {
  tag,
  singular: "webhook",
  plural: "webhooks",
  schema: webhookSchema,
  example,
  body,
  bodies: { update: { name: example.name, url: example.url, changes: ["created", "deleted"] } },
  rules: `The URL must be a public \`https\` URL, on port 443 or a port above 1023, without user info, query or fragment. Below the role Admin, only its origin is returned. ${scope} A re-enabled webhook continues from its position.`,
  deletion: "Its pending deliveries are also deleted.",
  operationIds: { list: "list_webhooks" },
  filters: {
    ids: { description: "Only webhooks with these ids, up to 350.", example: example.id },
    is_enabled: {
      description: "`true`: only enabled webhooks; `false`: only disabled ones.",
      example: true,
    },
    q: {
      description:
        "Only webhooks with this id, or with this text in their names or URLs. For roles below Admin, only the origin of the URL is searched.",
      example: "bell",
    },
  },
});

const id = idParameter("Webhook", "webhook", example.id);
const errorExamples = { entity_not_found: { entity: "Webhook", id: example.id } };

describeOperation(createWebhook, {
  operationId: "create_webhook",
  tag,
  summary: "Create a webhook",
  description: `Creates a webhook for changes from now on, and returns its secret only once. Deliveries are signed with the secret, as described in the Standard Webhooks specification. An organization can have at most 20 webhooks. ${scope}\n\nSend an \`Idempotency-Key\` to repeat the request safely. A repeated request returns only the record: \`secret\` is then null.`,
  data: issuedWebhookSchema,
  response: "The webhook, and its secret.",
  example: { body, data: { secret, webhook: made } },
});

describeOperation(rotateWebhookSecret, {
  operationId: "rotate_webhook_secret",
  tag,
  summary: "Rotate a webhook's secret",
  description:
    "Gives a webhook a new secret, which is returned only once. For `overlap_seconds`, up to a week, deliveries have two signatures, one made with the new and one with the old secret.",
  parameters: id,
  data: issuedWebhookSchema,
  response: "The webhook, and its new secret.",
  example: {
    body: { overlap_seconds: 3600 },
    data: { secret, webhook: { ...example, secret_hint: "Mw0=" } },
  },
  errorExamples,
});

describeOperation(replayWebhook, {
  operationId: "replay_webhook",
  tag,
  summary: "Replay changes to a webhook",
  description:
    "Moves a webhook's position to an instant or a cursor, in the past or in the future. The webhook gets all changes after this position, then continues as usual. Repeated changes have the same ids, under different `webhook-id`s.",
  parameters: id,
  data: webhookSchema,
  response: "The webhook.",
  responseComponent: "WebhookRecord",
  example: { body: { since: "2026-04-22T00:00:00Z" }, data: example },
  errorExamples,
});
