import { eq, inArray } from "drizzle-orm";
import { lock } from "../../database/locks.ts";
import { webhooks } from "../../database/tables/index.ts";
import { booleanText } from "../../http/input/boolean-text.ts";
import { contains, filter, ids, searchFilter } from "../../http/list/filter.ts";
import { lists } from "../../http/list/list.ts";
import { ofBody } from "../../http/verbs/create.ts";
import { deletes } from "../../http/verbs/delete.ts";
import { reads } from "../../http/verbs/read.ts";
import { updates } from "../../http/verbs/update.ts";
import { webhookInput } from "./input.ts";
import { readableUrl, webhookResource } from "./model.ts";
import { hasReceiverPort, requireReceiverUrl } from "./receiver-url.ts";
import { networkLock, otherUrl, replaceWebhook, scopeGuards } from "./sql.ts";

/**
 * GET /api/v1/webhooks: lists the webhooks that are limited to the key's networks, or all webhooks
 * if the key is not limited.
 */
export const list = lists(webhookResource, {
  ids: filter(ids, (wanted) => inArray(webhooks.id, wanted)),
  is_enabled: filter(booleanText, (value) => eq(webhooks.is_enabled, value)),
  q: searchFilter((text) => contains(text, webhooks.id, [webhooks.name, readableUrl])),
});

/** GET /api/v1/webhooks/{id}: returns one webhook, with the time and error of its last failure. */
export const read = reads(webhookResource);

/**
 * PUT /api/v1/webhooks/{id}: replaces a webhook, except its secret.
 * PATCH /api/v1/webhooks/{id}: changes the fields that are sent.
 */
export const [update, patch] = updates(webhookResource, {
  role: "Admin",
  scope: "networks",
  body: webhookInput,
  errors: ["auth_scope_denied", "entity_reference_invalid"],
  update: (c, id, webhook) => {
    requireReceiverUrl(c.var.settings, webhook.url);
    return {
      locks: [networkLock(webhook), lock(webhookResource, [id])],
      guards: [
        ...scopeGuards(webhook, ofBody),
        ...(hasReceiverPort(c.var.settings, webhook.url) ? [] : [otherUrl(id, webhook.url)]),
      ],
      write: (database) => replaceWebhook(database, id, webhook),
    };
  },
});

/**
 * DELETE /api/v1/webhooks/{id}: deletes a webhook and its pending deliveries.
 * POST /api/v1/webhooks/bulk-delete: deletes up to 1,000 webhooks, all or nothing.
 */
export const [deleteOne, deleteMany] = deletes(webhookResource, {
  role: "Admin",
  scope: "networks",
  errors: [],
});
