import { type SQL, sql } from "drizzle-orm";
import { pickColumns } from "../../database/columns-of.ts";
import type { Database } from "../../database/connection.ts";
import type { BodyPath } from "../../database/failure.ts";
import { type Guard, invalidWhen } from "../../database/guards.ts";
import { recordset } from "../../database/recordset.ts";
import { addAnyMembers, replacedMembers, replaceMembersOfAll } from "../../database/sets.ts";
import { daemons, hostDetails, hosts } from "../../database/tables/index.ts";
import {
  insertAnyRows,
  syncRows,
  type WrittenRow,
  type WrittenTable,
} from "../writes/child-rows.ts";
import {
  addressTable,
  bindingTable,
  interfaceTable,
  portTable,
  serviceTable,
} from "../writes/child-tables.ts";
import { hostTags, serviceTags } from "../writes/tag-sets.ts";
import type { HostTree } from "./tree.ts";

const ownNames = ["name", "hidden", "external_id", "metadata", ...hostDetails] as const;

const sentHosts = (trees: readonly HostTree[]): SQL =>
  recordset(
    "sent",
    trees.map(({ host }) => host),
    pickColumns(hosts, "id", "network_id", ...ownNames),
  );

const tagPairs = (rows: readonly { id: string; tags: readonly string[] }[]) =>
  rows.flatMap(({ id, tags: members }) => members.map((member) => ({ owner: id, member })));

/** Inserts hosts without their children. */
export const insertHosts = (trees: readonly HostTree[], passed: SQL): SQL => sql`
  insert into ${hosts} (organization_id, network_id, id, ${sql.raw(ownNames.join(", "))})
  select (select app.organization_id()), sent.network_id, sent.id,
    ${sql.raw(ownNames.map((name) => `sent.${name}`).join(", "))}
  from ${sentHosts(trees)} where ${passed}`;

/** Inserts the children of hosts: parents come before the rows that refer to them. */
export const insertChildren = (database: Database, trees: readonly HostTree[]) => {
  const insert = (table: WrittenTable, rowsOf: (tree: HostTree) => readonly WrittenRow[] | null) =>
    insertAnyRows(
      database,
      table,
      trees.flatMap((tree) => rowsOf(tree) ?? []),
    );
  return [
    ...insert(addressTable, ({ ip_addresses }) => ip_addresses),
    ...insert(portTable, ({ ports }) => ports),
    ...insert(interfaceTable, ({ interfaces }) => interfaces),
    ...insert(serviceTable, ({ services }) => services),
    ...insert(bindingTable, ({ bindings }) => bindings.rows),
    ...addAnyMembers(database, hostTags, tagPairs(trees.map(({ host }) => host))),
    ...addAnyMembers(
      database,
      serviceTags,
      tagPairs(trees.flatMap(({ services }) => services ?? [])),
    ),
  ];
};

/**
 * Replaces the columns and the tags of a host. Columns that the request omits are kept. The tags are
 * compared with the new ones while the update holds the lock on the host.
 */
export const updateHost = (tree: HostTree, passed: SQL): SQL => sql`
  update ${hosts} set ${sql.raw(
    ownNames
      .filter((name) => tree.host[name] !== undefined)
      .map((name) => `${name} = sent.${name}`)
      .join(", "),
  )}
  from ${sentHosts([tree])}
  where ${hosts.id} = ${tree.host.id} and ${hosts.valid_to} is null and ${passed}
  returning ${replacedMembers(hostTags, hosts.id, tree.host.tags)}`;

/** True if the request changes only columns and tags of a host. */
export const hasOnlyOwnFields = ({ host, ...children }: HostTree): boolean =>
  host.credential_assignments === undefined &&
  host.virtualization === null &&
  [children.ip_addresses, children.ports, children.interfaces, children.services].every(
    (rows) => rows === null,
  );

/**
 * Replaces the children of a locked host. Children of a kind for which the request has no list are
 * kept.
 */
export const replaceChildren = (database: Database, tree: HostTree) => {
  const { host, ip_addresses, ports, interfaces, services, bindings } = tree;
  return [
    ...(ip_addresses ? syncRows(database, addressTable, [host.id], ip_addresses) : []),
    ...(ports ? syncRows(database, portTable, [host.id], ports) : []),
    ...(interfaces ? syncRows(database, interfaceTable, [host.id], interfaces) : []),
    ...(services
      ? [
          ...syncRows(database, serviceTable, [host.id], services),
          ...replaceMembersOfAll(
            database,
            serviceTags,
            services.map(({ id }) => id),
            tagPairs(services),
          ),
          ...syncRows(database, bindingTable, bindings.services, bindings.rows),
        ]
      : []),
  ];
};

/** Rejects a host whose body names a network other than the stored one. */
export const otherNetwork = (id: string, network_id: string, path: BodyPath): Guard =>
  invalidWhen(
    sql`exists (
      select from ${hosts} where ${hosts.id} = ${id} and ${hosts.valid_to} is null
        and ${hosts.network_id} <> ${network_id})`,
    `${path}network_id`,
    "must stay the same: create the host on the other network",
  );

/** Rejects the deletion of hosts on which a daemon runs. */
export const stillUsed = (ids: readonly string[]): Guard => sql`
  select 'entity_in_use', jsonb_build_object('entity', 'Host', 'id', daemons.host_id,
    'used_by', jsonb_build_object('daemons', count(*)))
  from ${daemons} where daemons.host_id = any (${sql.param(ids)}::uuid[])
  group by daemons.host_id order by daemons.host_id limit 1`;
