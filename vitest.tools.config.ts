import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { SlowestFiles } from "./test/helpers/slowest-files.ts";

/** Runs the test file for scans with `npm run dev` first: its only test waits for over a minute. */
class ScanFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isScan = ({ moduleId }: TestSpecification) => moduleId.endsWith("dev-scan.test.ts");
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => Number(isScan(other)) - Number(isScan(one)));
  }
}

/**
 * Tests of everything around the product: the local database, `npm run dev`, demo data, commands,
 * and external programs that exchange data with the product.
 */
export default defineConfig({
  test: {
    silent: "passed-only",
    reporters: ["default", new SlowestFiles()],
    include: ["test/{drizzle,local-database,programs}/**/*.test.ts"],
    globalSetup: ["./test/drizzle/helpers/global-setup.ts"],
    // Roles belong to the whole cluster: on a real Postgres, concurrent migrations of two databases
    // would conflict over them.
    maxWorkers: process.env["TEST_DATABASE_URL"] === undefined ? 3 : 1,
    sequence: { sequencer: ScanFirst },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
