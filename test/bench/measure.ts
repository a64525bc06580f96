/** Repeated measurements of one value: their median and spread. */
export interface Figure {
  median: number;
  /** Half the interquartile range, divided by the median. */
  spread: number;
  quartiles: readonly [number, number];
}

/** Our values and the reference's values, measured alternately. */
export interface Comparison {
  ours: Figure;
  reference: Figure;
  /** The ratio in each turn. If the machine is briefly slow, both values in a turn are affected. */
  ratio: Figure;
}

const quantile = (sorted: readonly number[], share: number): number => {
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position % 1);
};

/** The median and spread of values. */
export function figure(values: readonly number[]): Figure {
  const sorted = values.toSorted((a, b) => a - b);
  const median = quantile(sorted, 0.5);
  const [low, high] = [quantile(sorted, 0.25), quantile(sorted, 0.75)];
  return { median, spread: (high - low) / 2 / median, quartiles: [low, high] };
}

/** The values of one turn. */
interface Turn<Value> {
  ours: Value;
  reference: Value;
}

/**
 * Measures our value and the reference's value alternately, after a warm-up turn. The order is
 * reversed in every other turn.
 */
export async function takeTurns<Value>(
  rounds: number,
  ours: () => Promise<Value>,
  reference: () => Promise<Value>,
): Promise<Turn<Value>[]> {
  const turns: Turn<Value>[] = [];
  for (let round = 0; round <= rounds; round++) {
    if (round % 2 === 0) {
      turns.push({ ours: await ours(), reference: await reference() });
    } else {
      const before = await reference();
      turns.push({ ours: await ours(), reference: before });
    }
  }
  return turns.slice(1);
}

/** Compares the values of turns. */
export const comparisonOf = (turns: readonly Turn<number>[]): Comparison => ({
  ours: figure(turns.map((turn) => turn.ours)),
  reference: figure(turns.map((turn) => turn.reference)),
  ratio: figure(turns.map((turn) => turn.ours / turn.reference)),
});

/** Compares our value with the reference's value; see {@link takeTurns}. */
export const compare = async (
  rounds: number,
  ours: () => Promise<number>,
  reference: () => Promise<number>,
): Promise<Comparison> => comparisonOf(await takeTurns(rounds, ours, reference));
