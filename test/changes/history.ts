import { sql } from "../helpers/database.ts";
import { historyQuery } from "./history-query.ts";

/** The changes of an organization, derived from its versions, each as `keyOf`, in order. */
export async function historyOf(organizationId: string): Promise<string[]> {
  const rows = await sql.query(historyQuery, [organizationId]);
  return rows.map(({ at, entity, entity_id, change }) => [at, entity, entity_id, change].join(" "));
}
