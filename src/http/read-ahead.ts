/**
 * Portions of a list, the next one fetched while the one before is being sent. When the reader
 * leaves, what is being fetched is cancelled and nothing more is asked for.
 * @param first the portion that is there already
 * @param fetchAfter begins to fetch the portion after one, or returns null where there is none
 */
export async function* readAhead<Item>(
  first: Item[],
  fetchAfter: (portion: Item[], signal: AbortSignal) => Promise<Item[]> | null,
): AsyncGenerator<Item[], void> {
  const cancellation = new AbortController();
  try {
    let portion = first;
    while (true) {
      const next = fetchAfter(portion, cancellation.signal);
      // Its failure is thrown below, when its turn comes, and not as an unhandled rejection.
      next?.catch(() => {});
      yield portion;
      if (next === null) {
        return;
      }
      portion = await next;
    }
  } finally {
    cancellation.abort();
  }
}
