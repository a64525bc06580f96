import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { inject } from "vitest";

/** A data folder for one test. */
export interface TestFolder extends AsyncDisposable {
  /** The value of DATA_FOLDER. */
  path: string;
  /** The subfolder that contains the database. */
  postgres: string;
  remove(): Promise<void>;
}

/**
 * Provides a data folder: one that does not exist yet, or one with an empty or a migrated database.
 */
export async function makeFolder(content?: "empty" | "migrated"): Promise<TestFolder> {
  const path = join(inject("folders"), crypto.randomUUID());
  if (content !== undefined) {
    await cp(join(inject("folders"), content), path, { recursive: true });
  }
  const remove = () => rm(path, { recursive: true, force: true });
  return { path, postgres: join(path, "postgres"), remove, [Symbol.asyncDispose]: remove };
}
