import { inject, vi } from "vitest";
import { useDatabase } from "./api.ts";

// Files share their modules, which saves the start of a Worker for each: what one file has changed
// must not reach the next.
useDatabase(inject("endpoint"));
vi.restoreAllMocks();
