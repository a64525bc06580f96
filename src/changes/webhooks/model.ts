import { sql } from "drizzle-orm";
import * as z from "zod";
import { columnsOf, lengthsOf, pick, type RowOf } from "../../database/columns-of.ts";
import {
  changeEntities,
  changeKinds,
  deliveryErrors,
  disabledReasons,
  webhooks,
} from "../../database/tables/index.ts";
import { id } from "../../http/input/id.ts";
import { sortedIds } from "../../http/input/set.ts";
import { name } from "../../http/input/text.ts";
import { timestamp } from "../../http/input/timestamp.ts";
import { recordFields } from "../../http/verbs/record.ts";

/** A kind of records, and what becomes of them: one schema of each for what is sent and what is shown. */
export const changedKind = z
  .enum(changeEntities)
  .meta({ id: "ChangedKind", description: "A kind of records of the inventory." });
export const changeType = z
  .enum(changeKinds)
  .meta({ id: "ChangeType", description: "What became of a record." });

/** Why a receiver did not take what it was sent. */
export const deliveryErrorSchema = z
  .object({
    code: z.enum(deliveryErrors),
    http_status: z.int().min(100).max(599).nullable(),
  })
  .meta({
    id: "DeliveryError",
    description:
      "Why a receiver did not take a delivery. `http_status` is the status of its response. `secret_unreadable`: the service could not open the secret and sent nothing, which is for its operator to mend. `history_expired`: the organization no longer kept what was to be told.",
  });
export type DeliveryFailure = z.output<typeof deliveryErrorSchema>;

/** A webhook as callers see it (API contract, section 12). */
export const webhookSchema = z
  .object({
    ...recordFields,
    organization_id: id,
    name,
    url: z.string().max(2048).meta({
      description:
        "Where the receiver listens. Below the role Admin only its origin: for many receivers the path is the secret.",
    }),
    entities: z.array(changedKind).max(changeEntities.length).meta({
      uniqueItems: true,
      description: "The kinds of records that it is told of; empty for all.",
    }),
    changes: z
      .array(changeType)
      .max(changeKinds.length)
      .meta({ uniqueItems: true, description: "What it is told of them; empty for all." }),
    network_ids: sortedIds("The networks that it is limited to; null: every network.").nullable(),
    is_enabled: z.boolean(),
    disabled_reason: z.enum(disabledReasons).nullable().meta({
      description:
        "`requested`: somebody disabled it. `failing`: nothing but failures came for five days. `gone`: its receiver responded 410.",
    }),
    secret_hint: z
      .string()
      .length(4)
      .meta({ description: "The last four characters of the secret that signs." }),
    last_success_at: timestamp.nullable(),
    last_failure_at: timestamp.nullable(),
    last_error: deliveryErrorSchema.nullable().meta({ description: "Of the last failure." }),
  })
  .meta({ id: "Webhook", description: "Where an organization is told what changes." });
export type Webhook = z.output<typeof webhookSchema>;

const shown = columnsOf(
  webhooks,
  webhookSchema.omit({ url: true, last_error: true, network_ids: true }),
);

/**
 * The URL as the caller may read it: below the role Admin its origin, since the path is the secret of many receivers
 * (API contract, section 12). Whatever reads or searches URLs for callers reads this.
 */
export const readableUrl = sql<string>`case
  when (select app.key_role()) >= 'Admin' then ${webhooks.url}
  else substring(${webhooks.url} from '^https?://[^/?#]+') end`;

const columns = {
  ...shown,
  url: readableUrl,
  network_ids: sql<string[] | null>`to_json(${webhooks.network_ids})`,
  // As JSON, since the driver parses arrays of Postgres character by character.
  entities: sql<Webhook["entities"]>`to_json(${webhooks.entities})`,
  changes: sql<Webhook["changes"]>`to_json(${webhooks.changes})`,
  last_error: webhooks.last_error,
  last_error_http_status: webhooks.last_error_http_status,
};

/** The webhooks of an organization. */
export const webhookResource = {
  entity: "Webhook" as const,
  schema: webhookSchema,
  path: "/api/v1/webhooks",
  table: webhooks,
  columns,
  // A key that becomes or ceases to be an Admin's reads another URL under another entity tag.
  observed: sql`row(${readableUrl}, ${webhooks.last_success_at}, ${webhooks.last_failure_at},
    ${webhooks.last_error}, ${webhooks.last_error_http_status})`,
  bytes: sql`(1000 + ${lengthsOf([webhooks.name, webhooks.url])}
    + 39 * coalesce(cardinality(${webhooks.network_ids}), 0))`,
  orderFields: {
    created_at: webhooks.created_at,
    updated_at: webhooks.updated_at,
    name: webhooks.name,
  },
  toItem: (row: RowOf<typeof columns>): Webhook => ({
    ...pick(shown, row),
    url: row.url,
    entities: row.entities,
    changes: row.changes,
    network_ids: row.network_ids,
    last_error: row.last_error && {
      code: row.last_error,
      http_status: row.last_error_http_status,
    },
  }),
};
