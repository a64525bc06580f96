/** A list in portions, none of which is empty. */
export interface Portions<Item> {
  next(): Promise<IteratorResult<Item[], void>>;
  /** Cancels what is being fetched, at once. Nothing more is asked for. */
  cancel(): void;
}

/**
 * Portions of a list, the next one fetched while the one before is being sent.
 * @param first the portion that is there already
 * @param fetchAfter begins to fetch the portion after one, or returns null where there is none
 */
export function readAhead<Item>(
  first: Item[],
  fetchAfter: (portion: Item[], signal: AbortSignal) => Promise<Item[]> | null,
): Portions<Item> {
  const cancellation = new AbortController();
  const { signal } = cancellation;
  async function* read(): AsyncGenerator<Item[], void> {
    let portion = first;
    while (!signal.aborted) {
      const next = fetchAfter(portion, signal);
      // Its failure is thrown below, when its turn comes, and not as an unhandled rejection.
      next?.catch(() => {});
      if (portion.length > 0) {
        yield portion;
      }
      if (next === null) {
        return;
      }
      portion = await next;
    }
  }
  const portions = read();
  // Not the generator's own `return`, which waits for the portion that is being fetched.
  return { next: () => portions.next(), cancel: () => cancellation.abort() };
}
