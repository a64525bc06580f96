import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../../database/connection.ts";
import { hostDetails, interfaceDetails } from "../../database/tables/index.ts";

/** The natural key of the children of a host, by table: whether `own` and `theirs` are the same. */
const sameChild = {
  interfaces: sql`own.if_index = theirs.if_index`,
  ports: sql`own.number = theirs.number and own.protocol = theirs.protocol`,
  ip_addresses: sql`own.address = theirs.address and own.subnet_id is not distinct from theirs.subnet_id`,
  services: sql`own.service_definition = theirs.service_definition and own.name = theirs.name`,
};
type ChildTable = keyof typeof sameChild;

/** What children that merge say of themselves beyond their natural key, in columns that may be empty. */
const childDetails = {
  ip_addresses: ["name", "mac_address"],
  services: ["virtualization", "version"],
} as const satisfies Partial<Record<ChildTable, readonly string[]>>;

/** What a record notes of where its fields come from, once it has taken these over from another one. */
const noted = (from: SQL, fields: SQL): SQL => sql`
  discovered = app.noted(own.discovered, ${from}.discovered, ${fields}),
  evidence = app.noted(own.evidence, ${from}.evidence, ${fields})`;

/** The names of what a record does not say and the other one does. */
const filledOf = (names: readonly string[]) =>
  sql`array_remove(array[${sql.raw(
    names
      .map(
        (name) => `case when own.${name} is null and theirs.${name} is not null then '${name}' end`,
      )
      .join(", "),
  )}], null)`;

/** What a record does not say comes from the other one. */
const fillEmpty = (names: readonly string[]) =>
  sql.raw(names.map((name) => `${name} = coalesce(own.${name}, theirs.${name})`).join(", "));

/**
 * Moves everything of another host over to a host of the same network, and deletes the other. Both
 * are locked. What the other host has that the host has as well merges into the latter's: it goes
 * with the other host, and what referred to it refers to the host's.
 * @returns statements for one transaction, in this order
 */
export const mergeHosts = (database: Database, hostId: string, otherId: string) => {
  /** The live children of the other host that the host has as well, and which those are. */
  const merged = (table: ChildTable): SQL => sql`(
    select distinct on (theirs.id) theirs.id as their_id, own.id as own_id
    from ${sql.identifier(table)} as theirs
    join ${sql.identifier(table)} as own
      on own.host_id = ${hostId} and own.valid_to is null and ${sameChild[table]}
    where theirs.host_id = ${otherId} and theirs.valid_to is null
    order by theirs.id, own.created_at, own.id)`;
  const move = (table: ChildTable, noted = sql``) =>
    database.execute(sql`
      update ${sql.identifier(table)} as child set host_id = ${hostId}${noted}
      where child.host_id = ${otherId} and child.valid_to is null
        and child.id not in (select their_id from ${merged(table)} as merged)`);
  /** Empty fields are filled from the oldest merged child that has a value. */
  const fill = <Table extends keyof typeof childDetails>(
    table: Table,
    name: (typeof childDetails)[Table][number],
  ) => {
    const column = sql.identifier(name);
    return database.execute(sql`
      update ${sql.identifier(table)} as own
      set ${column} = given.${column}, ${noted(sql`given`, sql`array[${name}]`)}
      from (
        select distinct on (merged.own_id) merged.own_id, theirs.*
        from ${merged(table)} as merged
        join ${sql.identifier(table)} as theirs
          on theirs.id = merged.their_id and theirs.valid_to is null
        where theirs.${column} is not null
        order by merged.own_id, theirs.created_at, theirs.id) as given
      where own.id = given.own_id and own.valid_to is null and own.${column} is null`);
  };
  /** Addresses of the other host's, as the host will have them. */
  const mergedIds = (ids: SQL): SQL => sql`(
    select coalesce(address.own_id, member) from unnest(${ids}) as member
    left join ${merged("ip_addresses")} as address on address.their_id = member)`;
  /** The live bindings of the other host, as they will be. */
  const moved = sql`(
    select binding.id, binding.type, binding.created_at,
      coalesce(service.own_id, binding.service_id) as service_id,
      coalesce(port.own_id, binding.port_id) as port_id,
      coalesce(address.own_id, binding.ip_address_id) as ip_address_id
    from bindings as binding
    left join ${merged("services")} as service on service.their_id = binding.service_id
    left join ${merged("ports")} as port on port.their_id = binding.port_id
    left join ${merged("ip_addresses")} as address on address.their_id = binding.ip_address_id
    where binding.host_id = ${otherId} and binding.valid_to is null)`;
  /** `kept` says all that `double` says: the same, or all addresses instead of one. */
  const covers = (kept: SQL, double: SQL): SQL => sql`${kept}.type = ${double}.type
    and ${kept}.service_id = ${double}.service_id
    and ${kept}.port_id is not distinct from ${double}.port_id
    and (${kept}.ip_address_id = ${double}.ip_address_id or ${kept}.ip_address_id is null)`;
  return [
    // Services, ports and addresses move one after the other, and their bindings last.
    database.execute(sql`set constraints all deferred`),
    database.execute(sql`select app.lock_hosts(array[${hostId}, ${otherId}]::uuid[])`),
    database.execute(sql`
      delete from bindings where valid_to is null and host_id = ${otherId} and id in (
        select double.id from ${moved} as double
        where exists (
          select from bindings as own where own.host_id = ${hostId} and own.valid_to is null
            and ${covers(sql`own`, sql`double`)})
        or exists (
          select from ${moved} as other where other.id <> double.id
            and ${covers(sql`other`, sql`double`)}
            and (other.ip_address_id is distinct from double.ip_address_id
              or (other.created_at, other.id) < (double.created_at, double.id))))`),
    database.execute(sql`
      delete from bindings as own where own.host_id = ${hostId} and own.valid_to is null and exists (
        select from ${moved} as other where ${covers(sql`other`, sql`own`)})`),
    database.execute(sql`
      insert into service_tags (organization_id, service_id, tag_id)
      select tagged.organization_id, merged.own_id, tagged.tag_id
      from ${merged("services")} as merged
      join service_tags as tagged on tagged.service_id = merged.their_id
      on conflict do nothing`),
    ...moveAssignments(database, hostId, otherId, merged("ip_addresses")),
    ...childDetails.ip_addresses.map((name) => fill("ip_addresses", name)),
    ...childDetails.services.map((name) => fill("services", name)),
    move("services"),
    move("ports"),
    // Before the addresses, which leave the interfaces of the host that they leave.
    database.execute(sql`
      update interfaces as own set ${fillEmpty(interfaceDetails)},
        ip_address_ids = array(
          select unnest(own.ip_address_ids) union ${mergedIds(sql`theirs.ip_address_ids`)} order by 1),
        last_seen_at = greatest(own.last_seen_at, theirs.last_seen_at),
        ${noted(sql`theirs`, filledOf(interfaceDetails))}
      from ${merged("interfaces")} as merged
      join interfaces as theirs on theirs.id = merged.their_id and theirs.valid_to is null
      where own.id = merged.own_id and own.valid_to is null`),
    database.execute(sql`
      delete from interfaces where valid_to is null
        and id in (select their_id from ${merged("interfaces")} as merged)`),
    move(
      "interfaces",
      sql`, ip_address_ids = array(${mergedIds(sql`child.ip_address_ids`)} order by 1)`,
    ),
    // Imports and scans still see the two apart: see app.fillable.
    move(
      "ip_addresses",
      sql`, evidence = coalesce(child.evidence, '{}') || '{"host_id": {"rank": 1}}'`,
    ),
    database.execute(sql`
      update bindings as binding set host_id = ${hostId}, service_id = moved.service_id,
        port_id = moved.port_id, ip_address_id = moved.ip_address_id
      from ${moved} as moved where binding.id = moved.id and binding.valid_to is null`),
    database.execute(sql`
      insert into host_tags (organization_id, host_id, tag_id)
      select tagged.organization_id, ${hostId}::uuid, tagged.tag_id from host_tags as tagged
      where tagged.host_id = ${otherId} on conflict do nothing`),
    database.execute(sql`update daemons set host_id = ${hostId} where host_id = ${otherId}`),
    // What the host says of itself stays; only what it does not say comes from the other.
    database.execute(sql`
      update hosts as own set last_seen_at = greatest(own.last_seen_at, theirs.last_seen_at),
        ${fillEmpty(hostDetails)}, ${noted(sql`theirs`, filledOf(hostDetails))}
      from hosts as theirs where own.id = ${hostId} and own.valid_to is null
        and theirs.id = ${otherId} and theirs.valid_to is null`),
    database.execute(sql`delete from hosts where id = ${otherId} and valid_to is null`),
  ];
};

/** Unites the credentials of two hosts. One that is for either host as a whole is for all of both. */
const moveAssignments = (
  database: Database,
  hostId: string,
  otherId: string,
  mergedAddresses: SQL,
) => [
  database.execute(sql`
    delete from credential_hosts as own
    where own.host_id = ${hostId} and own.is_limited_to_addresses and exists (
      select from credential_hosts as theirs
      where theirs.host_id = ${otherId} and theirs.credential_id = own.credential_id
        and not theirs.is_limited_to_addresses)`),
  database.execute(sql`
    insert into credential_hosts (organization_id, credential_id, host_id, is_limited_to_addresses)
    select theirs.organization_id, theirs.credential_id, ${hostId}::uuid,
      theirs.is_limited_to_addresses
    from credential_hosts as theirs where theirs.host_id = ${otherId} on conflict do nothing`),
  // In one statement, for a credential has at most so many addresses.
  database.execute(sql`
    with gone as (
      delete from credential_host_ip_addresses as theirs where theirs.host_id = ${otherId}
      returning theirs.organization_id, theirs.credential_id, theirs.ip_address_id)
    insert into credential_host_ip_addresses
      (organization_id, credential_id, host_id, ip_address_id)
    select gone.organization_id, gone.credential_id, own.host_id,
      coalesce(merged.own_id, gone.ip_address_id)
    from gone
    join credential_hosts as own on own.host_id = ${hostId} and own.is_limited_to_addresses
      and own.credential_id = gone.credential_id
    left join ${mergedAddresses} as merged on merged.their_id = gone.ip_address_id
    on conflict do nothing`),
];
