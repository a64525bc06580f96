import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { SlowestFiles } from "./test/helpers/slowest-files.ts";

/** Starts with the scan of `npm run dev`, whose only test waits for more than a minute. */
class ScanFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isScan = ({ moduleId }: TestSpecification) => moduleId.endsWith("dev-scan.test.ts");
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => Number(isScan(other)) - Number(isScan(one)));
  }
}

/**
 * The tests of what surrounds the product: the local database, `npm run dev`, demo data, commands,
 * and programs of others whose output the product reads.
 */
export default defineConfig({
  test: {
    silent: "passed-only",
    reporters: ["default", new SlowestFiles()],
    include: ["test/{drizzle,local-database,programs}/**/*.test.ts"],
    globalSetup: ["./test/drizzle/helpers/global-setup.ts"],
    // Roles belong to a whole cluster: on a real Postgres, the migrations of two databases at once
    // would clash over them.
    maxWorkers: process.env["TEST_DATABASE_URL"] === undefined ? 3 : 1,
    sequence: { sequencer: ScanFirst },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
