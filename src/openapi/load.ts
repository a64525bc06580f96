import { globSync } from "node:fs";
import { join } from "node:path";
import { loadSteps } from "../http/on-first-request.ts";
import type { Routes } from "./endpoints.ts";

/**
 * Loads the endpoints of an app, and the `docs.ts` of every resource, which describes its
 * operations with `describeOperation`. The files are found by pattern, and no code in the Worker
 * imports them.
 */
export async function loadDescriptions(app: Routes): Promise<void> {
  await loadSteps(app);
  const folder = join(import.meta.dirname, "..");
  for (const file of globSync("{*,*/*}/docs.ts", { cwd: folder }).sort()) {
    await import(join(folder, file));
  }
}
