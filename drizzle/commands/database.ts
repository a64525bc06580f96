import { neon, neonConfig } from "@neondatabase/serverless";
import { drizzle as drizzleOverHttp } from "drizzle-orm/neon-http";
import { drizzle } from "drizzle-orm/node-postgres";
import type { PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core";
import pg from "pg";
import { openPool } from "../local/pool.ts";
import { dataFolder, findRunning } from "../local/running.ts";
import { migrateDatabase } from "../migrate.ts";

/**
 * The database of a command, with the rights of its owner. Over HTTP it has no transactions:
 * what belongs together must be one statement.
 */
export type CommandDatabase = Omit<PgDatabase<PgQueryResultHKT>, "transaction">;

/**
 * Runs a command on the database that `DATABASE_URL` names; without it, on that of local development,
 * whether or not `npm run dev` has it open. This starts no server: the owner's rights stay within this
 * process.
 */
export async function withDatabase<Result>(
  use: (database: CommandDatabase) => Promise<Result>,
): Promise<Result> {
  const databaseUrl = process.env["DATABASE_URL"];
  const folder = dataFolder();
  const running = databaseUrl === undefined ? await findRunning(folder) : null;
  if (running) {
    neonConfig.fetchEndpoint = running.endpoint;
    return use(drizzleOverHttp({ client: neon(running.connectionString) }));
  }
  if (databaseUrl !== undefined) {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    return use(drizzle({ client })).finally(() => client.end());
  }
  const pool = await openPool({ dataFolder: `${folder}/postgres` });
  try {
    return await pool.withClient(async (client) => {
      await migrateDatabase(client);
      return use(drizzle({ client }));
    });
  } finally {
    await pool.close();
  }
}
