import { expect, inject, test } from "vitest";
import { walk } from "./walk.ts";

/** Steps of one organization: history grows, and with it what each step takes. */
const stepsOfWalk = 250;

/** What one step may take on average, in milliseconds. */
const stepMs = 3000;

const { seeds, steps } = inject("model");

/** Walks of at most so many steps, each in an organization of its own: `11.1`, `11.2` and so on. */
const walks = seeds.flatMap((seed) =>
  seed.includes(".")
    ? [{ seed, count: Math.min(steps, stepsOfWalk) }]
    : Array.from({ length: Math.ceil(steps / stepsOfWalk) }, (_, place) => ({
        seed: `${seed}.${place + 1}`,
        count: Math.min(steps - place * stepsOfWalk, stepsOfWalk),
      })),
);

test.each(walks)(
  "what four clients at once write is shown as it is and as it was (seed $seed, $count steps)",
  async ({ seed, count }) => {
    const counts = await walk(seed, count);
    const taken = [...counts].filter(([kind]) => / 20[01]$/.test(kind));
    // The steps do change something.
    expect(taken.length).toBeGreaterThan(Math.min(count, 10));
  },
  20_000 + stepMs * stepsOfWalk,
);
