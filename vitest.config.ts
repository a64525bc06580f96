import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { demoSealingKeys } from "./drizzle/demo/sealing-keys.ts";

/** Tests run inside workerd, against the database that the global setup starts. */
export default defineConfig({
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
    include: ["test/**/*.test.ts"],
    globalSetup: ["./test/helpers/global-setup.ts"],
    testTimeout: 20_000,
    silent: "passed-only",
  },
});
