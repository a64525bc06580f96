import { inject, vi } from "vitest";
import { sharedDatabase, useDatabase } from "./api.ts";

// Files share their modules, which saves the start of a Worker for each: what one file has changed
// must not reach the next.
if (useDatabase(sharedDatabase) !== sharedDatabase) {
  await fetch(inject("databases"), { method: "DELETE", body: sharedDatabase });
}
vi.restoreAllMocks();
