import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import {
  partsOf,
  type Versions,
  versionsAs,
  versionsAt,
  versionsOf,
} from "../../database/history.ts";
import {
  type chassisSubtypes,
  hosts,
  interfaces,
  ipAddresses,
  type neighborProtocols,
  neighbors,
  services,
} from "../../database/tables/index.ts";
import { isOpen } from "../is-open.ts";
import { topologyBounds } from "./model.ts";
import {
  type Asked,
  and,
  each,
  hasId,
  hostsOf,
  isIn,
  type Listed,
  listOf,
  narrows,
  smallest,
  withinNetworks,
} from "./sql.ts";

/** A neighbor of a host on the map. */
export interface HeardRow {
  id: string;
  network_id: string;
  host_id: string;
  interface_id: string;
  protocol: (typeof neighborProtocols)[number];
  chassis_subtype: (typeof chassisSubtypes)[number];
  chassis_value: string;
  port_subtype: string | null;
  port_value: string | null;
  system_name: string | null;
  /** The system name, converted to lower case by Postgres. */
  name: string | null;
  system_description: string | null;
  management_addresses: string[];
  /** A digest of the network and the chassis id. */
  digest: string;
}

/** The kinds of values by which a neighbor identifies its host. */
export type Identity = "mac" | "address" | "sys_name" | "hostname";

/** An announced value, with the hosts on the neighbor's network that have it. */
export interface FoundRow {
  kind: Identity;
  network_id: string;
  /** In lower case, if it is a name. */
  value: string;
  /** One of the hosts with this value. */
  host_id: string;
  /** The number of hosts with this value. */
  hosts: number;
}

/** An interface that received an announcement, or that may be the port in one. */
export interface InterfaceRow {
  id: string;
  host_id: string;
  if_index: number;
  name: string | null;
  alias: string | null;
  mac_address: string | null;
}

/** The lists in the row of an `l2` map that is not too large. */
export interface ListedLayer2 extends Pick<Listed, "host_rows" | "open_rows" | "address_rows"> {
  heard_rows: HeardRow[];
  found_rows: FoundRow[];
  interface_rows: InterfaceRow[];
}

export interface Layer2Row extends Record<string, unknown> {
  hosts: number;
  heard: number;
  /** Null if the map is too large. */
  listed: ListedLayer2 | null;
}

const upperMac = (mac: SQLWrapper): SQL => sql`upper(${mac}::text)`;

/** Looks up the hosts with each announced value, among the hosts on the network of the neighbor. */
const found = (versions: Versions): SQL => sql`
  said_mac as materialized (
    select network_id, mac
    from (
      select network_id, chassis_value::macaddr as mac from heard where chassis_subtype = 'MacAddress'
      union
      select network_id, port_value::macaddr from heard where port_subtype = 'MacAddress') as said
    where not app.is_shared_mac(mac)),
  said_address as materialized (
    select distinct heard.network_id, said.address
    from heard cross join lateral (
      select unnest(heard.management_addresses) as address
      union all
      select heard.chassis_value::inet where heard.chassis_subtype = 'NetworkAddress') as said),
  said_name as materialized (
    select network_id, name from heard where name is not null
    union
    select network_id, split_part(name, '.', 1) from heard where name is not null),
  named as materialized (
    select ${hosts.live_id} as id, ${hosts.network_id}, lower(${hosts.sys_name}) as sys_name,
      lower(${hosts.hostname}) as hostname,
      case when ${hosts.chassis_id} ~ '^[0-9A-Fa-f][-0-9A-Fa-f.: ]{10,}$'
        then lower(regexp_replace(${hosts.chassis_id}, '[-.: ]', '', 'g')) end as chassis
    from ${hosts}
    where ${versionsOf(hosts, versions)} and ${isIn(sql`${hosts.network_id}`, sql`select network_id from heard`)}
      and (${hosts.sys_name} is not null or ${hosts.hostname} is not null or ${hosts.chassis_id} is not null)),
  found as materialized (
    select kind, network_id, value, min(host_id::text)::uuid as host_id, count(distinct host_id)::int as hosts
    from (
      select 'mac' as kind, said_mac.network_id, ${upperMac(sql`said_mac.mac`)} as value, owner.host_id
      from said_mac cross join lateral (
        select ${interfaces.host_id} from ${interfaces}
        where ${interfaces.mac_address} = said_mac.mac and ${interfaces.network_id} = said_mac.network_id
          and ${versionsAs(interfaces, versions)}
        union all
        select ${ipAddresses.host_id} from ${ipAddresses}
        where ${ipAddresses.mac_address} = said_mac.mac and ${ipAddresses.network_id} = said_mac.network_id
          and ${versionsAs(ipAddresses, versions)}
        offset 0) as owner
      union all
      select 'mac', said_mac.network_id, ${upperMac(sql`said_mac.mac`)}, named.id
      from said_mac join named on named.network_id = said_mac.network_id
        and named.chassis = replace(said_mac.mac::text, ':', '')
      union all
      select 'address', said_address.network_id, host(said_address.address), owner.host_id
      from said_address cross join lateral (
        select ${ipAddresses.host_id} from ${ipAddresses}
        where ${ipAddresses.address} = said_address.address
          and ${ipAddresses.network_id} = said_address.network_id and ${versionsAs(ipAddresses, versions)}
        offset 0) as owner
      union all
      select 'sys_name', named.network_id, named.sys_name, named.id from named
      where ${isIn(sql`(named.network_id, named.sys_name)`, sql`select network_id, name from said_name`)}
      union all
      select 'hostname', named.network_id, named.hostname, named.id from named
      where ${isIn(sql`(named.network_id, named.hostname)`, sql`select network_id, name from said_name`)}) as owned
    group by kind, network_id, value)`;

/**
 * Reads an `l2` map as one row, and therefore from one snapshot: the neighbors of the hosts, the
 * hosts that have the announced values, and the interfaces that may be the announced ports.
 * `matchNeighbors` identifies the hosts of the neighbors. For a map around a host, the row contains
 * all hosts on its network that have neighbors or may be neighbors; `aroundHost` selects the hosts
 * within `depth`.
 */
export function layer2Of(asked: Asked): SQL {
  const { at, host_id } = asked;
  const versions = versionsAt(at);
  const isBall = host_id !== undefined;
  const within = withinNetworks(asked);
  const heardRows =
    narrows(asked) || isBall
      ? sql`host ${each(neighbors, partsOf(neighbors, "host_id", sql`host.id`, versions))} where true`
      : sql`${neighbors} where ${and([versionsOf(neighbors, versions), within(neighbors)])}`;
  const ofDrawn = isIn(sql`host_id`, sql`select id from drawn`);
  return sql`
with
  ${
    isBall
      ? sql`center as materialized (
    select ${hosts.live_id} as id, ${hosts.network_id} from (select ${host_id}::uuid as id) as given
    ${each(hosts, hasId(hosts, sql`given.id`, versions))}),
  any_host as materialized (${hostsOf(asked, versions)}),
  host as materialized (
    select any_host.id from center, any_host ${each(hosts, hasId(hosts, sql`any_host.id`, versions))}
    where ${hosts.network_id} = center.network_id
      and ${isIn(sql`center.id`, sql`select id from any_host`)}),`
      : sql`host as materialized (${hostsOf(asked, versions)}),`
  }
  heard as materialized (
    select ${neighbors.live_id} as id, ${neighbors.network_id}, ${neighbors.host_id}, ${neighbors.interface_id},
      ${neighbors.protocol}, ${neighbors.chassis_subtype}, ${neighbors.chassis_value}, ${neighbors.port_subtype},
      ${neighbors.port_value}, ${neighbors.system_name}, ${neighbors.system_description},
      ${neighbors.management_addresses}, lower(${neighbors.system_name}) as name
    from ${heardRows}
    limit ${topologyBounds.neighbors + 1}::int),
  ${found(versions)},
  shown_host as materialized (
    select host.id from host${
      isBall
        ? sql`
    where host.id = ${host_id}::uuid or host.id in (select host_id from heard)
      or host.id in (select host_id from found where hosts = 1)`
        : sql``
    }),
  address as materialized (
    select ${ipAddresses.live_id} as id, ${ipAddresses.host_id}, ${ipAddresses.subnet_id}, ${ipAddresses.address}
    from shown_host ${each(ipAddresses, partsOf(ipAddresses, "host_id", sql`shown_host.id`, versions))}),
  size as materialized (
    select (select count(*) from shown_host)::int as hosts, (select count(*) from heard)::int as heard,
      (select count(*) from address)::int as addresses,
      (select coalesce(sum(pg_column_size(heard)), 0) from heard) as heard_bytes),
  fit as materialized (
    select hosts <= ${topologyBounds.hosts}::int and heard <= ${topologyBounds.neighbors}::int
      and heard_bytes <= ${topologyBounds.neighborBytes}::int
      and hosts::bigint * ${smallest.node}::int
        + addresses::bigint * ${smallest.address}::int <= ${topologyBounds.bytes}::int as fits
    from size),
  drawn as materialized (select id from shown_host where (select fits from fit)),
  service as materialized (
    select ${services.host_id} from drawn
    ${each(services, partsOf(services, "host_id", sql`drawn.id`, versions))}
    where ${isOpen("service_id", services.live_id, versions)}),
  port as materialized (
    select ${interfaces.live_id} as id, ${interfaces.host_id}, ${interfaces.if_index}, ${interfaces.name},
      ${interfaces.alias}, ${interfaces.mac_address}
    from (
      select distinct host_id as id from found where hosts = 1 and ${ofDrawn}
      union select host_id from heard where ${ofDrawn}) as owner
    ${each(interfaces, partsOf(interfaces, "host_id", sql`owner.id`, versions))}
    where ${isIn(sql`${interfaces.live_id}`, sql`select interface_id from heard`)}
      or ${isIn(sql`${interfaces.name}`, sql`select port_value from heard where port_value is not null`)}
      or ${isIn(sql`${interfaces.alias}`, sql`select port_value from heard where port_value is not null`)}
      or ${isIn(sql`${interfaces.mac_address}`, sql`select mac from said_mac`)})
select size.hosts, size.heard,
  case when fit.fits then json_build_object('host_rows', ${listOf(sql`
      select ${hosts.live_id} as id, ${hosts.network_id}, ${hosts.name}, ${hosts.operating_system}
      from drawn ${each(hosts, hasId(hosts, sql`drawn.id`, versions))}`)},
    'open_rows', ${listOf(sql`
      select host_id, count(*)::int as services from service group by host_id`)},
    'address_rows', ${listOf(sql`
      select id, host_id, subnet_id, host(address) as address from address
      order by address.address, id`)},
    'heard_rows', ${listOf(sql`
      select id, network_id, host_id, interface_id, protocol, chassis_subtype, chassis_value, port_subtype,
        port_value, system_name, name, system_description, management_addresses,
        left(encode(sha256(convert_to(concat_ws(' ', network_id, chassis_subtype, chassis_value), 'UTF8')), 'hex'), 32)
          as digest
      from heard where ${ofDrawn} order by id`)},
    'found_rows', ${listOf(sql`select kind, network_id, value, host_id, hosts from found`)},
    'interface_rows', ${listOf(sql`
      select id, host_id, if_index, name, alias, ${upperMac(sql`mac_address`)} as mac_address from port`)}) end as listed
from size, fit`;
}
