import { getTableName, sql } from "drizzle-orm";
import { boolean, check, index, integer, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { oneOf } from "./checks.ts";
import { kinds } from "./kinds.ts";
import { organizations } from "./organizations.ts";

/**
 * Changes to the number of live records, by kind and network. The sum of the changes is the number
 * of records in the same snapshot. Rows are only inserted, so that no writer waits for another.
 * `app.fold_count_deltas` replaces rows with their sum.
 *
 * There is no foreign key to networks: the records of a deleted network are deleted after it.
 */
export const countDeltas = pgTable(
  "count_deltas",
  {
    organization_id: uuid()
      .notNull()
      .references(() => organizations.id, { onDelete: "cascade" }),
    /** The name of the records' table. */
    kind: text().notNull(),
    network_id: uuid().notNull(),
    change: integer().notNull(),
    /** True for a sum of earlier rows. */
    is_folded: boolean().notNull().default(false),
  },
  (table) => [
    check(
      "count_deltas_kind_check",
      oneOf(
        table.kind,
        Object.values(kinds).map((kind) => getTableName(kind.table)),
      ),
    ),
    check("count_deltas_change_check", sql`${table.change} <> 0`),
    // Includes `change`, so that a sum does not read the table.
    index("count_deltas_sum_index").on(
      table.organization_id,
      table.kind,
      table.network_id,
      table.change,
    ),
    index("count_deltas_unfolded_index").on(table.organization_id).where(sql`not is_folded`),
  ],
);
