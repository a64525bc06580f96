import { sql } from "drizzle-orm";
import * as z from "zod";
import { columnsOf, pick, type RowOf } from "../../database/columns-of.ts";
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

/** The entity and change enums, shared by requests and responses. */
export const changedKind = z
  .enum(changeEntities)
  .meta({ id: "ChangedKind", description: "A kind of inventory record." });
export const changeType = z
  .enum(changeKinds)
  .meta({ id: "ChangeType", description: "A kind of change." });

/** The error of a failed delivery. */
export const deliveryErrorSchema = z
  .object({
    code: z.enum(deliveryErrors),
    http_status: z.int().min(100).max(599).nullable(),
  })
  .meta({
    id: "DeliveryError",
    description:
      "The error of a failed delivery. `http_status` is the status of the response. `secret_unreadable`: the service could not open the secret and sent nothing; its operator must fix this. `history_expired`: the changes are no longer kept.",
  });
export type DeliveryFailure = z.output<typeof deliveryErrorSchema>;

/** A webhook (API contract, section 12). */
export const webhookSchema = z
  .object({
    ...recordFields,
    organization_id: id,
    name,
    url: z.string().max(2048).meta({
      description:
        "The receiver's URL. For roles below Admin, only its origin: for many receivers the path is a secret.",
    }),
    entities: z.array(changedKind).max(changeEntities.length).meta({
      uniqueItems: true,
      description: "The kinds of records whose changes are sent; empty for all.",
    }),
    changes: z.array(changeType).max(changeKinds.length).meta({
      uniqueItems: true,
      description: "The kinds of changes that are sent; empty for all.",
    }),
    network_ids: sortedIds(
      "The networks to which it is limited; null for every network.",
    ).nullable(),
    is_enabled: z.boolean(),
    disabled_reason: z.enum(disabledReasons).nullable().meta({
      description:
        "`requested`: a request disabled it. `failing`: every delivery failed for five days. `gone`: its receiver responded 410.",
    }),
    secret_hint: z
      .string()
      .length(4)
      .meta({ description: "The last four characters of the current secret." }),
    last_success_at: timestamp.nullable(),
    last_failure_at: timestamp.nullable(),
    last_error: deliveryErrorSchema
      .nullable()
      .meta({ description: "The error of the last failure." }),
  })
  .meta({ id: "Webhook", description: "A receiver's subscription to changes." });
export type Webhook = z.output<typeof webhookSchema>;

const plainColumns = columnsOf(
  webhooks,
  webhookSchema.omit({ url: true, last_error: true, network_ids: true }),
);

/**
 * The URL as the caller is allowed to read it. For roles below Admin, this is only its origin,
 * since for many receivers the path is a secret (API contract, section 12). Every query that reads
 * or searches URLs for callers must use it.
 */
export const readableUrl = sql<string>`case
  when (select app.key_role()) >= 'Admin' then ${webhooks.url}
  else substring(${webhooks.url} from '^https?://[^/?#]+') end`;

const columns = {
  ...plainColumns,
  url: readableUrl,
  network_ids: sql<string[] | null>`to_json(${webhooks.network_ids})`,
  // As JSON, since the driver parses Postgres arrays character by character.
  entities: sql<Webhook["entities"]>`to_json(${webhooks.entities})`,
  changes: sql<Webhook["changes"]>`to_json(${webhooks.changes})`,
  last_error: webhooks.last_error,
  last_error_http_status: webhooks.last_error_http_status,
};

export const webhookResource = {
  entity: "Webhook" as const,
  schema: webhookSchema,
  path: "/api/v1/webhooks",
  table: webhooks,
  columns,
  // A key whose role changes to or from Admin reads a different URL, so it needs a different entity
  // tag.
  observed: sql`row(${readableUrl}, ${webhooks.last_success_at}, ${webhooks.last_failure_at},
    ${webhooks.last_error}, ${webhooks.last_error_http_status})`,
  orderFields: {
    created_at: webhooks.created_at,
    updated_at: webhooks.updated_at,
    name: webhooks.name,
  },
  toItem: (row: RowOf<typeof columns>): Webhook => ({
    ...pick(plainColumns, row),
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
