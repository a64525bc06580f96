import type { Columns } from "../../database/collection.ts";
import { asLive, live } from "../../database/history.ts";
import type { OrderFields } from "../input/order.ts";
import { timestamp } from "../input/timestamp.ts";
import type { Resource, Variant } from "./resource.ts";

/** The parameter of lists of records with history. */
export const atQuery = { at: timestamp.optional() };

/**
 * A resource whose records carry history (API contract, section 9): verbs mean the live versions,
 * and lists take `at`.
 */
export const historical = <Read extends Columns, Item, Fields extends OrderFields>(
  resource: Resource<Read, Item, Fields>,
): Resource<Read, Item, Fields> => ({
  ...resource,
  versions: live,
  variantQuery: atQuery,
  variant: ({ at, isRecent }: Variant) => ({
    ...resource,
    ...(isRecent && { columns: asLive(resource.table, resource.columns) }),
    versions: { at, isRecent },
  }),
});
