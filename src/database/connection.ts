import { neon, neonConfig, types } from "@neondatabase/serverless";
import { sql } from "drizzle-orm";
import { drizzle, type NeonHttpDatabase } from "drizzle-orm/neon-http";
import type { Settings } from "../env.ts";
import { rfc3339 } from "./tables/columns.ts";

/** The oid of `timestamp with time zone`. */
const timestamptz = 1184;

/** What states queries, and sends them as batches. */
export type Database = NeonHttpDatabase<Record<string, never>>;

/**
 * Part of the first statement of a batch: where the others look for tables. A login may alter settings
 * of its own, and whoever has stolen one may so change where.
 */
export const ownSearchPath = sql`set_config('search_path', 'public, pg_temp', true)`;

/**
 * A Drizzle database over Neon's HTTP endpoint. Nothing is opened: every batch is one request.
 * @param signal ends the request, and with it the SQL, when it is aborted
 * @param databaseUrl the login; that of the API unless given
 */
export function connect(
  settings: Settings,
  signal: AbortSignal,
  databaseUrl = settings.DATABASE_URL,
): Database {
  if (settings.ENVIRONMENT === "development" && settings.LOCAL_DATABASE_ENDPOINT) {
    // A global of the driver, which production can never set (see env.ts).
    neonConfig.fetchEndpoint = settings.LOCAL_DATABASE_ENDPOINT;
  }
  const database = drizzle({ client: neon(databaseUrl, { fetchOptions: { signal } }) });
  // Drizzle's constructor sets the driver's parser, which is a global: ours must come after it.
  types.setTypeParser(timestamptz, rfc3339);
  return database;
}
