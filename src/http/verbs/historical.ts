import type { Columns } from "../../database/collection.ts";
import { asLive, live } from "../../database/history.ts";
import type { OrderFields } from "../input/order.ts";
import { timestamp } from "../input/timestamp.ts";
import type { Source } from "../list/listing.ts";
import type { Resource, Variant } from "./resource.ts";

/** The parameter of lists of records with history. */
export const atQuery = { at: timestamp.optional() };

/**
 * A resource whose records carry history (API contract, section 9): verbs mean the live versions,
 * and lists take `at`.
 * @param resource as it is read of live versions
 * @param readOf what is read otherwise for a variant, where records carry more than their own columns
 */
export const historical = <Read extends Columns, Item, Fields extends OrderFields>(
  resource: Resource<Read, Item, Fields>,
  readOf: (chosen: Variant) => Partial<Source<Read, Item>> = ({ isRecent }) =>
    isRecent ? { columns: asLive(resource.table, resource.columns) } : {},
): Resource<Read, Item, Fields, typeof atQuery> => ({
  ...resource,
  versions: live,
  variantQuery: atQuery,
  variant: (chosen: Variant) => ({
    ...resource,
    ...readOf(chosen),
    versions: { at: chosen.at, isRecent: chosen.isRecent },
  }),
});
