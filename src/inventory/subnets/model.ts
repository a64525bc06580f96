import { sql } from "drizzle-orm";
import * as z from "zod";
import { columnsOf, type RowOf } from "../../database/columns-of.ts";
import { columnsAt, live } from "../../database/history.ts";
import { membersOfAt } from "../../database/sets.ts";
import { subnets, subnetTypes } from "../../database/tables/index.ts";
import { cidr } from "../../http/input/network.ts";
import { ownDataFields } from "../../http/input/own-data.ts";
import { sortedIds } from "../../http/input/set.ts";
import { name } from "../../http/input/text.ts";
import { historical } from "../../http/verbs/historical.ts";
import { historyFields, recordFields, sourceSchema, toSource } from "../../http/verbs/record.ts";
import type { Variant } from "../../http/verbs/resource.ts";
import { subnetTags } from "../writes/tag-sets.ts";

/** The schema of a subnet (API contract, section 9). */
export const subnetSchema = z
  .object({
    ...recordFields,
    ...historyFields,
    cidr,
    name,
    description: z.string().max(500).nullable(),
    subnet_type: z.enum(subnetTypes),
    ...ownDataFields,
    tags: sortedIds("Its tags."),
    source: sourceSchema,
  })
  .meta({ id: "Subnet", description: "A version of a network's address block." });
export type Subnet = z.output<typeof subnetSchema>;

const record = { table: sql`${subnets}`, key: "live_id" } as const;

const own = columnsOf(subnets, subnetSchema.omit({ cidr: true, tags: true, source: true }));

const subnetColumns = ({ versions }: Variant) => ({
  ...columnsAt(subnets, own, versions),
  cidr: sql<string>`${subnets.cidr}::text`,
  tags: membersOfAt(subnetTags, record, versions),
  source: subnets.source,
});

export const subnetResource = historical(
  {
    entity: "Subnet" as const,
    schema: subnetSchema,
    path: "/api/v1/subnets",
    table: subnets,
    columns: subnetColumns({ versions: live }),
    orderFields: {
      created_at: subnets.created_at,
      updated_at: subnets.updated_at,
      name: sql`${subnets.name} collate "C"`,
      cidr: subnets.cidr,
      subnet_type: sql`${subnets.subnet_type} collate "C"`,
      network_id: subnets.network_id,
    },
    toItem: ({ source, ...subnet }: RowOf<ReturnType<typeof subnetColumns>>): Subnet => ({
      ...subnet,
      source: toSource(source),
    }),
  },
  ({ versions }) => ({ columns: subnetColumns({ versions }) }),
);
