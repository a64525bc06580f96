import { getTableName } from "drizzle-orm";
import type { Kind } from "../../src/database/tables/kinds.ts";
import { comparison } from "./history.ts";

/**
 * Returns the storage settings of hosts and their parts, and the triggers that complete a part from
 * its host.
 */
export function partRules({ table, parent, completed }: Kind): string {
  if (parent === null) {
    return "";
  }
  const name = getTableName(table);
  const storage = `\
-- Every report updates the last sighting of the records that it contains, and that column is not in
-- any index. If the row's page has room for the new row version, the indexes stay unchanged (a HOT
-- update).
alter table ${name} set (fillfactor = 50);
`;
  if (parent === "id") {
    return storage;
  }
  const columns = completed === undefined ? [] : [completed.column];
  const determining = completed === undefined ? [] : [completed.from];
  const compared = [...new Set(["host_id", "network_id", ...determining, ...columns])];
  const isIncomplete = [
    // The host of a live binding is always that of its service.
    ...(columns.includes("host_id") ? ["new.valid_to is null"] : []),
    ...[...columns, "network_id"].map((column) => `new.${column} is null`),
  ];
  return `\
${storage}
-- A record that belongs to a host is in the host's network.
create trigger complete before insert on ${name}
  for each row when (${isIncomplete.join(" or ")})
  execute function app.complete_part_of_host();
create trigger complete_changed before update on ${name}
  for each row when (
${comparison(compared, "is distinct from", "    ")})
  execute function app.complete_part_of_host();
`;
}
