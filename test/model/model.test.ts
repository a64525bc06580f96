import { expect, inject, test } from "vitest";
import { walk } from "./walk.ts";

/** The maximum number of steps in one organization: each step takes longer as history grows. */
const stepsOfWalk = 250;

/** The average time limit for a step, in milliseconds. */
const stepMs = 3000;

const { seeds, steps } = inject("model");

/**
 * Walks of at most `stepsOfWalk` steps, each in a separate organization. Their seeds are `11.1`,
 * `11.2` and so on.
 */
const walks = seeds.flatMap((seed) =>
  seed.includes(".")
    ? [{ seed, count: Math.min(steps, stepsOfWalk) }]
    : Array.from({ length: Math.ceil(steps / stepsOfWalk) }, (_, index) => ({
        seed: `${seed}.${index + 1}`,
        count: Math.min(steps - index * stepsOfWalk, stepsOfWalk),
      })),
);

test.each(walks)(
  "responses agree with concurrent writes, now and at every past instant (seed $seed, $count steps)",
  async ({ seed, count }) => {
    const counts = await walk(seed, count);
    const succeeded = [...counts].filter(([kind]) => / 20[01]$/.test(kind));
    // The steps must change something.
    expect(succeeded.length).toBeGreaterThan(Math.min(count, 10));
  },
  20_000 + stepMs * stepsOfWalk,
);
