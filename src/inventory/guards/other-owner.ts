import { sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { BodyPath } from "../../database/failure.ts";
import { type Guard, invalidWhen } from "../../database/guards.ts";

/** Rejects a record whose body names an owner other than the stored one. */
export const otherOwner = (
  table: PgTable,
  column: "host_id" | "service_id" | "interface_id" | "network_id",
  id: string,
  owner: string,
  path: BodyPath,
): Guard =>
  invalidWhen(
    sql`exists (
      select from ${table} as own where own.id = ${id} and own.valid_to is null
        and own.${sql.identifier(column)} <> ${owner})`,
    `${path}${column}`,
    "must stay the same: create a new record there instead",
  );
