import { sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Columns } from "../../database/collection.ts";
import { columnsAt, live } from "../../database/history.ts";
import type { OrderFields } from "../input/order.ts";
import { instant } from "../input/timestamp.ts";
import { columnFilter } from "../list/filter.ts";
import type { Source } from "../list/source.ts";
import type { Resource, Variant } from "./resource.ts";

/** The query parameter of lists of records with history. */
export const atQuery = { at: instant.optional() };

/** A table with `last_seen_at`. */
type SeenTable = PgTable & { last_seen_at: PgColumn };

/**
 * Filters by `last_seen_at`: a half-open interval, like the interval of a version. These filters do
 * not have an index, since each new sighting would then add entries to all indexes of the table.
 */
export const seenFilters = ({ last_seen_at }: SeenTable) => ({
  last_seen_after: columnFilter(instant, (after) => sql`${last_seen_at} >= ${after}::timestamptz`),
  last_seen_before: columnFilter(
    instant,
    (before) => sql`${last_seen_at} < ${before}::timestamptz`,
  ),
});

/**
 * A resource with history (API contract, section 9): the other verbs use the live versions, and the
 * list accepts `at` and can be ordered by `last_seen_at`.
 * @param resource the resource of live versions
 * @param readOf overrides for a variant, if the records contain more than their own columns
 */
export const historical = <Read extends Columns, Item, Fields extends OrderFields>(
  resource: Resource<Read, Item, Fields> & { table: SeenTable },
  readOf: (chosen: Variant) => Partial<Source<Read, Item>> = ({ versions }) => ({
    columns: columnsAt(resource.table, resource.columns, versions),
  }),
): Resource<Read, Item, Fields & { last_seen_at: PgColumn }, typeof atQuery> => ({
  ...resource,
  orderFields: { ...resource.orderFields, last_seen_at: resource.table.last_seen_at },
  versions: live,
  variantQuery: atQuery,
  variant: (chosen: Variant) => ({
    ...resource,
    ...readOf(chosen),
    versions: chosen.versions,
  }),
});
