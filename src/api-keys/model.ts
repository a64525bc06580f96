import { sql } from "drizzle-orm";
import * as z from "zod";
import { columnsOf, type RowOf } from "../database/columns-of.ts";
import { membersOf } from "../database/sets.ts";
import { userApiKeys } from "../database/tables/index.ts";
import { id } from "../http/input/id.ts";
import { sortedIds } from "../http/input/set.ts";
import { name } from "../http/input/text.ts";
import { timestamp } from "../http/input/timestamp.ts";
import { recordFields } from "../http/verbs/record.ts";
import { roles } from "../roles.ts";

/** An API key without its plaintext (API contract, section 8). */
export const apiKeySchema = z
  .object({
    ...recordFields,
    organization_id: id,
    name,
    permissions: z.enum(roles).meta({ description: "The key's role." }),
    network_ids: sortedIds(
      "The networks to which it is limited; null for every network.",
    ).nullable(),
    expires_at: timestamp.nullable(),
    is_enabled: z.boolean(),
    last_used_at: timestamp.nullable().meta({
      description: "The time of its last use, updated at most once a minute.",
    }),
    key_hint: z.string().length(4).nullable().meta({
      description:
        "The last four characters of the key; null for keys created before they were stored.",
    }),
  })
  .meta({ id: "ApiKey", description: "An API key, without the key itself." });
export type ApiKey = z.output<typeof apiKeySchema>;

/** The networks to which a key is limited. */
export const networksOfKey = {
  table: "user_api_key_networks",
  owner: "api_key_id",
  member: "network_id",
} as const;

const columns = {
  ...columnsOf(userApiKeys, apiKeySchema.omit({ permissions: true, network_ids: true })),
  permissions: userApiKeys.role,
  network_ids: sql<string[] | null>`case when ${userApiKeys.is_limited_to_networks}
    then ${membersOf(networksOfKey, { table: sql`${userApiKeys}` })} end`,
};

export const apiKeyResource = {
  entity: "ApiKey" as const,
  schema: apiKeySchema,
  path: "/api/v1/auth/keys",
  table: userApiKeys,
  columns,
  observed: sql`row(${userApiKeys.last_used_at})`,
  orderFields: {
    created_at: userApiKeys.created_at,
    updated_at: userApiKeys.updated_at,
    name: userApiKeys.name,
    permissions: userApiKeys.role,
    last_used_at: userApiKeys.last_used_at,
  },
  toItem: (row: RowOf<typeof columns>): ApiKey => row,
};
