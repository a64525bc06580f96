import { type SQL, sql } from "drizzle-orm";
import { maxPollGeneration } from "../database/tables/index.ts";

/** The generation after a daemon's own. It stays in its range, so that no row can stop a cycle. */
export const nextPollGeneration = (generation: SQL): SQL =>
  sql`${generation} % ${sql.raw(String(maxPollGeneration))} + 1`;
