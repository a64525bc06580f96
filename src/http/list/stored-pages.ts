import {
  type Collection,
  fewRecords,
  type PageRange,
  pageOf,
  withTag,
} from "../../database/collection.ts";
import { live, seenBeyondSettled, type Versions } from "../../database/history.ts";
import { argument, storedOnce } from "../../database/stored-statement.ts";
import { type OrderFields, orderOf } from "../input/order.ts";
import type { Variant } from "../verbs/resource.ts";

/** A resource whose list has stored pages. */
export interface StoredList extends Collection {
  orderFields: OrderFields;
  variant?(chosen: Variant): Collection;
}

/** The statement for a page of all records in ascending creation order. */
const pageOfAll = (
  resource: StoredList,
  versions: Versions,
  range: Pick<PageRange, "after" | "total_count" | "extraColumns">,
) => {
  const collection = resource.variant?.({ versions }) ?? resource;
  const key = collection.versions ? "live_id" : "id";
  const order = orderOf(resource.orderFields, key, { order_direction: "asc" }, versions);
  return pageOf(
    withTag(collection),
    { matches: [], matchesDeltas: [], order, isByCreation: true, isByColumns: true },
    { limit: fewRecords, smallerLimit: argument(1), offset: 0, ...range },
  );
};

/**
 * The first page of a list without filters, in ascending creation order. Its argument is the limit,
 * at most {@link fewRecords}.
 */
export const firstPageStatement = storedOnce("list", (resource: StoredList) =>
  pageOfAll(resource, live, {
    extraColumns: resource.versions ? { beyond: seenBeyondSettled } : undefined,
  }),
);

/**
 * The page after a record, without `total_count`. Its arguments are the limit, at most
 * {@link fewRecords}; the creation time and the id of the record; and for records with history the
 * instant of the list.
 */
export const nextPageStatement = storedOnce("list", (resource: StoredList) =>
  pageOfAll(
    resource,
    { kind: "justPassed", at: argument(4) },
    {
      after: { created_at: argument(2), id: argument(3), isDescending: false },
      // The cursor contains the count.
      total_count: 0,
    },
  ),
);
