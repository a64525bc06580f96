import { neon, neonConfig } from "@neondatabase/serverless";
import { drizzle as drizzleOverHttp } from "drizzle-orm/neon-http";
import { drizzle } from "drizzle-orm/node-postgres";
import type { PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core";
import pg from "pg";
import { hasPglite } from "../local/pglite.ts";
import { openPool } from "../local/pool.ts";
import { dataFolder, findRunning } from "../local/running.ts";
import { migrateLocalDatabase } from "../migrate.ts";
import { announceDatabase, databaseUrl, UsageError, withoutSecrets } from "./command.ts";

/**
 * A command's database, with the owner's privileges. Over HTTP it does not support transactions, so
 * an atomic change must be a single statement.
 */
export type CommandDatabase = Omit<PgDatabase<PgQueryResultHKT>, "transaction">;

/**
 * Runs a command on the database at `DATABASE_URL`. If that is not set, uses the local development
 * database, even while `npm run dev` has it open. This does not start a server, so that the owner's
 * privileges stay within this process.
 * @throws {UsageError} if neither exists, unless `--local` requests a new local database
 */
export async function withDatabase<Result>(
  use: (database: CommandDatabase) => Promise<Result>,
): Promise<Result> {
  const url = databaseUrl();
  const folder = dataFolder();
  const isLocal = process.argv.includes("--local");
  if (url !== undefined && isLocal) {
    throw new UsageError("DATABASE_URL is set: unset it to work on the local database.");
  }
  const running = url === undefined ? await findRunning(folder) : null;
  if (running) {
    announceDatabase(`the local one of npm run dev, in ${folder}`);
    neonConfig.fetchEndpoint = running.endpoint;
    return use(drizzleOverHttp({ client: neon(running.connectionString) }));
  }
  if (url !== undefined) {
    announceDatabase(withoutSecrets(url));
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return use(drizzle({ client })).finally(() => client.end());
  }
  const postgres = `${folder}/postgres`;
  if (!isLocal && !(await hasPglite(postgres))) {
    throw new UsageError(
      `There is no database: DATABASE_URL is not set, and ${folder} contains no local one. ` +
        "Set DATABASE_URL, start npm run dev, or add --local to create a local database.",
    );
  }
  announceDatabase(`the local one, in ${folder}`);
  const pool = await openPool({ dataFolder: postgres });
  try {
    return await pool.withClient(async (client) => {
      await migrateLocalDatabase(client, folder);
      return use(drizzle({ client }));
    });
  } finally {
    await pool.close();
  }
}
