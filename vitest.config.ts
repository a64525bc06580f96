import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { configDefaults, defineConfig } from "vitest/config";
import { demoSealingKeys } from "./drizzle/demo/sealing-keys.ts";

/** What runs in Node: the local database, migrations, demo data, commands and query plans. */
const nodeTests = "test/{drizzle,performance}/**/*.test.ts";

export default defineConfig({
  test: {
    silent: "passed-only",
    projects: [
      {
        // Inside workerd, against the database that the global setup starts.
        plugins: [
          cloudflareTest(({ inject }) => ({
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: {
              bindings: {
                ENVIRONMENT: "development",
                DATABASE_URL: inject<string>("connectionString"),
                LOCAL_DATABASE_ENDPOINT: inject<string>("endpoint"),
                RATE_LIMITS: "off",
                SEALING_KEYS: demoSealingKeys,
              },
            },
          })),
        ],
        test: {
          name: "workers",
          include: ["test/**/*.test.ts"],
          exclude: [...configDefaults.exclude, nodeTests],
          globalSetup: ["./test/helpers/global-setup.ts"],
          testTimeout: 20_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: "node",
          include: [nodeTests],
          globalSetup: ["./test/drizzle/helpers/global-setup.ts"],
          // Roles belong to a whole cluster: on a real Postgres, the migrations of two databases at
          // once would clash over them.
          maxWorkers: process.env["TEST_DATABASE_URL"] === undefined ? 2 : 1,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // Not beside the others: how fast the service starts is among what is tested.
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
