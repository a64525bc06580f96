import { type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Database } from "../../database/connection.ts";
import { lockHosts } from "../../database/locks.ts";
import {
  bindings,
  credentialHostIpAddresses,
  credentialHosts,
  daemons,
  hostDetails,
  hosts,
  hostTags,
  interfaceDetails,
  interfaces,
  neighbors,
  services,
  serviceTags,
} from "../../database/tables/index.ts";
import {
  addressTable,
  type ChildTable,
  interfaceTable,
  portTable,
  serviceTable,
} from "../writes/child-tables.ts";

/** True if `own` and `theirs` have the same natural key. */
const isSameChild = ({ naturalKey }: ChildTable): SQL =>
  sql.join(
    Object.values(naturalKey).map((column) => {
      const name = sql.identifier(column.name);
      const equals = column.notNull ? sql`=` : sql`is not distinct from`;
      return sql`own.${name} ${equals} theirs.${name}`;
    }),
    sql` and `,
  );

/**
 * The nullable columns that merged children fill from each other, except the columns of interfaces.
 */
const childDetails: readonly [ChildTable, readonly string[]][] = [
  [addressTable, ["name", "mac_address", "role"]],
  [serviceTable, ["virtualization", "version"]],
];

/** Copies the origin of the fields that a record takes from another record. */
const noted = (from: SQL, fields: SQL): SQL => sql`
  discovered = app.noted(own.discovered, ${from}.discovered, ${fields}),
  evidence = app.noted(own.evidence, ${from}.evidence, ${fields})`;

/** Returns SQL for the names of the columns that are null in `own` but not in `theirs`. */
const filledOf = (names: readonly string[]) =>
  sql`array_remove(array[${sql.raw(
    names
      .map(
        (name) => `case when own.${name} is null and theirs.${name} is not null then '${name}' end`,
      )
      .join(", "),
  )}], null)`;

/** Fills null columns of `own` from `theirs`. */
const fillEmpty = (names: readonly string[]) =>
  sql.raw(names.map((name) => `${name} = coalesce(own.${name}, theirs.${name})`).join(", "));

/**
 * Gives records the external ids and the metadata keys that they lack from the records that are
 * merged into them. The other records lose their external ids first, since only one record can have
 * an external id.
 * @param pairs a subquery that selects `their_id` and `own_id`
 */
const mergeOwnData = (table: PgTable, pairs: SQL): SQL => sql`
  with given as materialized (
    select merged.own_id, merged.their_id, theirs.external_id, theirs.metadata,
      row_number() over (
        partition by merged.own_id
        order by theirs.external_id is null, theirs.created_at, theirs.id) as nth
    from ${pairs} as merged
    join ${table} as theirs on theirs.id = merged.their_id and theirs.valid_to is null
    where theirs.external_id is not null or theirs.metadata <> '{}'),
  freed as (
    update ${table} as theirs set external_id = null
    from given where theirs.id = given.their_id and theirs.valid_to is null
      and theirs.external_id is not null
    returning given.their_id)
  update ${table} as own set external_id = sent.external_id, metadata = sent.metadata
  from (
    select known.id, coalesce(known.external_id, theirs.external_id) as external_id,
      app.merged_metadata(known.metadata, theirs.metadata) as metadata
    from (
      select given.own_id, min(given.external_id) filter (where given.nth = 1) as external_id,
        array_agg(given.metadata order by given.nth) as metadata
      from given left join freed using (their_id) group by given.own_id) as theirs
    join ${table} as known on known.id = theirs.own_id and known.valid_to is null) as sent
  where own.id = sent.id and own.valid_to is null
    and (own.external_id, own.metadata) is distinct from (sent.external_id, sent.metadata)`;

/**
 * Moves everything from another host to a host on the same network, and deletes the other host.
 * Both must be locked. If a child of the other host has the same natural key as a child of the
 * host, it is merged into that child: it is deleted, and references to it are redirected.
 * @returns statements for one transaction, in this order
 */
export const mergeHosts = (database: Database, hostId: string, otherId: string) => {
  /**
   * Returns a subquery that selects the other host's live children that are merged, each with the
   * child that it is merged into.
   */
  const merged = (child: ChildTable): SQL => sql`(
    select distinct on (theirs.id) theirs.id as their_id, own.id as own_id
    from ${child.table} as theirs
    join ${child.table} as own
      on own.host_id = ${hostId} and own.valid_to is null and ${isSameChild(child)}
    where theirs.host_id = ${otherId} and theirs.valid_to is null
    order by theirs.id, own.created_at, own.id)`;
  const move = (child: ChildTable, noted = sql``) =>
    database.execute(sql`
      update ${child.table} as child set host_id = ${hostId}${noted}
      where child.host_id = ${otherId} and child.valid_to is null
        and child.id not in (select their_id from ${merged(child)} as merged)`);
  /** Fills a null column from the oldest merged child that has a value. */
  const fill = (child: ChildTable, name: string) => {
    const column = sql.identifier(name);
    return database.execute(sql`
      update ${child.table} as own
      set ${column} = given.${column}, ${noted(sql`given`, sql`array[${name}]`)}
      from (
        select distinct on (merged.own_id) merged.own_id, theirs.*
        from ${merged(child)} as merged
        join ${child.table} as theirs
          on theirs.id = merged.their_id and theirs.valid_to is null
        where theirs.${column} is not null
        order by merged.own_id, theirs.created_at, theirs.id) as given
      where own.id = given.own_id and own.valid_to is null and own.${column} is null`);
  };
  /**
   * Returns a subquery that selects the ids that the other host's addresses have after the merge.
   */
  const mergedIds = (ids: SQL): SQL => sql`(
    select coalesce(address.own_id, member) from unnest(${ids}) as member
    left join ${merged(addressTable)} as address on address.their_id = member)`;
  /** The live bindings of the other host, as they will be after the merge. */
  const moved = sql`(
    select binding.id, binding.type, binding.created_at,
      coalesce(service.own_id, binding.service_id) as service_id,
      coalesce(port.own_id, binding.port_id) as port_id,
      coalesce(address.own_id, binding.ip_address_id) as ip_address_id
    from ${bindings} as binding
    left join ${merged(serviceTable)} as service on service.their_id = binding.service_id
    left join ${merged(portTable)} as port on port.their_id = binding.port_id
    left join ${merged(addressTable)} as address on address.their_id = binding.ip_address_id
    where binding.live_host_id = ${otherId})`;
  /**
   * True if `kept` makes `double` redundant: `kept` is equal, or binds all addresses instead of
   * one.
   */
  const covers = (kept: SQL, double: SQL): SQL => sql`${kept}.type = ${double}.type
    and ${kept}.service_id = ${double}.service_id
    and ${kept}.port_id is not distinct from ${double}.port_id
    and (${kept}.ip_address_id = ${double}.ip_address_id or ${kept}.ip_address_id is null)`;
  return [
    // Services, ports and addresses are moved one after another, and the bindings last.
    database.execute(sql`set constraints all deferred`),
    database.execute(lockHosts([hostId, otherId])),
    database.execute(sql`
      delete from ${bindings} where live_host_id = ${otherId} and id in (
        select double.id from ${moved} as double
        where exists (
          select from ${bindings} as own where own.live_host_id = ${hostId}
            and ${covers(sql`own`, sql`double`)})
        or exists (
          select from ${moved} as other where other.id <> double.id
            and ${covers(sql`other`, sql`double`)}
            and (other.ip_address_id is distinct from double.ip_address_id
              or (other.created_at, other.id) < (double.created_at, double.id))))`),
    database.execute(sql`
      delete from ${bindings} as own where own.live_host_id = ${hostId} and exists (
        select from ${moved} as other where ${covers(sql`other`, sql`own`)})`),
    database.execute(sql`
      insert into ${serviceTags} (organization_id, service_id, tag_id)
      select tagged.organization_id, merged.own_id, tagged.tag_id
      from ${merged(serviceTable)} as merged
      join ${serviceTags} as tagged on tagged.service_id = merged.their_id
      on conflict do nothing`),
    ...moveAssignments(database, hostId, otherId, merged(addressTable)),
    database.execute(mergeOwnData(services, merged(serviceTable))),
    ...childDetails.flatMap(([child, columns]) => columns.map((name) => fill(child, name))),
    move(serviceTable),
    move(portTable),
    // Interfaces come before addresses, since an address that leaves a host is removed from the
    // host's interfaces.
    database.execute(sql`
      update ${interfaces} as own set ${fillEmpty(interfaceDetails)},
        ip_address_ids = array(
          select unnest(own.ip_address_ids) union ${mergedIds(sql`theirs.ip_address_ids`)} order by 1),
        last_seen_at = greatest(own.last_seen_at, theirs.last_seen_at),
        ${noted(sql`theirs`, filledOf(interfaceDetails))}
      from ${merged(interfaceTable)} as merged
      join ${interfaces} as theirs on theirs.id = merged.their_id and theirs.valid_to is null
      where own.id = merged.own_id and own.valid_to is null`),
    // A neighbor that the other interface already has is deleted; the remaining neighbors are
    // moved.
    database.execute(sql`
      delete from ${neighbors} as theirs using ${merged(interfaceTable)} as merged
      where theirs.live_interface_id = merged.their_id and exists (
        select from ${neighbors} as own where own.live_interface_id = merged.own_id
          and (own.protocol, own.chassis_subtype, own.chassis_value, own.port_key)
            = (theirs.protocol, theirs.chassis_subtype, theirs.chassis_value, theirs.port_key))`),
    database.execute(sql`
      update ${neighbors} as theirs set interface_id = merged.own_id
      from ${merged(interfaceTable)} as merged
      where theirs.live_interface_id = merged.their_id`),
    database.execute(sql`
      delete from ${interfaces} where valid_to is null
        and id in (select their_id from ${merged(interfaceTable)} as merged)`),
    move(
      interfaceTable,
      sql`, ip_address_ids = array(${mergedIds(sql`child.ip_address_ids`)} order by 1)`,
    ),
    // Neighbors of the interfaces that were moved, rather than merged, still refer to the other
    // host.
    database.execute(sql`
      update ${neighbors} set host_id = ${hostId} where live_host_id = ${otherId}`),
    // Imports and scans still report the two hosts separately: see app.fillable.
    move(
      addressTable,
      sql`, evidence = coalesce(child.evidence, '{}') || '{"host_id": {"rank": 1}}'`,
    ),
    database.execute(sql`
      update ${bindings} as binding set host_id = ${hostId}, service_id = moved.service_id,
        port_id = moved.port_id, ip_address_id = moved.ip_address_id
      from ${moved} as moved where binding.id = moved.id and binding.valid_to is null`),
    database.execute(sql`
      insert into ${hostTags} (organization_id, host_id, tag_id)
      select tagged.organization_id, ${hostId}::uuid, tagged.tag_id from ${hostTags} as tagged
      where tagged.host_id = ${otherId} on conflict do nothing`),
    database.execute(sql`update ${daemons} set host_id = ${hostId} where host_id = ${otherId}`),
    database.execute(
      mergeOwnData(hosts, sql`(select ${hostId}::uuid as own_id, ${otherId}::uuid as their_id)`),
    ),
    // The host's fields are kept; null fields are filled from the other host.
    database.execute(sql`
      update ${hosts} as own set last_seen_at = greatest(own.last_seen_at, theirs.last_seen_at),
        ${fillEmpty(hostDetails)}, ${noted(sql`theirs`, filledOf(hostDetails))}
      from ${hosts} as theirs where own.id = ${hostId} and own.valid_to is null
        and theirs.id = ${otherId} and theirs.valid_to is null`),
    database.execute(sql`delete from ${hosts} where id = ${otherId} and valid_to is null`),
  ];
};

/**
 * Combines the credentials of two hosts. A credential that applies to all addresses of either host
 * then applies to all addresses of the merged host.
 */
const moveAssignments = (
  database: Database,
  hostId: string,
  otherId: string,
  mergedAddresses: SQL,
) => [
  database.execute(sql`
    delete from ${credentialHosts} as own
    where own.host_id = ${hostId} and own.is_limited_to_addresses and exists (
      select from ${credentialHosts} as theirs
      where theirs.host_id = ${otherId} and theirs.credential_id = own.credential_id
        and not theirs.is_limited_to_addresses)`),
  database.execute(sql`
    insert into ${credentialHosts} (organization_id, credential_id, host_id, is_limited_to_addresses)
    select theirs.organization_id, theirs.credential_id, ${hostId}::uuid,
      theirs.is_limited_to_addresses
    from ${credentialHosts} as theirs where theirs.host_id = ${otherId} on conflict do nothing`),
  // This is one statement, so that the limit on a credential's addresses is checked only when the
  // statement ends.
  database.execute(sql`
    with gone as (
      delete from ${credentialHostIpAddresses} as theirs where theirs.host_id = ${otherId}
      returning theirs.organization_id, theirs.credential_id, theirs.ip_address_id)
    insert into ${credentialHostIpAddresses}
      (organization_id, credential_id, host_id, ip_address_id)
    select gone.organization_id, gone.credential_id, own.host_id,
      coalesce(merged.own_id, gone.ip_address_id)
    from gone
    join ${credentialHosts} as own on own.host_id = ${hostId} and own.is_limited_to_addresses
      and own.credential_id = gone.credential_id
    left join ${mergedAddresses} as merged on merged.their_id = gone.ip_address_id
    on conflict do nothing`),
];
