import type { Reporter, TestModule } from "vitest/node";

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1).padStart(6)} s`;

const slowest = <Item>(items: readonly (readonly [Item, number])[], count: number) =>
  items.toSorted(([, one], [, other]) => other - one).slice(0, count);

/**
 * Prints the ten slowest files at the end of a run, and the tests that took more than a third of
 * their time limit: these would fail on a machine that is three times as slow.
 */
export class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules.map(
      (file) => [file.relativeModuleId, file.diagnostic().duration] as const,
    );
    console.log("\n The ten slowest files:");
    for (const [name, duration] of slowest(files, 10)) {
      console.log(`${seconds(duration)} ${name}`);
    }
    const tests = modules.flatMap((file) =>
      [...file.children.allTests()].flatMap((test) => {
        const { duration = 0 } = test.diagnostic() ?? {};
        const limit = test.options.timeout ?? Number.POSITIVE_INFINITY;
        return duration * 3 > limit
          ? [[`${file.relativeModuleId} > ${test.name} (of ${limit / 1000} s)`, duration] as const]
          : [];
      }),
    );
    if (tests.length > 0) {
      console.log("\n Tests that took more than a third of their time limit:");
      for (const [name, duration] of slowest(tests, tests.length)) {
        console.log(`${seconds(duration)} ${name}`);
      }
    }
  }
}
