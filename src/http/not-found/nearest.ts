/** Longer strings are not compared, since the cost grows with the square of the length. */
const maximumLength = 64;

/** Maximum edit distance of a typo. */
const maximumSlips = 2;

const plain = (text: string) => text.toLowerCase().replaceAll(/[^a-z\d/{}]/g, "");

/**
 * The known name that was probably meant. It differs from the given name only in case and
 * separators, or by an edit distance of one or two.
 * @returns undefined if no name is close enough
 */
export function nearest(written: string, known: readonly string[]): string | undefined {
  const normalized = plain(written);
  if (normalized === "" || normalized.length > maximumLength) {
    return undefined;
  }
  // With two typos allowed, a short word would match almost anything.
  let most = Math.min(maximumSlips, Math.floor(normalized.length / 3));
  let best: string | undefined;
  for (const name of known) {
    const slips = slipsBetween(normalized, plain(name), most);
    if (slips <= most) {
      best = name;
      most = slips - 1;
    }
    if (most < 0) {
      break;
    }
  }
  return best;
}

/** The Levenshtein distance between two strings, or any number above `most`. */
function slipsBetween(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) {
    return most + 1;
  }
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let position = 0; position < one.length; position++) {
    const next = [position + 1];
    for (let at = 0; at < other.length; at++) {
      const isSame = one[position] === other[at];
      const above = row[at + 1] ?? 0;
      const before = next[at] ?? 0;
      next.push(Math.min((row[at] ?? 0) + (isSame ? 0 : 1), above + 1, before + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
