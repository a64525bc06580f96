import { inject, vi } from "vitest";
import { sharedDatabase, useDatabase } from "./api.ts";

// Files share their modules, so that a Worker need not be started for each file. The changes that
// one file makes must not affect the next, so they are reverted here.
if (useDatabase(sharedDatabase) !== sharedDatabase) {
  await fetch(inject("databases"), { method: "DELETE", body: sharedDatabase });
}
vi.restoreAllMocks();
