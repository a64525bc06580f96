import { sql } from "drizzle-orm";
import { type Guard, invalidWhen } from "../../database/guards.ts";

/** What a record belongs to stays. */
export const otherOwner = (
  table: string,
  column: "host_id" | "service_id" | "network_id",
  id: string,
  owner: string,
): Guard =>
  invalidWhen(
    sql`exists (
      select from ${sql.identifier(table)} as own where own.id = ${id} and own.valid_to is null
        and own.${sql.identifier(column)} <> ${owner})`,
    `body.${column}`,
    "must stay the same: create the record anew where it belongs",
  );
