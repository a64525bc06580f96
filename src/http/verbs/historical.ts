import { sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Columns } from "../../database/collection.ts";
import { columnsAt, live } from "../../database/history.ts";
import type { OrderFields } from "../input/order.ts";
import { timestamp } from "../input/timestamp.ts";
import { filter } from "../list/filter.ts";
import type { Source } from "../list/listing.ts";
import type { Resource, Variant } from "./resource.ts";

/** The parameter of lists of records with history. */
export const atQuery = { at: timestamp.optional() };

/** A table whose rows say when a record was last seen. */
type SeenTable = PgTable & { last_seen_at: PgColumn };

/**
 * The filters by when a record was last seen: a half-open interval, as that of versions. No index serves them: with
 * one, each record that is seen again would get new entries in all indexes of its table.
 */
export const seenFilters = ({ last_seen_at }: SeenTable) => ({
  last_seen_after: filter(timestamp, (instant) => sql`${last_seen_at} >= ${instant}::timestamptz`),
  last_seen_before: filter(timestamp, (instant) => sql`${last_seen_at} < ${instant}::timestamptz`),
});

/**
 * A resource whose records carry history (API contract, section 9): verbs mean the live versions,
 * lists take `at`, and are ordered by `last_seen_at`, too.
 * @param resource as it is read of live versions
 * @param readOf what is read otherwise for a variant, where records carry more than their own columns
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
