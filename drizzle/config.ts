import { defineConfig } from "drizzle-kit";

/**
 * For `drizzle-kit generate`, which writes migrations for tables. Roles, types and rules are
 * written by hand.
 */
const config = defineConfig({
  dialect: "postgresql",
  schema: "./src/database/tables/index.ts",
  out: "./drizzle/migrations",
});

// drizzle-kit requires a default export.
export default config;
