/** Pseudorandom choices, determined by a seed. */
export interface Random {
  /** An integer from 0 up to, but not including, the limit. */
  below(limit: number): number;
  /** True for the given percentage of calls. */
  happens(percent: number): boolean;
  /** A member of a list; undefined if the list is empty. */
  pick<Item>(list: readonly Item[]): Item | undefined;
  /** A member of a list that is not empty. */
  oneOf<Item>(list: readonly Item[]): Item;
  /** From 0 to `most` different members of a list, in random order. */
  some<Item>(list: readonly Item[], most: number): Item[];
  /** A UUID. */
  id(): string;
}

/** @param seed any string, such as `11.3` */
export function randomOf(seed: string): Random {
  let state = [...seed].reduce((hash, sign) => Math.imul(hash ^ sign.charCodeAt(0), 16777619), 0);
  // mulberry32
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
  const pick = <Item>(list: readonly Item[]): Item | undefined => list[below(list.length || 1)];
  const shuffled = <Item>(list: readonly Item[]): Item[] =>
    list
      .map((item) => ({ item, rank: below(1_000_000) }))
      .sort((one, other) => one.rank - other.rank)
      .map(({ item }) => item);
  const digits = (count: number) =>
    Array.from({ length: count }, () => below(16).toString(16)).join("");
  return {
    below,
    happens: (percent) => below(100) < percent,
    pick,
    oneOf(list) {
      const item = pick(list);
      if (item === undefined) {
        throw new Error("There is nothing to choose from.");
      }
      return item;
    },
    some: (list, most) => shuffled(list).slice(0, below(most + 1)),
    id: () => `${digits(8)}-${digits(4)}-4${digits(3)}-8${digits(3)}-${digits(12)}`,
  };
}
