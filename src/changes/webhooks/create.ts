import * as z from "zod";
import { authenticate } from "../../http/authenticate.ts";
import { handles } from "../../http/declares.ts";
import { created } from "../../http/envelope.ts";
import { factory } from "../../http/factory.ts";
import { found } from "../../http/found.ts";
import { IssueList, validationFailed } from "../../http/validation/issues.ts";
import { validate } from "../../http/validation/validate.ts";
import { createHeader, ofBody } from "../../http/verbs/create.ts";
import { createOnce, markReplay } from "../../http/verbs/create-once.ts";
import { itemOf } from "../../http/verbs/resource.ts";
import { uuidV7 } from "../../uuid.ts";
import { webhookInput } from "./input.ts";
import { webhookResource, webhookSchema } from "./model.ts";
import { hasReceiverPort, portMessage, requireReceiverUrl } from "./receiver-url.ts";
import { maximumSecret, mintSecret } from "./secret.ts";
import { insertWebhook, networkLock, scopeGuards } from "./sql.ts";

/** A webhook with its secret, which is returned only once. */
export const issuedWebhookSchema = z
  .object({
    secret: z.string().max(maximumSecret).nullable().meta({
      description:
        "The secret with which deliveries are signed, returned only once: `whsec_` and 32 bytes in base64. Null in a replayed response.",
    }),
    webhook: webhookSchema,
  })
  .meta({
    id: "IssuedWebhook",
    description: "A webhook with its secret, which is returned only once.",
  });

/** POST /api/v1/webhooks: creates a webhook for changes from now on. */
export const createWebhook = factory.createHandlers(
  authenticate("Admin"),
  validate({ header: createHeader, json: webhookInput }),
  handles({
    errors: [
      "auth_scope_denied",
      "entity_reference_invalid",
      "entity_already_exists",
      "entity_not_found",
      "idempotency_key_reused",
    ],
    responses: { 201: ["ETag", "Location", "Idempotent-Replayed"] },
  }),
  async (c) => {
    const sent = c.req.valid("json");
    requireReceiverUrl(c.var.settings, sent.url);
    if (!hasReceiverPort(c.var.settings, sent.url)) {
      throw validationFailed(
        IssueList.of({ path: "body.url", code: "custom", message: portMessage }),
      );
    }
    const webhook = { ...sent, id: sent.id ?? uuidV7() };
    const minted = await mintSecret(
      c.var.settings,
      await c.var.tenant.organizationId(),
      webhook.id,
    );
    const result = await createOnce(c, webhookResource, {
      ids: [webhook.id],
      areChosen: sent.id !== undefined,
      idempotencyKey: c.req.valid("header")["idempotency-key"],
      violations: undefined,
      pathOf: ofBody,
      change: {
        locks: [networkLock(webhook)],
        guards: scopeGuards(webhook, ofBody),
        write: (database) => insertWebhook(database, webhook, minted),
      },
    });
    const id = result.ids[0] ?? webhook.id;
    const row = found(result.rows, webhookResource.entity, id);
    markReplay(c, result);
    c.header("ETag", row.etag);
    c.header("Location", `${webhookResource.path}/${id}`);
    return created(c, {
      secret: result.isReplayed ? null : minted.secret,
      webhook: itemOf(webhookResource, row),
    });
  },
);
