import { sql } from "../helpers/database.ts";
import { historyQuery } from "./history-query.ts";

/** An organization's changes in order, derived from its versions and in the format of `keyOf`. */
export async function historyOf(organizationId: string): Promise<string[]> {
  const rows = await sql.query(historyQuery, [organizationId]);
  return rows.map(({ at, entity, entity_id, change }) => [at, entity, entity_id, change].join(" "));
}
