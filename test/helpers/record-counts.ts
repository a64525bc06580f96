import { getTableName } from "drizzle-orm";
import { kinds } from "../../src/database/tables/kinds.ts";

const tables = Object.values(kinds).map(({ table }) => getTableName(table));

/** Counts the live records of each organization, kind and network. */
const counted = tables
  .map(
    (table) => `
      select organization_id, '${table}' as kind, network_id, count(*)::int as records
      from ${table} where valid_to is null group by organization_id, network_id`,
  )
  .join(" union all ");

/**
 * Counts the records of an organization, `$1`, or of all organizations if it is null, after writes
 * without triggers.
 */
export const recountRecords = `
  with former as (delete from count_deltas where $1::uuid is null or organization_id = $1)
  insert into count_deltas (organization_id, kind, network_id, change, is_folded)
  select organization_id, kind, network_id, records, true from (${counted}) as counted
  where $1::uuid is null or organization_id = $1`;

/**
 * Selects the kinds and networks of an organization, `$1`, for which the sum of `count_deltas`
 * differs from the number of live records. There must be none.
 */
export const miscounted = `
  select * from (
    select kind, network_id, sum(change)::int as sum from count_deltas
    where organization_id = $1 group by kind, network_id) as deltas
  full join (
    select kind, network_id, records from (${counted}) as counted
    where organization_id = $1) as live using (kind, network_id)
  where coalesce(sum, 0) <> coalesce(records, 0)`;
