import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { configDefaults, defineConfig } from "vitest/config";
import { demoSealingKeys } from "./drizzle/demo/sealing-keys.ts";
import { demoSigningKeys } from "./drizzle/demo/signing-keys.ts";
import { SlowestFiles } from "./test/helpers/slowest-files.ts";
import { addressSchema } from "./test/local-database/process.ts";

/**
 * Tests that run in Node: query plans on a real Postgres, the document, which Node builds, and the
 * configuration, which wrangler reads.
 */
const nodeTests = "test/{performance/**/*,openapi/document*,environments}.test.ts";

/** Tests that `npm run test:tools` runs: see vitest.tools.config.ts. */
const toolTests = "test/{drizzle,local-database,programs}/**/*.test.ts";

/** Tests that need several connections: an embedded database has only one. */
const postgresTests = [
  "test/{races,performance}/**/*.test.ts",
  "test/inventory/live-snapshot.test.ts",
];

/** Tests that are too slow to run before each push: only in `npm run test:long`. */
const longTests = ["test/**/*.long.test.ts", "test/model/**/*.test.ts"];

/** Tests that `npm test` runs with only a few of their cases: see `limitCases`. */
const sampledTests = [
  "test/{changes,imports}/property.test.ts",
  "test/imports/neighbors-property.test.ts",
  "test/changes/retention-property.test.ts",
  "test/tenancy/matrix.test.ts",
  "test/http/{list-parameters,request-bounds}.test.ts",
  "test/inventory/topology/{property,layer2-property}.test.ts",
];

const isRealPostgres = process.env["TEST_DATABASE_URL"] !== undefined;

/** Starts a database for a Worker: see `TestDatabases`. */
async function startDatabase(address: string) {
  const response = await fetch(address, { method: "POST" });
  if (!response.ok) {
    throw new Error(await response.text());
  }
  const { endpoint, connectionString } = addressSchema.parse(await response.json());
  return { DATABASE_URL: connectionString, LOCAL_DATABASE_ENDPOINT: endpoint };
}

/** The configuration of `npm test`, or that of `npm run test:long`. */
export function configOf({ isLong }: { isLong: boolean }) {
  const excluded = [
    ...configDefaults.exclude,
    ...(isRealPostgres ? [] : postgresTests),
    ...(isLong ? [] : longTests),
  ];
  return defineConfig({
    test: {
      silent: "passed-only",
      reporters: ["default", new SlowestFiles()],
      projects: [
        {
          // Inside workerd, on the databases that the global setup starts.
          plugins: [
            // Called each time a Worker starts.
            cloudflareTest(async ({ inject }) => ({
              // Otherwise, workerd writes a line for each connection that a test breaks.
              verbose: false,
              wrangler: { configPath: "./wrangler.toml" },
              miniflare: {
                bindings: {
                  ENVIRONMENT: "development",
                  ...(await startDatabase(inject<string>("databases"))),
                  RATE_LIMITS: "off",
                  SEALING_KEYS: demoSealingKeys,
                  SIGNING_KEYS: demoSigningKeys,
                },
              },
            })),
          ],
          test: {
            name: "workers",
            include: isLong
              ? [...longTests, ...sampledTests, ...postgresTests]
              : ["test/**/*.test.ts"],
            exclude: [...excluded, nodeTests, toolTests],
            globalSetup: ["./test/helpers/global-setup.ts"],
            provide: { isLong },
            setupFiles: ["./test/helpers/setup.ts"],
            // Starting a Worker for each file would take longer than running most files.
            isolate: false,
            // While a Worker waits for its database, the database uses a core.
            maxWorkers: 2,
            testTimeout: 20_000,
            sequence: { groupOrder: 1 },
          },
        },
        {
          test: {
            name: "node",
            include: isLong ? ["test/performance/**/*.test.ts"] : [nodeTests],
            exclude: excluded,
            globalSetup: ["./test/performance/global-setup.ts"],
            // While a test waits for its database, the database uses a core.
            maxWorkers: 2,
            testTimeout: 60_000,
            hookTimeout: 60_000,
            // After the other tests, so that no more than two databases are in use.
            sequence: { groupOrder: 2 },
          },
        },
      ],
    },
  });
}

export default configOf({ isLong: false });
