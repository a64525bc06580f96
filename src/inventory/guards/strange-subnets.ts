import { sql } from "drizzle-orm";
import { pickColumns } from "../../database/columns-of.ts";
import { type Guard, invalidWhere } from "../../database/guards.ts";
import { recordset } from "../../database/recordset.ts";
import { hosts, ipAddresses, subnets } from "../../database/tables/index.ts";
import type { WrittenRow } from "../writes/child-rows.ts";
import type { PlacedRow } from "./natural-keys.ts";

/**
 * Rejects an address whose subnet does not contain it, or is on a different network than the host
 * (API contract, section 9).
 * @param rows rows with `address` and `subnet_id`; for a new host also `network_id`
 */
export const strangeSubnets = (rows: readonly PlacedRow[]): Guard[] => {
  const inSubnets = rows.flatMap(({ row, path }, position): WrittenRow[] =>
    row["subnet_id"] ? [{ ...row, path: `${path}subnet_id`, position }] : [],
  );
  return inSubnets.length === 0
    ? []
    : [
        invalidWhere(
          sql`
    select sent.path, sent.position
    from ${recordset("sent", inSubnets, {
      ...pickColumns(ipAddresses, "host_id", "network_id", "address", "subnet_id"),
      path: "text",
      position: "int",
    })}
    join ${subnets} as subnet on subnet.id = sent.subnet_id and subnet.valid_to is null
    left join ${hosts} as owner on owner.id = sent.host_id and owner.valid_to is null
    where not subnet.cidr >>= sent.address
      or subnet.network_id <> coalesce(owner.network_id, sent.network_id)`,
          "must be a subnet of the same network that contains the address, or be omitted",
        ),
      ];
};
