import type { NextChunk } from "./listing.ts";

/** Some items of a list, in order. */
export interface Chunk<Item> {
  items: Item[];
  /** Whether none follow. */
  isLast: boolean;
}

/**
 * The chunks of a list of which each is found by the last item of the one before. Between two calls
 * only that item is held, for a client may take long to come back for more.
 * @param first the chunk that is there already
 */
export function chunksByKey<Item>(
  first: Chunk<Item>,
  fetchAfter: (last: Item) => Promise<Chunk<Item>>,
): NextChunk<Item> {
  let ready: Chunk<Item> | null = first;
  let last: Item | undefined;
  return async () => {
    const chunk = ready ?? (last === undefined ? null : await fetchAfter(last));
    ready = null;
    last = chunk?.isLast === false ? chunk.items.at(-1) : undefined;
    return chunk?.items ?? null;
  };
}
