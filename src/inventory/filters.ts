import { eq, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import { hasIdOf, instantOf, isVersionOf } from "../database/history.ts";
import { id } from "../http/input/id.ts";
import { searchText } from "../http/input/text.ts";
import { columnFilter, filter, ids } from "../http/list/filter.ts";
import { seenFilters } from "../http/verbs/historical.ts";

/** The filters that the lists of all kinds of the inventory share (API contract, section 9). */
export const inventoryFilters = (
  table: PgTable & { network_id: PgColumn; last_seen_at: PgColumn },
) => ({
  network_id: columnFilter(id, (network) => eq(table.network_id, network)),
  ids: filter(ids, (wanted, versions) => hasIdOf(table, wanted, versions)),
  ...seenFilters(table),
});

/**
 * The filter by a whole name, in any case: `app.ids_by_name`. A function, because row level security lets no
 * comparison of folded names use an index.
 */
export const named = (kind: "hosts" | "services" | "subnets", table: PgTable) =>
  filter(
    searchText,
    (text, versions) =>
      isVersionOf(
        table,
        sql`in (
          select named.id from app.ids_by_name(${kind}, ${text}, ${instantOf(versions)}) as named (id))`,
        versions,
      ),
    { findsFirst: true },
  );
