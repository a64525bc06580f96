import { globSync } from "node:fs";
import { join } from "node:path";
import { loadSteps } from "../http/on-first-request.ts";
import type { Routes } from "./endpoints.ts";

/**
 * Loads the endpoints of an app, and every `docs.ts` of the resources, which describe their operations by
 * `describeOperation`. No list of them is kept by hand, and nothing that the Worker runs imports them.
 */
export async function loadDescriptions(app: Routes): Promise<void> {
  await loadSteps(app);
  const folder = join(import.meta.dirname, "..");
  for (const file of globSync("{*,*/*}/docs.ts", { cwd: folder }).sort()) {
    await import(join(folder, file));
  }
}
