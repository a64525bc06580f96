import { sql } from "drizzle-orm";
import type { BodyPath } from "../../database/failure.ts";
import type { Guard } from "../../database/guards.ts";
import { recordset } from "../../database/recordset.ts";
import type { WrittenTable } from "../writes/child-rows.ts";

/** A child in a request. */
interface RequestChild {
  id: string;
  field: BodyPath;
}

/** Rejects children with the id of a record that does not belong to any of these owners. */
export const takenIds = (
  { table, owner, entity }: WrittenTable,
  owners: readonly string[],
  children: readonly RequestChild[],
): Guard[] =>
  children.length === 0
    ? []
    : [
        sql`
  select 'entity_already_exists',
    jsonb_build_object('entity', ${entity}::text, 'field', sent.field, 'id', sent.id)
  from ${recordset(
    "sent",
    children.map(({ id, field }, position) => ({ id, field, position })),
    { id: "uuid", field: "text", position: "int" },
  )}
  join ${table} as taken on taken.id = sent.id
  where taken.valid_to is not null
    or taken.${sql.identifier(owner.column)} <> all (${sql.param(owners)}::uuid[])
  order by sent.position limit 1`,
      ];
