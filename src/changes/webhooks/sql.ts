import { sql } from "drizzle-orm";
import type { Database } from "../../database/connection.ts";
import { type Guard, invalidWhen, missingReferences, type PathOf } from "../../database/guards.ts";
import { lockRecords } from "../../database/locks.ts";
import { webhooks } from "../../database/tables/index.ts";
import type { WebhookInput } from "./input.ts";
import { portMessage } from "./receiver-url.ts";

/** The networks of a webhook, which must not be deleted before it is written: they would stay in its list. */
export const networkLock = ({ network_ids }: Pick<WebhookInput, "network_ids">) =>
  lockRecords({ networks: network_ids ?? [] });

/** What a key that is limited to networks may tell others of lies within its own. */
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

/** Refuses a URL whose port is none of a receiver, unless the webhook has it already. */
export const otherUrl = (id: string, url: string): Guard =>
  invalidWhen(
    sql`exists (select from ${webhooks} where ${webhooks.id} = ${id} and ${webhooks.url} <> ${url})`,
    "body.url",
    portMessage,
  );

const arrayOf = (values: readonly string[] | null, type: "text" | "uuid") =>
  values === null ? sql`null` : sql`${sql.param(values)}::${sql.raw(type)}[]`;

/** Creates a webhook, which is told of what comes from now on. */
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

/** Replaces what callers say of a locked webhook. One that is enabled again goes on where it was. */
export const replaceWebhook = (database: Database, id: string, webhook: WebhookInput) => [
  database.execute(sql`
    update ${webhooks} set name = ${webhook.name}, url = ${webhook.url},
      entities = ${arrayOf(webhook.entities, "text")}, changes = ${arrayOf(webhook.changes, "text")},
      network_ids = ${arrayOf(webhook.network_ids, "uuid")},
      failing_since = case when is_enabled then failing_since end,
      disabled_reason = ${webhook.is_enabled ? sql`null` : sql`coalesce(disabled_reason, 'requested')`}
    where webhooks.id = ${id}`),
];
