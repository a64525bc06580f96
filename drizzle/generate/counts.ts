import { getTableName } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";

/**
 * Returns the triggers that count the live records of a kind. An update never starts or ends a live
 * row, and hardly ever moves one to another network; a condition checks for a move without calling
 * a function.
 */
export function recordCountRules(table: PgTable): string {
  const name = getTableName(table);
  return `\
-- The number of live records in each network: see count_deltas.
create trigger count_records_inserted after insert on ${name}
  referencing new table as changed for each statement execute function app.count_records();
create trigger count_records_moved after update on ${name}
  for each row when (new.network_id <> old.network_id)
  execute function app.count_moved_record();
create trigger count_records_deleted after delete on ${name}
  referencing old table as changed for each statement execute function app.count_records();
`;
}
