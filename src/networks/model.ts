import { sql } from "drizzle-orm";
import * as z from "zod";
import { columnsOf, type RowOf } from "../database/columns-of.ts";
import { membersOf } from "../database/sets.ts";
import { networks } from "../database/tables/index.ts";
import { id } from "../http/input/id.ts";
import { integer } from "../http/input/integer.ts";
import { ownDataFields } from "../http/input/own-data.ts";
import { sortedIds } from "../http/input/set.ts";
import { name } from "../http/input/text.ts";
import { recordFields } from "../http/verbs/record.ts";

/** Maximum value of `stale_after_hours`: one year. */
export const maximumStaleHours = 8760;

/** A network (API contract, section 8). */
export const networkSchema = z
  .object({
    ...recordFields,
    organization_id: id,
    name,
    description: z.string().max(500).nullable(),
    stale_after_hours: integer(1, maximumStaleHours).nullable().meta({
      description:
        "The number of hours without a sighting after which its hosts are stale; null for never.",
    }),
    ...ownDataFields,
    tags: sortedIds("Its tags."),
    credential_ids: sortedIds("The credentials that are tried on all its hosts (broadcast scope)."),
  })
  .meta({
    id: "Network",
    description: "A network, which daemons scan and to which keys can be limited.",
  });
export type Network = z.output<typeof networkSchema>;

/** The sets of a network. `credential_ids` is the inverse of credentials' networks. */
export const networkSets = {
  tags: { table: "network_tags", owner: "network_id", member: "tag_id" },
  credentials: { table: "credential_networks", owner: "network_id", member: "credential_id" },
} as const;

const record = { table: sql`${networks}` };

const columns = {
  ...columnsOf(networks, networkSchema.omit({ tags: true, credential_ids: true })),
  tags: membersOf(networkSets.tags, record),
  credential_ids: membersOf(networkSets.credentials, record),
};

export const networkResource = {
  entity: "Network" as const,
  schema: networkSchema,
  path: "/api/v1/networks",
  table: networks,
  columns,
  orderFields: {
    created_at: networks.created_at,
    updated_at: networks.updated_at,
    name: networks.name,
  },
  toItem: (row: RowOf<typeof columns>): Network => row,
};
