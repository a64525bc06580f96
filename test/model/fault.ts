/** Something that is not as the contract says. */
export interface Fault {
  /** What was checked, such as `etag`. */
  check: string;
  /** What it was seen at, such as the path of a record. */
  where: string;
  /** What was expected and what was there. */
  difference: unknown;
}

/** The fields of two records that differ, with both values; of lists of records, those that differ. */
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
    const known = new Set(before.map((one) => JSON.stringify(one)));
    const found = new Set(after.map((one) => JSON.stringify(one)));
    return {
      only_before: before.filter((one) => !found.has(JSON.stringify(one))),
      only_after: after.filter((one) => !known.has(JSON.stringify(one))),
    };
  }
  return { before, after };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
