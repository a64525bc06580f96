import { defineConfig } from "vitest/config";

/**
 * The tests of what surrounds the product: the local database, `npm run dev`, demo data, commands,
 * and programs of others whose output the product reads.
 */
export default defineConfig({
  test: {
    silent: "passed-only",
    include: ["test/{drizzle,local-database,programs}/**/*.test.ts"],
    globalSetup: ["./test/drizzle/helpers/global-setup.ts"],
    // Roles belong to a whole cluster: on a real Postgres, the migrations of two databases at once
    // would clash over them.
    maxWorkers: process.env["TEST_DATABASE_URL"] === undefined ? 2 : 1,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
