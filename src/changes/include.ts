/** The values of `include` in lists of changes (API contract, section 11). */
export const includable = ["records", "labels"] as const;

type Includable = (typeof includable)[number];

/** True if a query requests a value of {@link includable}. */
export const isIncluded = (
  { include }: { include?: readonly Includable[] | undefined },
  wanted: Includable,
): boolean => include?.includes(wanted) ?? false;
