import { sql } from "drizzle-orm";
import * as z from "zod";
import { columnsOf, type RowOf } from "../../database/columns-of.ts";
import { columnsAt, live, type Versions, versionsAs, versionsOf } from "../../database/history.ts";
import { membersOfAt } from "../../database/sets.ts";
import { ipAddresses, subnets, subnetTypes } from "../../database/tables/index.ts";
import { id } from "../../http/input/id.ts";
import { integer, largeInteger } from "../../http/input/integer.ts";
import { cidr } from "../../http/input/network.ts";
import { ownDataFields } from "../../http/input/own-data.ts";
import { sortedIds } from "../../http/input/set.ts";
import { name } from "../../http/input/text.ts";
import { historical } from "../../http/verbs/historical.ts";
import { historyFields, recordFields, sourceSchema, toSource } from "../../http/verbs/record.ts";
import type { Variant } from "../../http/verbs/resource.ts";
import { subnetTags } from "../writes/tag-sets.ts";
import { assignableAddresses } from "./assignable-addresses.ts";

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
    parent_id: id.nullable().meta({
      description: "The smallest other subnet of the network that contains the block.",
    }),
    utilization: z
      .object({
        addresses: largeInteger
          .nullable()
          .meta({ description: "The addresses that can be assigned; null if beyond 2^53 - 1." }),
        recorded: integer().meta({ description: "The addresses in this subnet." }),
        seen_last_day: integer()
          .nullable()
          .meta({ description: "Those seen in the last 24 hours; null with `at`." }),
      })
      .meta({ description: "How full the subnet is, without the subnets inside it." }),
  })
  .meta({ id: "Subnet", description: "A version of a network's address block." });
export type Subnet = z.output<typeof subnetSchema>;

const record = { table: sql`${subnets}`, key: "live_id" } as const;

const own = columnsOf(subnets, subnetSchema.omit({ cidr: true, tags: true, source: true }));

/**
 * Looks up one possible block per prefix length, longest first: the containment operators would
 * need GiST, which cannot be used behind row-level security. The order makes Postgres use an index
 * that contains the block, even without statistics. Otherwise, it may read all subnets of the
 * organization for each prefix length.
 */
const parentOf = (versions: Versions) => sql<string | null>`(
  select parent.live_id
  from generate_series(masklen(${subnets.cidr}) - 1, 0, -1) as length,
    network(set_masklen(${subnets.cidr}::inet, length)) as block,
    lateral (
      select around.live_id from ${subnets} as around
      where around.network_id = ${subnets.network_id}
        and around.cidr >= block and around.cidr <= block
        and ${versionsOf("around", versions)}
      order by around.cidr) as parent
  limit 1)`;

interface Count {
  recorded: number;
  seen_last_day: number | null;
}

/** Sightings have no history, so the addresses seen before an instant cannot be counted. */
const countOf = ({ versions, at }: Variant) => sql<Count>`(
  select json_build_object('recorded', count(*), 'seen_last_day', ${
    at !== undefined
      ? sql`null`
      : sql`count(*) filter (where address.last_seen_at > now() - interval '24 hours')`
  }) from ${ipAddresses} as address where ${
    versions.kind === "live"
      ? sql`address.live_subnet_id = ${subnets.id}`
      : sql`address.subnet_id = ${subnets.live_id} and ${versionsAs("address", versions)}`
  })`;

/** The derived fields take more time to read than all others, so `fields` can omit them. */
const subnetColumns = ({ fields, ...chosen }: Variant) => {
  const { versions } = chosen;
  const isRead = (field: string) => fields === undefined || fields.includes(field);
  return {
    ...columnsAt(subnets, own, versions),
    cidr: sql<string>`${subnets.cidr}::text`,
    tags: membersOfAt(subnetTags, record, versions),
    source: subnets.source,
    parent_id: isRead("parent_id") ? parentOf(versions) : sql<null>`null`,
    count: isRead("utilization") ? countOf(chosen) : sql<null>`null`,
  };
};

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
    toItem: ({ source, count, ...subnet }: RowOf<ReturnType<typeof subnetColumns>>): Subnet => ({
      ...subnet,
      source: toSource(source),
      utilization: {
        addresses: assignableAddresses(subnet.cidr),
        ...(count ?? { recorded: 0, seen_last_day: null }),
      },
    }),
  },
  (chosen) => ({ columns: subnetColumns(chosen) }),
);
