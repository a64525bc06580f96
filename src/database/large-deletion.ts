import { type SQL, sql } from "drizzle-orm";
import { type Guard, guardWhen } from "./guards.ts";
import { bindings, hosts, interfaces, ipAddresses, ports, services } from "./tables/index.ts";

/**
 * The most live records of the inventory that one request deletes with what they belong to. Each leaves
 * a version in a dozen indexes, so many more take longer than a call may.
 */
export const maximumDeleted = 20_000;

/**
 * The most live addresses that subnets hold when one request deletes them. Each stays, and begins a
 * version: that takes twice as long as to end one.
 */
export const maximumEmptied = 10_000;

/** Reads no more of them than it takes to know. */
const areTooMany = (records: SQL[], maximum = maximumDeleted): SQL => sql`
  (select count(*) > ${maximum}::int from (
    ${sql.join(records, sql` union all `)} limit ${maximum + 1}::int) as deleted)`;

/** More lies on these networks than one request deletes. */
export const tooMuchOnNetworks = (ids: readonly string[]): Guard =>
  guardWhen(
    areTooMany(
      [hosts, ipAddresses, ports, interfaces, services, bindings].map(
        (table) => sql`(select from ${table}
          where ${table.network_id} = any (${sql.param(ids)}::uuid[]) and ${table.valid_to} is null)`,
      ),
    ),
    "deletion_too_large",
    { entity: "Network", maximum: maximumDeleted },
  );

/** These subnets hold more than one request takes out of them. */
export const tooMuchInSubnets = (ids: readonly string[]): Guard =>
  guardWhen(
    areTooMany(
      [
        sql`(select from ${ipAddresses}
          where ${ipAddresses.live_subnet_id} = any (${sql.param(ids)}::uuid[]))`,
      ],
      maximumEmptied,
    ),
    "deletion_too_large",
    { entity: "Subnet", maximum: maximumEmptied },
  );

/** These hosts carry more than one request deletes. A single host never does: there is no smaller step. */
export const tooMuchOnHosts = (ids: readonly string[]): readonly Guard[] =>
  ids.length < 2
    ? []
    : [
        guardWhen(
          areTooMany(
            [ipAddresses, ports, interfaces, services, bindings].map(
              (table) => sql`(select from ${table}
                where ${table.live_host_id} = any (${sql.param(ids)}::uuid[]))`,
            ),
          ),
          "deletion_too_large",
          { entity: "Host", maximum: maximumDeleted },
        ),
      ];
