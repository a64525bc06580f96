import { sql } from "drizzle-orm";
import type { BatchItem, BatchResponse } from "drizzle-orm/batch";
import type { Settings } from "../env.ts";
import { connect, type Database } from "./connection.ts";
import { translateFailure } from "./failure.ts";

/**
 * Runs queries of the poller as one HTTP call and one transaction, in the role that sees the
 * daemons of all tenants and nothing else. It logs in by itself: the login that answers callers need
 * not be able to become that role.
 * @throws {ApiError} 409 or 503
 */
export async function askAsPoller<const Asked extends readonly BatchItem<"pg">[]>(
  settings: Settings,
  state: (database: Database) => Asked,
): Promise<BatchResponse<Asked>> {
  const database = connect(
    settings,
    AbortSignal.timeout(settings.DATABASE_DEADLINE_MS),
    settings.POLLER_DATABASE_URL ?? settings.DATABASE_URL,
  );
  const entrance = database.execute(sql`
    select set_config('role', 'inventory_poller', true), set_config('TimeZone', 'UTC', true),
      set_config('statement_timeout', ${String(settings.DATABASE_DEADLINE_MS)}, true)`);
  try {
    const [, ...answers] = await database.batch([entrance, ...state(database)]);
    // The compiler cannot see that dropping the entrance's answer leaves the queries' own.
    return answers as unknown as BatchResponse<Asked>;
  } catch (error) {
    throw translateFailure(error);
  }
}
