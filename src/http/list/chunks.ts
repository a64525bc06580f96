/** Gives the next chunk of a list, or null after the last. Holds none that it has given. */
export type NextChunk<Item> = () => Promise<Item[] | null>;

/**
 * The chunks of a list of which each is found by the last item of the one before. Between two calls
 * only that item is held, for a client may take long to come back for more.
 * @param first the chunk that is there already
 * @param sizes how many items were asked for: fewer mean the end
 */
export function chunksByKey<Item>(
  first: Item[],
  sizes: { first: number; next: number },
  fetchAfter: (last: Item) => Promise<Item[]>,
): NextChunk<Item> {
  let ready: Item[] | null = first;
  let last: Item | undefined;
  return async () => {
    const size = ready ? sizes.first : sizes.next;
    const chunk = ready ?? (last === undefined ? null : await fetchAfter(last));
    ready = null;
    last = chunk === null || chunk.length < size ? undefined : chunk.at(-1);
    return chunk;
  };
}
