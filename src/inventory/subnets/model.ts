import { sql } from "drizzle-orm";
import * as z from "zod";
import { columnsOf, type RowOf } from "../../database/columns-of.ts";
import { bytesOfMembers, membersOf } from "../../database/sets.ts";
import { subnets, subnetTypes } from "../../database/tables/index.ts";
import { cidr } from "../../http/input/network.ts";
import { sortedIds } from "../../http/input/set.ts";
import { name } from "../../http/input/text.ts";
import { historical } from "../../http/verbs/historical.ts";
import { historyFields, recordFields, sourceSchema, toSource } from "../../http/verbs/record.ts";

/** A subnet as callers see it (API contract, section 9). */
export const subnetSchema = z
  .object({
    ...recordFields,
    ...historyFields,
    cidr,
    name,
    description: z.string().max(500).nullable(),
    subnet_type: z.enum(subnetTypes),
    tags: sortedIds("Its tags."),
    source: sourceSchema,
  })
  .meta({ id: "Subnet", description: "A version of a block of addresses of a network." });
export type Subnet = z.output<typeof subnetSchema>;

/** The tags of a subnet. */
export const subnetTags = { table: "subnet_tags", owner: "subnet_id", member: "tag_id" } as const;

const record = { table: sql`${subnets}`, key: "live_id" } as const;

/** What is read of a subnet. */
const subnetColumns = {
  ...columnsOf(subnets, subnetSchema.omit({ cidr: true, tags: true, source: true })),
  cidr: sql<string>`${subnets.cidr}::text`,
  tags: membersOf(subnetTags, record),
  source: subnets.source,
};

/** The subnets of networks. */
export const subnetResource = historical({
  entity: "Subnet",
  path: "/api/v1/subnets",
  table: subnets,
  columns: subnetColumns,
  bytes: sql`(3000 + ${bytesOfMembers(subnetTags, record)})`,
  orderFields: {
    created_at: subnets.created_at,
    updated_at: subnets.updated_at,
    name: sql`${subnets.name} collate "C"`,
    cidr: subnets.cidr,
  },
  toItem: ({ source, ...subnet }: RowOf<typeof subnetColumns>): Subnet => ({
    ...subnet,
    source: toSource(source),
  }),
});
