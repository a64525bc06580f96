import { type SQL, sql } from "drizzle-orm";
import { maxPollGeneration } from "../database/tables/index.ts";

/**
 * Returns SQL for the next generation. Wraps around at the maximum, so that an overflow cannot make
 * a cycle fail.
 */
export const nextPollGeneration = (generation: SQL): SQL =>
  sql`${generation} % ${sql.raw(String(maxPollGeneration))} + 1`;
