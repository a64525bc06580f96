import { sql } from "../../helpers/database.ts";
import { miscounted } from "../../helpers/record-counts.ts";
import type { Fault } from "../fault.ts";
import type { World } from "../world.ts";

/** The sums of `count_deltas` equal the numbers of live records of each kind and network. */
export async function judgeCounts({ organization }: World): Promise<Fault[]> {
  const rows = await sql.query(miscounted, [organization.id]);
  return rows.map(({ kind, network_id, sum, records }) => ({
    check: "the sum of changes is not the number of records",
    where: `${kind} on ${network_id}`,
    difference: { sum, records },
  }));
}
