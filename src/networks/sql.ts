import { eq, sql } from "drizzle-orm";
import { pickColumns } from "../database/columns-of.ts";
import type { Database } from "../database/connection.ts";
import { externalIdsTaken, externalIdViolations } from "../database/external-ids.ts";
import { invalidReference } from "../database/failure.ts";
import { type Guard, missingReferences, type PathOf, type Reference } from "../database/guards.ts";
import { lockRecords, membersAnd } from "../database/locks.ts";
import { recordset } from "../database/recordset.ts";
import { overfull } from "../database/set-limit.ts";
import { addAnyMembers, replaceMembers } from "../database/sets.ts";
import {
  credentialHosts,
  credentialNetworks,
  daemons,
  hosts,
  networks,
  userApiKeyNetworks,
} from "../database/tables/index.ts";
import type { NetworkInput } from "./input.ts";
import { networkResource, networkSets } from "./model.ts";

/** Errors for records that are changed or deleted between the guards and the write. */
export const violations = {
  ...externalIdViolations("networks"),
  network_tags_tag_fk: invalidReference("Tag", "body.tags"),
  credential_networks_credential_fk: invalidReference("Credential", "body.credential_ids"),
};

const credentialReferences = (sent: readonly NetworkInput[], pathOf: PathOf): Reference[] =>
  sent.flatMap(({ credential_ids }, position) =>
    credential_ids.map((id) => ({ id, field: `${pathOf(position)}credential_ids` })),
  );

/** Fails if a credential has more networks than a set can contain. Must run after the write. */
export const overfullCredentials = (sent: readonly NetworkInput[], pathOf: PathOf): Guard[] =>
  overfull(
    { table: networkSets.credentials.table, owner: networkSets.credentials.member },
    credentialReferences(sent, pathOf),
    { record: "credential", members: "networks" },
  );

/**
 * Fails if a network refers to a tag or a credential that does not exist, or if its external id is
 * taken.
 */
export const networkGuards = (
  sent: readonly (NetworkInput & { id: string })[],
  pathOf: PathOf,
): Guard[] => [
  ...missingReferences(
    "Tag",
    sent.flatMap((network, position) =>
      network.tags.map((id) => ({ id, field: `${pathOf(position)}tags` })),
    ),
  ),
  ...missingReferences("Credential", credentialReferences(sent, pathOf)),
  ...externalIdsTaken(networkResource, sent, pathOf),
];

/** Locks the records that are related to these networks before or after the change. */
export const networkLocks = (ids: readonly string[], sent: readonly NetworkInput[] = []) => [
  lockRecords({
    tags: sent.flatMap((network) => network.tags),
    credentials: membersAnd(
      networkSets.credentials,
      ids,
      sent.flatMap(({ credential_ids }) => credential_ids),
    ),
    networks: ids,
  }),
];

/** Locks the records that deleting networks also deletes or changes. */
export const deletionLocks = (ids: readonly string[]) => {
  const onThem = sql`network_id = any (${sql.param(ids)}::uuid[])`;
  return [
    lockRecords({
      credentials: sql`
        select credential_id from ${credentialNetworks} where ${onThem}
        union select assigned.credential_id from ${hosts}
        join ${credentialHosts} as assigned on assigned.organization_id = hosts.organization_id
          and assigned.host_id = hosts.id
        where hosts.${onThem}`,
      daemons: sql`select id from ${daemons} where ${onThem}`,
      networks: ids,
      apiKeys: sql`select api_key_id from ${userApiKeyNetworks} where ${onThem}`,
    }),
  ];
};

const ownNames = ["name", "description", "external_id", "metadata", "stale_after_hours"] as const;

export const insertNetworks = (
  database: Database,
  sent: readonly (NetworkInput & { id: string })[],
) => [
  database.execute(sql`
    insert into ${networks} (organization_id, id, ${sql.raw(ownNames.join(", "))})
    select (select app.organization_id()), id, ${sql.raw(ownNames.join(", "))}
    from ${recordset("sent", sent, pickColumns(networks, "id", ...ownNames))}`),
  ...addAnyMembers(
    database,
    networkSets.tags,
    sent.flatMap(({ id, tags: members }) => members.map((member) => ({ owner: id, member }))),
  ),
  ...addAnyMembers(
    database,
    networkSets.credentials,
    sent.flatMap(({ id, credential_ids }) =>
      credential_ids.map((member) => ({ owner: id, member })),
    ),
  ),
];

/** Replaces a locked network, except its id and creation time. */
export const replaceNetwork = (database: Database, id: string, network: NetworkInput) => [
  database
    .update(networks)
    .set({
      name: network.name,
      description: network.description,
      external_id: network.external_id,
      metadata: network.metadata,
      stale_after_hours: network.stale_after_hours,
    })
    .where(eq(networks.id, id)),
  replaceMembers(database, networkSets.tags, id, network.tags),
  replaceMembers(database, networkSets.credentials, id, network.credential_ids),
];

/** Fails if one of these networks still has hosts or daemons. */
export const stillUsed = (ids: readonly string[]): Guard => sql`
  select 'entity_in_use', jsonb_build_object('entity', 'Network', 'id', used.id,
    'used_by', jsonb_strip_nulls(jsonb_build_object(
      'hosts', nullif(used.hosts, 0), 'daemons', nullif(used.daemons, 0))))
  from (
    select networks.id,
      (select count(*) from ${hosts}
        where hosts.network_id = networks.id and hosts.valid_to is null) as hosts,
      (select count(*) from ${daemons} where daemons.network_id = networks.id) as daemons
    from ${networks} where networks.id = any (${sql.param(ids)}::uuid[])) as used
  where used.hosts + used.daemons > 0 order by used.id limit 1`;
