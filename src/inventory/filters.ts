import { eq, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import { hasIdOf, instantOf, isVersionOf, versionsAs } from "../database/history.ts";
import { countDeltas } from "../database/tables/count-deltas.ts";
import { id } from "../http/input/id.ts";
import { externalId } from "../http/input/own-data.ts";
import { searchText } from "../http/input/text.ts";
import { columnFilter, filter, ids } from "../http/list/filter.ts";
import { seenFilters } from "../http/verbs/historical.ts";

/** The filters shared by all inventory lists (API contract, section 9). */
export const inventoryFilters = (
  table: PgTable & { network_id: PgColumn; last_seen_at: PgColumn },
) => ({
  network_id: columnFilter(id, (network) => eq(table.network_id, network), {
    matchesDeltas: (network) => eq(countDeltas.network_id, network),
  }),
  ids: filter(ids, (values, versions) => hasIdOf(table, values, versions)),
  ...seenFilters(table),
});

/** Creates a filter by external id: its index contains the versions at every instant. */
export const hasExternalId = (table: PgTable & { external_id: PgColumn }) =>
  filter(
    externalId,
    (text, versions) => sql`${table.external_id} = ${text} and ${versionsAs(table, versions)}`,
    { findsFirst: true },
  );

/**
 * Creates a filter by exact name, ignoring case: `app.ids_by_name`. It uses a function, since
 * row-level security prevents comparisons of folded names from using an index.
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
