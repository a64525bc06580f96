import { sql } from "drizzle-orm";
import type { Settings } from "../env.ts";
import { connect } from "./connection.ts";
import { translateFailure } from "./failure.ts";

/** How long the database may take to show that it is there, in milliseconds. */
const deadlineMs = 2000;

/**
 * Asks the database for a sign of life.
 * @throws {ApiError} 503
 */
export async function readiness(settings: Settings): Promise<void> {
  const milliseconds = Math.min(deadlineMs, settings.DATABASE_DEADLINE_MS);
  const database = connect(settings, AbortSignal.timeout(milliseconds));
  try {
    await database.batch([database.execute(sql`select 1`)]);
  } catch (error) {
    throw translateFailure(error);
  }
}
