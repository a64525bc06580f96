import type pg from "pg";
import { type LocalDatabaseOptions, startLocalDatabase } from "../../drizzle/local/server.ts";
import { withProbes } from "./probes.ts";

/** What a process can be told of the database that it serves. */
export type ServedDatabase = Omit<LocalDatabaseOptions, "wrap">;

/**
 * All that a process does which `startDatabaseProcess` starts: serves the database that its argument
 * describes, with probes, until it is told to stop.
 * @param fill puts into the database what it has from the start
 */
export async function serveDatabase<Options extends ServedDatabase>(
  fill?: (client: pg.PoolClient, options: Options) => Promise<unknown>,
): Promise<void> {
  const options: Options = JSON.parse(process.argv[2] ?? "{}");
  const database = await startLocalDatabase({ ...options, wrap: withProbes });
  if (fill) {
    await database.withClient((client) => fill(client, options));
  }
  const { endpoint, connectionString, close } = database;
  process.send?.({ endpoint, connectionString });
  process.once("SIGTERM", () => close().then(() => process.exit(0)));
  process.once("disconnect", () => process.exit(1));
}
