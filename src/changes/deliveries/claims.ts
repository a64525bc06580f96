import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../../database/connection.ts";
import { runAsPoller } from "../../database/poller.ts";
import { webhooks } from "../../database/tables/index.ts";
import type { Settings } from "../../env.ts";

/** Maximum number of webhooks per claim statement. */
export const claimSize = 1000;

/**
 * Maximum number of webhooks that are claimed per organization per cycle. It equals the maximum
 * number of webhooks per organization (API contract, section 12).
 */
export const shareOfOrganization = 20;

/**
 * Duration of a claim, in seconds. If no consumer takes the webhook within that time, a later cycle
 * claims it again, so a lost message delays its webhooks by no more than this. If the queues lag by
 * more than this, several messages contain the same webhook, and only the first consumer can take
 * it.
 */
export const claimSeconds = 30;

/** A webhook with pending deliveries. */
export interface LeasedWebhook {
  organization_id: string;
  id: string;
  delivery_generation: number;
}

export interface ClaimedWebhook extends LeasedWebhook, Record<string, unknown> {
  is_slow: boolean;
}

/** An id that sorts before every organization's id. */
const lowestId = "00000000-0000-0000-0000-000000000000";

/**
 * Returns the statement that claims webhooks with a due retry, or with changes after their
 * position, up to the limit per organization, except those of suspended organizations. The
 * generation does not change until a consumer takes the webhook (`takeDelivery`). Concurrent cycles
 * skip webhooks that another cycle is claiming.
 * @param after an organization id: only organizations with higher ids are included
 */
export const claimStatement = (after: string, limit: number): SQL => sql`
    with recursive organization (id) as (
      (select organization_id from ${webhooks}
        where disabled_reason is null and organization_id > ${after}::uuid
        order by organization_id limit 1)
      union all
      select (select organization_id from ${webhooks}
        where disabled_reason is null and organization_id > organization.id
        order by organization_id limit 1)
      from organization where organization.id is not null),
    due as (
      select webhook.location from organization
      cross join lateral (select app.newest_stamp(organization.id) as newest offset 0) as feed
      cross join lateral (
        select ctid as location from ${webhooks}
        where organization_id = organization.id and disabled_reason is null
          and (lease_expires_at is null or lease_expires_at <= now())
          and (retry_at <= now() or (newer_at <= now()
            and (position_at, position_entity collate "C") < (feed.newest, '~')))
        order by least(retry_at, newer_at), id
        limit ${shareOfOrganization}
        for no key update skip locked) as webhook
      where organization.id is not null and not app.is_suspended(organization.id)
      limit ${limit})
    update ${webhooks} as webhook set
      lease_expires_at = now() + make_interval(secs => ${claimSeconds})
    -- Not a join: for a join, the planner may read the whole table. The rows are locked, so their
    -- ctid is stable.
    where webhook.ctid = any (array(select due.location from due))
    returning webhook.organization_id, webhook.id, webhook.is_slow,
      webhook.delivery_generation::float8`;

/** Claims webhooks with {@link claimStatement}. */
export const claimDueWebhooks = (database: Database, after: string, limit: number) =>
  database.execute<ClaimedWebhook>(claimStatement(after, limit));

/**
 * Claims every due webhook, in batches. Webhooks beyond an organization's limit wait for the next
 * cycle.
 * @throws {ApiError} if the database fails
 */
export async function* claimWebhooks(settings: Settings): AsyncGenerator<ClaimedWebhook[], void> {
  for (let after: string | undefined = lowestId; after !== undefined; ) {
    const from: string = after;
    const [{ rows }] = await runAsPoller(settings, (database) => [
      claimDueWebhooks(database, from, claimSize),
    ]);
    const last = rows
      .map(({ organization_id }) => organization_id)
      .sort()
      .at(-1);
    after = rows.length === claimSize ? last : undefined;
    yield rows;
  }
}
