import type { TestProject } from "vitest/node";
import { migrateDatabase } from "../../drizzle/migrate.ts";
import { makeDatabase, onPostgres } from "../local-database/postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The URL of a migrated database on the real Postgres, to copy; null without one. */
    migratedDatabase: string | null;
  }
}

/**
 * Migrates a database once, for tests to copy. Two databases cannot be migrated at the same time,
 * since the migrations would conflict over the cluster's roles.
 */
export async function setup(project: TestProject) {
  const serverUrl = process.env["TEST_DATABASE_URL"];
  if (serverUrl === undefined) {
    project.provide("migratedDatabase", null);
    return undefined;
  }
  const template = await makeDatabase(serverUrl);
  await onPostgres(template.databaseUrl, migrateDatabase);
  project.provide("migratedDatabase", template.databaseUrl);
  return () => template.drop();
}
