import { vi } from "vitest";
import { sharedDatabase, useDatabase } from "./api.ts";

// Files share their modules, which saves the start of a Worker for each: what one file has changed
// must not reach the next.
useDatabase(sharedDatabase);
vi.restoreAllMocks();
