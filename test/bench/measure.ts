/** Measured values of one thing: their median, and how far they lie apart. */
export interface Figure {
  median: number;
  /** Half the distance between the quartiles, over the median. */
  spread: number;
  quartiles: readonly [number, number];
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
  const [low, high] = [quantile(sorted, 0.25), quantile(sorted, 0.75)];
  return { median, spread: (high - low) / 2 / median, quartiles: [low, high] };
}

/** What one turn has found. */
interface Turn<Value> {
  ours: Value;
  reference: Value;
}

/**
 * Measures ours and the reference by turns, after a turn that does not count. Which of them goes
 * first changes from turn to turn.
 */
export async function takeTurns<Value>(
  rounds: number,
  ours: () => Promise<Value>,
  reference: () => Promise<Value>,
): Promise<Turn<Value>[]> {
  const found: Turn<Value>[] = [];
  for (let round = 0; round <= rounds; round++) {
    if (round % 2 === 0) {
      found.push({ ours: await ours(), reference: await reference() });
    } else {
      const before = await reference();
      found.push({ ours: await ours(), reference: before });
    }
  }
  return found.slice(1);
}

/** Compares what turns have found. */
export const comparisonOf = (turns: readonly Turn<number>[]): Comparison => ({
  ours: figure(turns.map((turn) => turn.ours)),
  reference: figure(turns.map((turn) => turn.reference)),
  ratio: figure(turns.map((turn) => turn.ours / turn.reference)),
});

/** Compares one figure of ours and of the reference, see {@link takeTurns}. */
export const compare = async (
  rounds: number,
  ours: () => Promise<number>,
  reference: () => Promise<number>,
): Promise<Comparison> => comparisonOf(await takeTurns(rounds, ours, reference));
