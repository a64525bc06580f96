import { sql } from "drizzle-orm";
import { pickColumns } from "../../database/columns-of.ts";
import type { Database } from "../../database/connection.ts";
import { type Guard, invalidWhere, missingReferences, type PathOf } from "../../database/guards.ts";
import { maximumEmptied } from "../../database/large-deletion.ts";
import { recordset } from "../../database/recordset.ts";
import { addAnyMembers, replaceMembers } from "../../database/sets.ts";
import { ipAddresses, subnets } from "../../database/tables/index.ts";
import { subnetTags } from "../writes/tag-sets.ts";
import type { SubnetInput } from "./input.ts";

const ownNames = ["description", "subnet_type", "external_id", "metadata"] as const;

type NewSubnet = SubnetInput & { id: string };

const sentSubnets = (rows: readonly NewSubnet[]) => sql`
  (select id, network_id, network(cidr::inet) as cidr, coalesce(name, network(cidr::inet)::text) as name,
      ${sql.raw(ownNames.join(", "))}
    from ${recordset("sent", rows, {
      ...pickColumns(subnets, "id", "network_id", "name", ...ownNames),
      cidr: "text",
    })}) as sent`;

/** Rejects references from subnets to records that do not exist for the caller. */
export const foreignReferences = (inputs: readonly SubnetInput[], pathOf: PathOf): Guard[] => [
  ...missingReferences(
    "Network",
    inputs.map(({ network_id: id }, position) => ({ id, field: `${pathOf(position)}network_id` })),
  ),
  ...missingReferences(
    "Tag",
    inputs.flatMap((subnet, position) =>
      subnet.tags.map((id) => ({ id, field: `${pathOf(position)}tags` })),
    ),
  ),
];

const sentBlocks = (inputs: readonly NewSubnet[], pathOf: PathOf) => {
  const rows = inputs.map(({ id, network_id, cidr }, position) => ({
    id,
    network_id,
    cidr,
    position,
    field: `${pathOf(position)}cidr`,
  }));
  return recordset("sent", rows, {
    ...pickColumns(subnets, "id", "network_id"),
    cidr: "text",
    position: "int",
    field: "text",
  });
};

/**
 * Rejects a request in which two or more subnets of one network have the same block, even in
 * different notations.
 */
export const blocksRepeated = (inputs: readonly NewSubnet[], pathOf: PathOf): Guard =>
  invalidWhere(
    sql`
    select block.field as path, block.position
    from (
      select sent.field, sent.position, row_number() over (
        partition by sent.network_id, network(sent.cidr::inet) order by sent.position) as nth
      from ${sentBlocks(inputs, pathOf)}) as block
    where block.nth > 1`,
    "is already a block of this request: send each block of a network once",
  );

/**
 * Rejects a block that another live subnet of the network already has. With `offset 0`, the blocks
 * are computed first. Behind row-level security, Postgres looks a key up in an index only if no
 * other function is part of the comparison.
 */
export const blockTaken = (inputs: readonly NewSubnet[], pathOf: PathOf): Guard => sql`
  select 'entity_already_exists',
    jsonb_build_object('entity', 'Subnet', 'field', sent.field, 'id', taken.id)
  from (
    select id, network_id, position, field, network(cidr::inet) as block
    from ${sentBlocks(inputs, pathOf)} offset 0) as sent
  join ${subnets} as taken on taken.network_id = sent.network_id and taken.valid_to is null
    and taken.cidr = sent.block and taken.id <> sent.id
  order by sent.position limit 1`;

export const insertSubnets = (database: Database, inputs: readonly NewSubnet[]) => [
  database.execute(sql`
    insert into ${subnets} (organization_id, network_id, id, cidr, name, ${sql.raw(ownNames.join(", "))})
    select (select app.organization_id()), network_id, id, cidr, name, ${sql.raw(ownNames.join(", "))}
    from ${sentSubnets(inputs)}`),
  ...addAnyMembers(
    database,
    subnetTags,
    inputs.flatMap(({ id, tags: members }) => members.map((member) => ({ owner: id, member }))),
  ),
];

/**
 * Selects the hosts whose addresses are outside of the new blocks of their subnets
 * (`app.leave_subnet` locks only those of one subnet).
 */
export const hostsLeaving = (rows: readonly NewSubnet[]) => sql`
  select address.host_id
  from ${sentSubnets(rows)}
  join ${subnets} as stored
    on stored.id = sent.id and stored.valid_to is null and stored.cidr <> sent.cidr
  join ${ipAddresses} as address
    on address.live_subnet_id = stored.id and not sent.cidr >>= address.address`;

/**
 * Selects the hosts with addresses in these subnets, or some of them if there are too many
 * addresses to delete the subnets.
 */
export const hostsIn = (ids: readonly string[]) => sql`
  select address.host_id from ${ipAddresses} as address
  where address.live_subnet_id = any (${sql.param(ids)}::uuid[]) limit ${maximumEmptied}`;

/** Replaces a locked subnet. */
export const replaceSubnet = (database: Database, subnet: NewSubnet) => [
  database.execute(sql`
    update ${subnets} as known set cidr = sent.cidr, name = sent.name,
      ${sql.raw(ownNames.map((name) => `${name} = sent.${name}`).join(", "))}
    from ${sentSubnets([subnet])} where known.id = sent.id and known.valid_to is null`),
  replaceMembers(database, subnetTags, subnet.id, subnet.tags),
];
