import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startLocalDatabase } from "../../../drizzle/local/server.ts";
import { migrateDatabase } from "../../../drizzle/migrate.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A folder with the data folders `empty` and `migrated`, in which tests create others. */
    folders: string;
  }
}

/**
 * Creates data folders for tests to copy, since opening a copy is several times faster than
 * creating a database.
 */
export async function setup(project: TestProject) {
  const folders = await mkdtemp(join(tmpdir(), "inventory-test-"));
  const empty = await startLocalDatabase({ dataFolder: join(folders, "empty/postgres") });
  await empty.close();
  await cp(join(folders, "empty"), join(folders, "migrated"), { recursive: true });
  const migrated = await startLocalDatabase({ dataFolder: join(folders, "migrated/postgres") });
  await migrated.withClient(migrateDatabase);
  await migrated.close();
  project.provide("folders", folders);
  return () => rm(folders, { recursive: true, force: true });
}
