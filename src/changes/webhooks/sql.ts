import { sql } from "drizzle-orm";
import type { Database } from "../../database/connection.ts";
import { type Guard, invalidWhen, missingReferences, type PathOf } from "../../database/guards.ts";
import { lockRecords } from "../../database/locks.ts";
import { webhooks } from "../../database/tables/index.ts";
import type { WebhookInput } from "./input.ts";
import { portMessage } from "./receiver-url.ts";

/**
 * Locks the networks of a webhook. Otherwise, a network that is deleted before the write would stay
 * in the webhook's list.
 */
export const networkLock = ({ network_ids }: Pick<WebhookInput, "network_ids">) =>
  lockRecords({ networks: network_ids ?? [] });

/**
 * Returns guards that reject a webhook that reaches beyond the key's networks: a key limited to
 * specific networks must limit the webhook to networks that it can access.
 */
export const scopeGuards = (
  { network_ids }: Pick<WebhookInput, "network_ids">,
  pathOf: PathOf,
): Guard[] => [
  ...(network_ids === null || network_ids.length === 0
    ? [
        sql`select 'auth_scope_denied'::text as code, '{}'::jsonb as params
          where not app.reaches_all_networks()`,
      ]
    : []),
  ...missingReferences(
    "Network",
    (network_ids ?? []).map((id) => ({ id, field: `${pathOf(0)}network_ids` as const })),
  ),
];

/**
 * Rejects a URL with a port that is not allowed for receivers, unless the webhook already has this
 * URL.
 */
export const otherUrl = (id: string, url: string): Guard =>
  invalidWhen(
    sql`exists (select from ${webhooks} where ${webhooks.id} = ${id} and ${webhooks.url} <> ${url})`,
    "body.url",
    portMessage,
  );

const arrayOf = (values: readonly string[] | null, type: "text" | "uuid") =>
  values === null ? sql`null` : sql`${sql.param(values)}::${sql.raw(type)}[]`;

/** Creates a webhook for changes from now on. */
export const insertWebhook = (
  database: Database,
  webhook: WebhookInput & { id: string },
  { sealed, hint }: { sealed: string; hint: string },
) => [
  database.execute(sql`
    insert into ${webhooks} (organization_id, id, name, url, entities, changes, network_ids,
      disabled_reason, secret_hint, position_at, position_entity, position_id)
    values (app.organization_id(), ${webhook.id}, ${webhook.name}, ${webhook.url},
      ${arrayOf(webhook.entities, "text")}, ${arrayOf(webhook.changes, "text")},
      ${arrayOf(webhook.network_ids, "uuid")}, ${webhook.is_enabled ? null : "requested"}, ${hint},
      coalesce(app.settled_at(), '0001-01-01T00:00:00Z'), '~',
      '00000000-0000-0000-0000-000000000000')`),
  database.execute(sql`select app.store_webhook_secret(${webhook.id}, ${sealed}, 0)`),
];

/**
 * Replaces the writable fields of a locked webhook. A re-enabled webhook continues from its
 * position.
 */
export const replaceWebhook = (database: Database, id: string, webhook: WebhookInput) => [
  database.execute(sql`
    update ${webhooks} set name = ${webhook.name}, url = ${webhook.url},
      entities = ${arrayOf(webhook.entities, "text")}, changes = ${arrayOf(webhook.changes, "text")},
      network_ids = ${arrayOf(webhook.network_ids, "uuid")},
      failing_since = case when is_enabled then failing_since end,
      disabled_reason = ${webhook.is_enabled ? sql`null` : sql`coalesce(disabled_reason, 'requested')`}
    where webhooks.id = ${id}`),
];
