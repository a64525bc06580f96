/** Measured values of one thing: their median, and how far they lie apart. */
export interface Figure {
  median: number;
  /** Half the distance between the quartiles, over the median. */
  spread: number;
}

/** Ours and the reference, measured by turns. */
export interface Comparison {
  ours: Figure;
  reference: Figure;
  /** Of the ratios turn by turn, so that a slow moment of the machine touches both. */
  ratio: Figure;
}

const quantile = (sorted: readonly number[], share: number): number => {
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position % 1);
};

/** The median of values and their spread. */
export function figure(values: readonly number[]): Figure {
  const sorted = values.toSorted((a, b) => a - b);
  const median = quantile(sorted, 0.5);
  return { median, spread: (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / 2 / median };
}

/**
 * Measures ours and the reference by turns, after a turn that does not count. Which of them goes
 * first changes from turn to turn.
 */
export async function compare(
  rounds: number,
  ours: () => Promise<number>,
  reference: () => Promise<number>,
): Promise<Comparison> {
  const found: { ours: number; reference: number }[] = [];
  for (let round = 0; round <= rounds; round++) {
    if (round % 2 === 0) {
      found.push({ ours: await ours(), reference: await reference() });
    } else {
      const before = await reference();
      found.push({ ours: await ours(), reference: before });
    }
  }
  const counted = found.slice(1);
  return {
    ours: figure(counted.map((turn) => turn.ours)),
    reference: figure(counted.map((turn) => turn.reference)),
    ratio: figure(counted.map((turn) => turn.ours / turn.reference)),
  };
}
