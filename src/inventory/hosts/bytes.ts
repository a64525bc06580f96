import { type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { partsOf } from "../../database/history.ts";
import { bindings, hosts, ipAddresses, ports, services } from "../../database/tables/index.ts";

/**
 * About how many bytes of JSON a host is: rows with texts as long as these are, and names of fields; so
 * many for each part whose columns are of fixed size.
 */
export const bytesAt = (at: string | undefined) => {
  const sumOf = (table: PgTable, bytes: SQL) =>
    sql`(select coalesce(sum(${bytes}), 0) from ${table}
      where ${partsOf(table, "host_id", hosts.live_id, at)})`;
  return sql`(800 + octet_length(${hosts}::text)
    + ${sumOf(services, sql`300 + octet_length(${services}::text)`)}
    + ${sumOf(ipAddresses, sql`700`)} + ${sumOf(ports, sql`520`)} + ${sumOf(bindings, sql`540`)})`;
};
