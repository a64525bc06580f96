import { neon, neonConfig } from "@neondatabase/serverless";
import { drizzle } from "drizzle-orm/neon-http";
import type { Settings } from "../env.ts";

export type Database = ReturnType<typeof connect>;

/**
 * A Drizzle database over Neon's HTTP endpoint. Nothing is opened: every batch is one request.
 * @param signal ends the request, and with it the SQL, when it is aborted
 */
export function connect(settings: Settings, signal: AbortSignal) {
  if (settings.ENVIRONMENT === "development" && settings.LOCAL_DATABASE_ENDPOINT) {
    // A global of the driver, which production can never set (see env.ts).
    neonConfig.fetchEndpoint = settings.LOCAL_DATABASE_ENDPOINT;
  }
  return drizzle({ client: neon(settings.DATABASE_URL, { fetchOptions: { signal } }) });
}
