import { defineConfig } from "drizzle-kit";

/** For `drizzle-kit generate`: tables come from the schema, roles and rules from custom migrations. */
const config = defineConfig({
  dialect: "postgresql",
  schema: "./src/database/tables/index.ts",
  out: "./drizzle/migrations",
});

// drizzle-kit insists on a default export.
export default config;
