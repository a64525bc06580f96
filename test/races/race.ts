import { describe, expect, inject, test } from "vitest";

/** A race between callers, run many times. */
export interface Race {
  /**
   * Runs one round with its own records: starts the contenders at the same time, then checks the
   * outcome.
   * @returns the faults; an empty array if there are none
   */
  round(): Promise<readonly string[]>;
}

/** The maximum number of control rounds, within which the naive design must fail. */
const controlRounds = 100;

/**
 * Runs a design's race for `RACE_ROUNDS` rounds (100 by default), none of which may fail. The naive
 * design runs the same race as a control: a race in which it does not fail would prove nothing.
 * Needs a real Postgres: PGlite has one connection, so its writers run one after the other.
 */
export function describeRace(
  name: string,
  {
    design,
    naive,
    roundMs = 500,
    every = 1,
  }: {
    design: Race;
    naive: { name: string; race: Race };
    /** The average time limit for a round; a deadlock alone takes a second. */
    roundMs?: number;
    /** Only a fraction of the rounds is run: one in this many. For rounds with many requests. */
    every?: number;
  },
): void {
  const rounds = Math.ceil(inject("raceRounds") / every);
  describe(name, () => {
    test("has no faults in any round", { timeout: 10_000 + rounds * roundMs }, async () => {
      for (let round = 1; round <= rounds; round++) {
        expect({ round, faults: await design.round() }).toEqual({ round, faults: [] });
      }
    });

    test(`fails with ${naive.name}`, { timeout: 10_000 + controlRounds * roundMs }, async () => {
      let faults: readonly string[] = [];
      for (let round = 1; round <= controlRounds && faults.length === 0; round++) {
        faults = await naive.race.round();
      }
      expect(faults).not.toEqual([]);
    });
  });
}

/** Runs the same function `count` times concurrently. */
export const atOnce = <Result>(
  count: number,
  run: (number: number) => Promise<Result>,
): Promise<Result[]> => Promise.all(Array.from({ length: count }, (_, number) => run(number)));
