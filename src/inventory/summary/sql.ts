import { type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { countOfLive } from "../../database/collection.ts";
import { versionsAt, versionsOf } from "../../database/history.ts";
import {
  bindings,
  countDeltas,
  hosts,
  interfaces,
  ipAddresses,
  neighbors,
  ports,
  services,
  subnets,
} from "../../database/tables/index.ts";
import { isOpen } from "../is-open.ts";
import { summaryBounds } from "./model.ts";

/** The scope of a summary. */
export interface Counted {
  network_id: string | undefined;
  /** The instant whose versions are counted; undefined for the live versions. */
  at: string | undefined;
}

const kinds = {
  subnets,
  hosts,
  ip_addresses: ipAddresses,
  ports,
  interfaces,
  neighbors,
  services,
  bindings,
} as const;

const within = (table: PgTable, network_id: string | undefined): SQL =>
  network_id === undefined ? sql`` : sql` and ${table}.network_id = ${network_id}::uuid`;

/**
 * Counts records. The number of live records is a sum of changes. For an instant, versions that are
 * still live and versions that have since been closed are counted separately: each count is an
 * index-only scan.
 */
function countOf(table: PgTable, { network_id, at }: Counted): SQL {
  if (at === undefined) {
    return countOfLive(
      table,
      network_id === undefined ? [] : [sql`${countDeltas.network_id} = ${network_id}::uuid`],
    );
  }
  const network = within(table, network_id);
  return sql`(
    (select count(*) from ${table} where ${table}.valid_to is null${network}
      and ${table}.valid_from <= ${at}::timestamptz)
    + (select count(*) from ${table} where ${table}.valid_to > ${at}::timestamptz
        and ${table}.valid_from <= ${at}::timestamptz${network}))`;
}

/** Selects versions of a table for counts by column, which require reading the table itself. */
const counted = (table: PgTable, { network_id, at }: Counted): SQL =>
  sql`${table} where ${versionsOf(table, versionsAt(at))}${within(table, network_id)}`;

const listOf = (select: SQL): SQL =>
  sql`(select coalesce(json_agg(row_to_json(listed)), '[]') from (${select}) as listed)`;

/**
 * Counts recently seen and stale hosts. For a past instant, the result is null, since versions do
 * not record when a host was seen.
 */
const hostsSeen = ({ network_id, at }: Counted): SQL =>
  at === undefined
    ? sql`(
        select json_build_object(
          'last_day', count(*) filter (where ${hosts.last_seen_at} > now() - interval '1 day'),
          'last_week', count(*) filter (where ${hosts.last_seen_at} > now() - interval '7 days'),
          'last_month', count(*) filter (where ${hosts.last_seen_at} > now() - interval '30 days'),
          'stale', count(*) filter (where ${hosts.is_stale}))
        from ${counted(hosts, { network_id, at })})`
    : sql`null::json`;

/**
 * Reads a summary as one row, and therefore from one snapshot. Each table is read once for the
 * counts by column.
 */
export const summaryOf = (chosen: Counted): SQL => sql`
  select
    to_char(now(), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as now,
    json_build_object(${sql.join(
      Object.entries(kinds).map(
        ([name, table]) => sql`${sql.raw(`'${name}'`)}, ${countOf(table, chosen)}`,
      ),
      sql`, `,
    )}) as counts,
    ${hostsSeen(chosen)} as hosts_seen,
    ${listOf(sql`
      select service_definition, count(*) as count from ${counted(services, chosen)}
        and ${isOpen("service_id", services.live_id, versionsAt(chosen.at))}
      group by service_definition
      order by count desc, service_definition collate "C" limit ${summaryBounds.services}`)} as services,
    ${listOf(sql`
      select subnet.live_id as id, subnet.network_id, subnet.name, subnet.cidr::text as cidr,
        held.hosts, held.ip_addresses
      from (
        select subnet_id, count(*) as ip_addresses, count(distinct host_id) as hosts
        from ${counted(ipAddresses, chosen)} and subnet_id is not null
        group by subnet_id
        order by ip_addresses desc, subnet_id limit ${summaryBounds.subnets}) as held
      cross join lateral (
        select subnets.live_id, subnets.network_id, subnets.name, subnets.cidr from ${subnets}
        where ${subnets.live_id} = held.subnet_id and ${versionsOf(subnets, versionsAt(chosen.at))}
        limit 1) as subnet
      order by held.ip_addresses desc, subnet.live_id`)} as subnets,
    ${listOf(sql`
      select number, protocol, count(*) as hosts from ${counted(ports, chosen)}
        and ${isOpen("port_id", ports.live_id, versionsAt(chosen.at))}
      group by number, protocol
      order by hosts desc, number, protocol limit ${summaryBounds.ports}`)} as open_ports`;
