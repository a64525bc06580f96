import { sql } from "drizzle-orm";
import type { BatchItem, BatchResponse } from "drizzle-orm/batch";
import type { Settings } from "../env.ts";
import { connect, type Database, ownSearchPath } from "./connection.ts";
import { translateFailure } from "./failure.ts";
import { timeoutsOf } from "./locks.ts";

/** The total duration of calls to the database, in milliseconds. */
export interface DatabaseTime {
  ms: number;
}

/**
 * Runs the poller's queries as one HTTP call and one transaction, under a role that can access the
 * daemons of all tenants and nothing else. The poller has its own login, so the API's login does
 * not need the right to assume that role.
 * @param time receives the duration of this call
 * @throws {ApiError} 409 or 503
 */
export async function runAsPoller<const Built extends readonly BatchItem<"pg">[]>(
  settings: Settings,
  build: (database: Database) => Built,
  time?: DatabaseTime,
): Promise<BatchResponse<Built>> {
  const database = connect(
    settings,
    AbortSignal.timeout(settings.DATABASE_DEADLINE_MS),
    settings.POLLER_DATABASE_URL ?? settings.DATABASE_URL,
  );
  const timeouts = timeoutsOf(settings.DATABASE_DEADLINE_MS);
  const entrance = database.execute(sql`
    select set_config('role', 'inventory_poller', true), ${ownSearchPath},
      set_config('TimeZone', 'UTC', true),
      set_config('lock_timeout', ${String(timeouts.lock)}, true),
      set_config('statement_timeout', ${String(timeouts.statement)}, true),
      -- Compiling a statement takes longer than running it.
      set_config('jit', 'off', true)`);
  const startedAt = Date.now();
  try {
    const [, ...results] = await database.batch([entrance, ...build(database)]);
    // TypeScript cannot see that only the first result is dropped.
    return results as unknown as BatchResponse<Built>;
  } catch (error) {
    throw translateFailure(error);
  } finally {
    if (time) {
      time.ms += Date.now() - startedAt;
    }
  }
}
