import type { TestProject } from "vitest/node";
import { startLocalDatabase } from "../../drizzle/local/server.ts";
import { migrateDatabase } from "../../drizzle/migrate.ts";

/**
 * Starts one empty, migrated database for all tests: PGlite in memory, or the Postgres that
 * TEST_DATABASE_URL names.
 */
export default async function setup(project: TestProject) {
  const databaseUrl = process.env["TEST_DATABASE_URL"];
  const database = await startLocalDatabase(databaseUrl === undefined ? {} : { databaseUrl });
  await database.withClient(migrateDatabase);
  project.provide("endpoint", database.endpoint);
  project.provide("connectionString", database.connectionString);
  return () => database.close();
}
