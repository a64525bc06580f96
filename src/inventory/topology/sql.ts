import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import {
  isVersionOf,
  partsOf,
  type Versions,
  versionsAs,
  versionsAt,
  versionsOf,
} from "../../database/history.ts";
import { ownersOf } from "../../database/sets.ts";
import {
  bindings,
  hosts,
  interfaces,
  ipAddresses,
  services,
  subnets,
} from "../../database/tables/index.ts";
import { isOpen } from "../is-open.ts";
import { hostTags } from "../writes/tag-sets.ts";
import { type detailLevels, type layers, topologyBounds } from "./model.ts";

/** The parameters of a map. */
export interface Asked {
  layer: (typeof layers)[number];
  detail: (typeof detailLevels)[number];
  network_id?: readonly string[] | undefined;
  /** The instant of the map; undefined for the live versions. */
  at?: string | undefined;
  host_id?: string | undefined;
  /** Maximum distance from the host, in edges. */
  depth?: number | undefined;
  subnet_id?: string | undefined;
  tag_ids?: readonly string[] | undefined;
  vlan?: number | undefined;
}

/** A connection of a virtual machine or a container to the service that runs it. */
interface RunsOnRow {
  /** The kind of the record with the virtualization. */
  entity: "Host" | "Service";
  id: string;
  host_id: string;
  label: string | null;
  service_id: string;
  /** The host of that service. */
  runner_id: string;
}

/** The lists in the row of a map that is not too large. */
export interface Listed {
  host_rows: {
    id: string;
    network_id: string;
    name: string;
    operating_system: string | null;
  }[];
  /** The number of subnets in which a host has an address; absent if there are none. */
  home_rows: { host_id: string; subnets: number }[];
  /** The number of a host's open services; absent if there are none. */
  open_rows: { host_id: string; services: number }[];
  subnet_rows: {
    id: string;
    network_id: string;
    name: string;
    cidr: string;
    subnet_type: (typeof subnets.$inferSelect)["subnet_type"];
  }[];
  /** The numbers of hosts and addresses in a subnet; absent if there are none. */
  held_rows: { subnet_id: string; hosts: number; addresses: number }[];
  /** The addresses of the hosts, sorted. */
  address_rows: { id: string; host_id: string; subnet_id: string | null; address: string }[];
  /** The bindings of `Gateway` services to addresses in subnets. */
  gateway_rows: { id: string; host_id: string; subnet_id: string; address: string }[];
  runs_on_rows: RunsOnRow[];
  /** The open services, and those that run something or run on something. */
  service_rows: {
    id: string;
    network_id: string;
    host_id: string;
    name: string;
    service_definition: string;
    version: string | null;
    is_open: boolean;
  }[];
}

export interface TopologyRow extends Record<string, unknown> {
  hosts: number;
  hosts_in_no_subnet: number;
  /** The number of edges that represent addresses. */
  address_edges: number;
  /** Null if the map is too large. */
  listed: Listed | null;
}

/** The smallest sizes of a node and of an address in a response, in bytes. */
export const smallest = { node: 200, address: 10 } as const;

export const and = (conditions: readonly (SQL | undefined)[]): SQL =>
  sql.join(
    conditions.filter((condition) => condition !== undefined),
    sql` and `,
  );

export const listOf = (select: SQL): SQL =>
  sql`(select coalesce(json_agg(row_to_json(listed)), '[]') from (${select}) as listed)`;

/**
 * Joins the rows of a table that meet a condition, with an index lookup for each row of the
 * preceding tables. Without statistics, Postgres would expect few rows, and compare all rows with
 * each other.
 */
export const each = (table: PgTable, condition: SQL): SQL =>
  sql`cross join lateral (select ${table}.* from ${table} where ${condition} offset 0) as ${table}`;

/**
 * True for the version of the record with an id. A live version is looked up by `current_id`, which
 * excludes the partial indexes of live versions: without statistics, Postgres would expect so few
 * of them that it would read all of them for each id.
 */
export const hasId = (table: PgTable, id: SQLWrapper, versions: Versions): SQL =>
  versions.kind === "live"
    ? sql`${table}.current_id = ${id}`
    : isVersionOf(table, sql`= ${id}`, versions);

/**
 * True if ids are in a set; the set is hashed. A plain `in` could become a join that compares all
 * ids with each other.
 */
export const isIn = (ids: SQL, set: SQL): SQL => sql`((${ids} in (${set})) is true)`;

/**
 * The virtual machines among the hosts of `guests` and, in the service layer, the containers on
 * these hosts, each with the service that it runs on.
 */
const runsOn = (guests: SQL, layer: Asked["layer"], versions: Versions): SQL => sql`
  select virtual.entity, virtual.id, virtual.host_id, ${services.live_id} as service_id,
    ${services.host_id} as runner_id, coalesce(virtual.virtualization #>> '{details,vm_name}',
      virtual.virtualization #>> '{details,container_name}') as label
  from (
    select 'Host' as entity, ${hosts.live_id} as id, ${hosts.live_id} as host_id, ${hosts.virtualization}
    from ${guests} as guest ${each(hosts, hasId(hosts, sql`guest.id`, versions))}
    where ${hosts.virtualization} is not null${
      layer === "l3"
        ? sql``
        : sql`
    union all
    select 'Service', ${services.live_id}, ${services.host_id}, ${services.virtualization}
    from ${guests} as guest ${each(services, partsOf(services, "host_id", sql`guest.id`, versions))}
    where ${services.virtualization} is not null`
    }) as virtual
  ${each(
    services,
    hasId(services, sql`(virtual.virtualization #>> '{details,service_id}')::uuid`, versions),
  )}`;

/**
 * Selects the hosts and subnets at most `depth` edges from a host. The last of the CTEs `near0`,
 * `near1`, … contains all of them.
 */
const ball = ({ layer, host_id, depth = 1 }: Asked): SQL => sql`
  link as materialized (
    ${
      layer === "l3"
        ? sql`
    select false as is_subnet, host_id as id, true as to_subnet, subnet_id as to_id from member
    union all select true, subnet_id, false, host_id from member
    union all`
        : sql``
    }
    select false as is_subnet, host_id as id, false as to_subnet, runner_id as to_id from runs_on
    union all select false, runner_id, false, host_id from runs_on),
  near0 as materialized (
    select false as is_subnet, host.id from host where host.id = ${host_id}::uuid),
  ${sql.join(
    Array.from({ length: depth }, (_, distance) => {
      const [before, next] = [nearest(distance), nearest(distance + 1)];
      return sql`${next} as materialized (
    select is_subnet, id from ${before}
    union
    select to_subnet, to_id from link
    where ${isIn(sql`(is_subnet, id)`, sql`select is_subnet, id from ${before}`)})`;
    }),
    sql`,
  `,
  )}`;

const nearest = (distance: number): SQL => sql.raw(`near${distance}`);

/** True if the map is limited to hosts in a subnet, with a tag or on a VLAN. */
export const narrows = ({ subnet_id, tag_ids, vlan }: Asked): boolean =>
  subnet_id !== undefined || tag_ids !== undefined || vlan !== undefined;

/** Returns a function that limits a table to the networks of a map. */
export const withinNetworks =
  ({ network_id }: Asked) =>
  (table: PgTable): SQL | undefined =>
    network_id && sql`${table}.network_id = any (${sql.param(network_id)}::uuid[])`;

/** Selects the ids of the hosts on a map, ignoring `host_id`. */
export function hostsOf(asked: Asked, versions: Versions): SQL {
  const { subnet_id, tag_ids, vlan } = asked;
  const within = withinNetworks(asked);
  const candidates = [
    tag_ids && ownersOf(hostTags, tag_ids, versions),
    subnet_id &&
      sql`select ${ipAddresses.host_id} from ${ipAddresses}
          where ${ipAddresses.subnet_id} = ${subnet_id}::uuid and ${versionsAs(ipAddresses, versions)}`,
  ].flatMap((select) => (select ? [sql`(${select})`] : []));
  const found =
    candidates.length > 0
      ? sql`
    select ${hosts.live_id} as id
    from (select distinct id from (${sql.join(candidates, sql` intersect `)}) as listed (id)) as candidate
    ${each(hosts, and([hasId(hosts, sql`candidate.id`, versions), within(hosts)]))}`
      : sql`
    select ${hosts.live_id} as id from ${hosts} where ${and([versionsOf(hosts, versions), within(hosts)])}`;
  return vlan === undefined
    ? found
    : sql`
    select distinct found.id from (${found}) as found
    ${each(interfaces, partsOf(interfaces, "host_id", sql`found.id`, versions))}
    where ${interfaces.native_vlan} = ${vlan}::int or ${interfaces.tagged_vlans} @> array[${vlan}::int]`;
}

/**
 * Reads a map as one row, and therefore from one snapshot. Sets are grouped, hashed or looked up
 * through an index, but never joined with each other: a count for each host over another set would
 * be quadratic.
 */
export function topologyOf(asked: Asked): SQL {
  const { layer, detail, at, host_id, depth = 1 } = asked;
  const versions = versionsAt(at);
  const isBall = host_id !== undefined;
  const isNarrowed = narrows(asked);
  const within = withinNetworks(asked);
  const addressColumns = sql`${ipAddresses.live_id} as id, ${ipAddresses.host_id},
    ${ipAddresses.subnet_id}, ${ipAddresses.address}`;
  const addressesOf = (set: SQL) =>
    sql`${set} as own ${each(ipAddresses, partsOf(ipAddresses, "host_id", sql`own.id`, versions))}`;
  const known = isNarrowed
    ? sql`${addressesOf(sql`host`)} where true`
    : sql`${ipAddresses} where ${and([versionsOf(ipAddresses, versions), within(ipAddresses)])}`;
  const shownSubnets = isBall
    ? sql`select id from ${nearest(depth)} where is_subnet`
    : isNarrowed
      ? sql`select distinct subnet_id as id from member`
      : sql`select ${subnets.live_id} as id from ${subnets}
          where ${and([versionsOf(subnets, versions), within(subnets)])}`;
  const shownHosts = isBall
    ? sql`select id from ${nearest(depth)} where not is_subnet`
    : detail === "hosts"
      ? sql`select id from host`
      : sql`select host_id as id from home where subnets > 1`;
  const counted = detail === "hosts" ? sql`shown_host` : sql`host`;
  const fits =
    detail === "hosts"
      ? sql`shown_hosts <= ${topologyBounds.hosts}::int`
      : sql`shown_hosts + subnets <= ${topologyBounds.nodes}::int`;
  const isOpenService = isOpen("service_id", services.live_id, versions);
  const onDrawn = each(services, partsOf(services, "host_id", sql`drawn.id`, versions));
  const ofShown = isIn(sql`host_id`, sql`select id from shown_host`);
  const ofDrawn = isIn(sql`host_id`, sql`select id from drawn`);
  return sql`
with
  host as materialized (${hostsOf(asked, versions)}),
  ${detail === "hosts" ? sql`address as materialized (select ${addressColumns} from ${known}),` : sql``}
  member as materialized (
    select host_id, subnet_id, count(*)::int as addresses
    from ${detail === "hosts" ? sql`address where subnet_id` : sql`${known} and ${ipAddresses.subnet_id}`} is not null
    group by host_id, subnet_id),
  home as materialized (select host_id, count(*)::int as subnets from member group by host_id),
  ${isBall ? sql`runs_on as materialized (${runsOn(sql`host`, layer, versions)}), ${ball(asked)},` : sql``}
  shown_subnet as materialized (${layer === "l3" ? shownSubnets : sql`select null::uuid as id where false`}),
  shown_host as materialized (${shownHosts}),
  ${
    detail === "hosts"
      ? sql``
      : sql`address as materialized (select ${addressColumns} from ${addressesOf(sql`shown_host`)}),`
  }
  size as materialized (
    select (select count(*) from ${counted})::int as hosts,
      (select count(*) from shown_host)::int as shown_hosts,
      (select count(*) from shown_subnet)::int as subnets,
      (select count(*) from address where ${ofShown})::int as addresses,
      (select count(*) from address
        where ${ofShown} and ${isIn(sql`subnet_id`, sql`select id from shown_subnet`)})::int as address_edges),
  fit as materialized (
    select ${fits} and address_edges <= ${topologyBounds.edges}::int
      and (shown_hosts + subnets)::bigint * ${smallest.node}::int
        + addresses::bigint * ${smallest.address}::int <= ${topologyBounds.bytes}::int as fits
    from size),
  drawn as materialized (select id from shown_host where (select fits from fit)),
  ${isBall ? sql`` : sql`runs_on as materialized (${runsOn(sql`drawn`, layer, versions)}),`}
  service as materialized (
    select ${services.live_id} as id, ${services.network_id}, ${services.host_id}, ${services.name},
      ${services.service_definition}, ${services.version}, ${
        layer === "l3" ? sql`true` : isOpenService
      } as is_open
    from drawn ${onDrawn}${layer === "l3" ? sql` where ${isOpenService}` : sql``}),
  drawn_service as materialized (${
    layer === "l3"
      ? sql`select * from service where false`
      : sql`
    select * from service where is_open
      or id in (select service_id from runs_on) or id in (select id from runs_on where entity = 'Service')`
  })
select size.hosts, size.address_edges,
  (select count(*) from ${counted} as own
    where not ${isIn(sql`own.id`, sql`select host_id from home`)})::int as hosts_in_no_subnet,
  case when fit.fits and (select count(*) from drawn_service) * ${smallest.node}::int <= ${topologyBounds.bytes}::int
    then json_build_object('host_rows', ${listOf(sql`
      select ${hosts.live_id} as id, ${hosts.network_id}, ${hosts.name}, ${hosts.operating_system}
      from drawn ${each(hosts, hasId(hosts, sql`drawn.id`, versions))}`)},
    'home_rows', ${listOf(sql`select host_id, subnets from home where ${ofDrawn}`)},
    'open_rows', ${listOf(sql`
      select host_id, count(*)::int as services from service where is_open group by host_id`)},
    'subnet_rows', ${listOf(sql`
      select ${subnets.live_id} as id, ${subnets.network_id}, ${subnets.name}, ${subnets.cidr}::text as cidr,
        ${subnets.subnet_type}
      from shown_subnet ${each(subnets, hasId(subnets, sql`shown_subnet.id`, versions))}`)},
    'held_rows', ${listOf(sql`
      select subnet_id, count(*)::int as hosts, sum(addresses)::int as addresses from member
      where ${isIn(sql`subnet_id`, sql`select id from shown_subnet`)} group by subnet_id`)},
    'address_rows', ${listOf(sql`
      select id, host_id, subnet_id, host(address) as address from address where ${ofDrawn}
      order by address.address, id`)},
    'gateway_rows', ${listOf(sql`
      select ${bindings.live_id} as id, service.host_id, ${ipAddresses.subnet_id},
        host(${ipAddresses.address}) as address
      from service ${each(bindings, partsOf(bindings, "service_id", sql`service.id`, versions))}
      ${each(ipAddresses, hasId(ipAddresses, sql`${bindings.ip_address_id}`, versions))}
      where service.service_definition = 'Gateway' and ${ipAddresses.subnet_id} is not null
      limit ${topologyBounds.edges + 1}::int`)},
    'runs_on_rows', ${listOf(sql`
      select entity, id, host_id, service_id, runner_id, label from runs_on where ${ofDrawn}`)},
    'service_rows', ${listOf(sql`select * from drawn_service`)}) end as listed
from size, fit`;
}
