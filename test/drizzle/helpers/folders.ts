import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { inject } from "vitest";

/** A data folder of its own. */
export interface TestFolder extends AsyncDisposable {
  /** What DATA_FOLDER is to be. */
  path: string;
  /** The part of it that is the database's. */
  postgres: string;
  remove(): Promise<void>;
}

/**
 * Makes a data folder that does not exist yet, or has an empty or a migrated database in it.
 */
export async function makeFolder(content?: "empty" | "migrated"): Promise<TestFolder> {
  const path = join(inject("folders"), crypto.randomUUID());
  if (content !== undefined) {
    await cp(join(inject("folders"), content), path, { recursive: true });
  }
  const remove = () => rm(path, { recursive: true, force: true });
  return { path, postgres: join(path, "postgres"), remove, [Symbol.asyncDispose]: remove };
}
