import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { configDefaults, defineConfig } from "vitest/config";
import { demoSealingKeys } from "./drizzle/demo/sealing-keys.ts";

/** What runs in Node: query plans, on a real Postgres, and the document, which Node builds. */
const nodeTests = "test/{performance/**/*,openapi/document*}.test.ts";

/** What `npm run test:tools` runs: see vitest.tools.config.ts. */
const toolTests = "test/{drizzle,local-database,programs}/**/*.test.ts";

/**
 * How many Workers run tests, each with a database of its own: PGlite takes one core, and so do the
 * Worker and its tests together. A real Postgres takes the others by itself.
 */
const workers = process.env["TEST_DATABASE_URL"] === undefined ? 2 : 1;
let started = 0;
const nextOf = (endpoints: readonly string[]) => endpoints[started++ % endpoints.length] ?? "";

export default defineConfig({
  test: {
    silent: "passed-only",
    projects: [
      {
        // Inside workerd, against the database that the global setup starts.
        plugins: [
          // Called for each Worker that starts.
          cloudflareTest(({ inject }) => ({
            // Else workerd writes a line for each connection that a test breaks.
            verbose: false,
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: {
              bindings: {
                ENVIRONMENT: "development",
                DATABASE_URL: inject<string>("connectionString"),
                LOCAL_DATABASE_ENDPOINT: nextOf(inject<string[]>("endpoints")),
                RATE_LIMITS: "off",
                SEALING_KEYS: demoSealingKeys,
              },
            },
          })),
        ],
        test: {
          name: "workers",
          include: ["test/**/*.test.ts"],
          exclude: [...configDefaults.exclude, nodeTests, toolTests],
          globalSetup: ["./test/helpers/global-setup.ts"],
          setupFiles: ["./test/helpers/setup.ts"],
          // The start of a Worker for each file would take longer than most files.
          isolate: false,
          maxWorkers: workers,
          testTimeout: 20_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: "node",
          include: [nodeTests],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // After the others: migrations of two databases at once would clash over the cluster's roles.
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
