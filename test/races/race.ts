import { describe, expect, inject, test } from "vitest";

/** A race between callers, run many times. */
export interface Race {
  /**
   * Runs one round: its own records, contenders at the same time, then a look at what is left.
   * @returns what went wrong; nothing if the round was sound
   */
  round(): Promise<readonly string[]>;
}

/** The most rounds that a control may need until the harness catches the naive design. */
const controlRounds = 100;

/**
 * Holds a design against its race in so many rounds as RACE_ROUNDS says (100 without it), none of
 * which may go wrong. The naive design runs the same race as a control: a harness that does not see
 * it fail proves nothing.
 *
 * Only on a real Postgres: PGlite has one connection, so its writers follow each other anyway.
 */
export function describeRace(
  name: string,
  {
    design,
    naive,
    roundMs = 500,
  }: {
    design: Race;
    naive: { name: string; race: Race };
    /** What one round may take on average; a deadlock alone takes a second. */
    roundMs?: number;
  },
): void {
  const rounds = inject("raceRounds");
  describe(name, () => {
    test("holds in every round", { timeout: 10_000 + rounds * roundMs }, async () => {
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

/** So many of the same at the same time. */
export const atOnce = <Result>(
  count: number,
  run: (number: number) => Promise<Result>,
): Promise<Result[]> => Promise.all(Array.from({ length: count }, (_, number) => run(number)));
