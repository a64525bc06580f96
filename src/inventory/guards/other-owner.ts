import { type SQL, sql } from "drizzle-orm";
import type { Guard } from "../../database/guards.ts";

const refusal = (field: string) =>
  JSON.stringify({
    issues: [
      {
        path: `body.${field}`,
        message: "must stay the same: create the record anew where it belongs",
        code: "custom",
      },
    ],
    issue_count: 1,
  });

/** What a record belongs to stays. */
export const otherOwner = (
  table: string,
  column: "host_id" | "service_id" | "network_id",
  id: string,
  owner: string,
): Guard => {
  const name: SQL = sql`${sql.identifier(table)}`;
  return sql`
    select 'validation_failed', ${refusal(column)}::jsonb
    from ${name} as own where own.id = ${id} and own.valid_to is null
      and own.${sql.identifier(column)} <> ${owner}`;
};
