import type pg from "pg";
import { type LocalDatabaseOptions, startLocalDatabase } from "../../drizzle/local/server.ts";
import { withProbes } from "./probes.ts";

/** The options of a database that a process serves. */
export type ServedDatabase = Omit<LocalDatabaseOptions, "wrap">;

/**
 * Runs a process started by `startDatabaseProcess`: serves the database described by its argument,
 * with probes, until the parent process stops it.
 * @param fill inserts the initial data
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
