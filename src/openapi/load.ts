import { globSync } from "node:fs";
import { join } from "node:path";

/**
 * Loads every `docs.ts` of the resources, which describe their operations by `describeOperation`. No
 * list of them is kept by hand, and nothing that the Worker runs imports them.
 */
export async function loadDescriptions(): Promise<void> {
  const folder = join(import.meta.dirname, "..");
  for (const file of globSync("{*,*/*}/docs.ts", { cwd: folder }).sort()) {
    await import(join(folder, file));
  }
}
