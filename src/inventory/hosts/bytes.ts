import { type AnyColumn, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { partsOf } from "../../database/history.ts";
import {
  bindings,
  hostDetails,
  hosts,
  ipAddresses,
  ports,
  services,
} from "../../database/tables/index.ts";

/** How many bytes texts have, which is told without reading long ones. */
const bytesOf = (columns: readonly AnyColumn[]) =>
  sql.join(
    columns.map((column) => sql`coalesce(octet_length(${column}::text), 0)`),
    sql` + `,
  );

/**
 * About how many bytes of JSON a host is: its texts and those of its services, and so many for each
 * record whatever its texts are.
 */
export const bytesAt = (at: string | undefined) => {
  const sumOf = (table: PgTable, bytes: SQL) =>
    sql`(select coalesce(sum(${bytes}), 0) from ${table}
      where ${partsOf(table, "host_id", hosts.live_id, at)})`;
  const ofHost = bytesOf(["name" as const, ...hostDetails].map((name) => hosts[name]));
  const ofService = bytesOf([services.name, services.service_definition, services.virtualization]);
  return sql`(900 + ${ofHost}
    + ${sumOf(services, sql`700 + ${ofService}`)}
    + ${sumOf(ipAddresses, sql`700`)} + ${sumOf(ports, sql`520`)} + ${sumOf(bindings, sql`540`)})`;
};
