import { type SQL, sql } from "drizzle-orm";
import type { Columns } from "../database/collection.ts";
import { partsOf } from "../database/history.ts";
import type { Listing } from "../http/list/source.ts";
import type { Resource, Variant } from "../http/verbs/resource.ts";

/**
 * Returns the listing of a record's parts: of the live parts, or of those at the instant that the
 * variant selects.
 */
export const partListing = <Read extends Columns, Item>(
  resource: Resource<Read, Item>,
  { versions }: Variant,
  { column, id, order }: { column: "host_id" | "service_id"; id: string; order: SQL },
): Listing<Read, Item> => {
  const source = resource.variant?.({ versions }) ?? resource;
  return {
    source,
    selection: { matches: [partsOf(source.table, column, sql`${id}`, versions)], order },
  };
};
