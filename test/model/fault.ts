/** A violation of the contract. */
export interface Fault {
  /** The check that failed, such as `etag`. */
  check: string;
  /** The location of the fault, such as the path of a record. */
  where: string;
  /** The difference between the expected and the actual value. */
  difference: unknown;
}

/**
 * The fields that differ between two records, with both values; for two lists, the records that are
 * in only one of them.
 */
export function differenceOf(before: unknown, after: unknown): unknown {
  if (JSON.stringify(before) === JSON.stringify(after)) {
    return undefined;
  }
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return Object.fromEntries(
      names.flatMap((name) => {
        const difference = differenceOf(before[name], after[name]);
        return difference === undefined ? [] : [[name, difference]];
      }),
    );
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    const earlier = new Set(before.map((one) => JSON.stringify(one)));
    const later = new Set(after.map((one) => JSON.stringify(one)));
    return {
      only_before: before.filter((one) => !later.has(JSON.stringify(one))),
      only_after: after.filter((one) => !earlier.has(JSON.stringify(one))),
    };
  }
  return { before, after };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
