import { type SQL, sql } from "drizzle-orm";
import { type Guard, guardWhen } from "./guards.ts";
import {
  bindings,
  hosts,
  interfaces,
  ipAddresses,
  neighbors,
  ports,
  services,
} from "./tables/index.ts";

/**
 * Maximum number of live inventory records that one request deletes together with their owners.
 * Each deletion writes a version to a dozen indexes, so a much larger number would exceed the
 * deadline of a call.
 */
export const maximumDeleted = 20_000;

/**
 * Maximum number of live addresses in the subnets that one request deletes. The addresses remain,
 * but each gets a new version, and writing a version takes twice as long as closing one.
 */
export const maximumEmptied = 10_000;

/** True if there are more than `maximum` records. Reads at most one more record than that. */
const areTooMany = (records: SQL[], maximum = maximumDeleted): SQL => sql`
  (select count(*) > ${maximum}::int from (
    ${sql.join(records, sql` union all `)} limit ${maximum + 1}::int) as deleted)`;

/** Fails if these networks contain more records than one request can delete. */
export const tooMuchOnNetworks = (ids: readonly string[]): Guard =>
  guardWhen(
    areTooMany(
      [hosts, ipAddresses, ports, interfaces, neighbors, services, bindings].map(
        (table) => sql`(select from ${table}
          where ${table.network_id} = any (${sql.param(ids)}::uuid[]) and ${table.valid_to} is null)`,
      ),
    ),
    "deletion_too_large",
    { entity: "Network", maximum: maximumDeleted },
  );

/** Fails if these subnets contain more addresses than one request can remove from them. */
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

/**
 * Fails if these hosts own more records than one request can delete. Never fails for a single host,
 * because its deletion cannot be split.
 */
export const tooMuchOnHosts = (ids: readonly string[]): readonly Guard[] =>
  ids.length < 2
    ? []
    : [
        guardWhen(
          areTooMany(
            [ipAddresses, ports, interfaces, neighbors, services, bindings].map(
              (table) => sql`(select from ${table}
                where ${table.live_host_id} = any (${sql.param(ids)}::uuid[]))`,
            ),
          ),
          "deletion_too_large",
          { entity: "Host", maximum: maximumDeleted },
        ),
      ];
