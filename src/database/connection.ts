import { neon, neonConfig } from "@neondatabase/serverless";
import { drizzle, type NeonHttpDatabase } from "drizzle-orm/neon-http";
import type { Settings } from "../env.ts";

/** What states queries, and sends them as batches. */
export type Database = NeonHttpDatabase<Record<string, never>>;

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
  return drizzle({ client: neon(databaseUrl, { fetchOptions: { signal } }) });
}
