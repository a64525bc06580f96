import { neon, neonConfig } from "@neondatabase/serverless";
import { drizzle } from "drizzle-orm/neon-http";
import { dataFolder, findRunning } from "../local/running.ts";
import { startLocalDatabase } from "../local/server.ts";
import { migrateDatabase } from "../migrate.ts";

/** The database of a command, with the rights of its owner. */
export type CommandDatabase = ReturnType<typeof drizzle>;

/**
 * Runs a command against the database that `DATABASE_URL` names; without it, against the one of
 * local development, whether `npm run dev` has it open or not.
 */
export async function withDatabase<Result>(
  use: (database: CommandDatabase) => Promise<Result>,
): Promise<Result> {
  const databaseUrl = process.env["DATABASE_URL"];
  const folder = dataFolder();
  const running = databaseUrl === undefined ? await findRunning(folder) : null;
  if (running) {
    neonConfig.fetchEndpoint = running.endpoint;
    return use(drizzle({ client: neon(running.connectionString) }));
  }
  const server = await startLocalDatabase(
    databaseUrl === undefined ? { dataFolder: `${folder}/postgres` } : { databaseUrl },
  );
  try {
    // Whether the database can be reached at all is best told by the attempt to connect.
    await server.withClient(databaseUrl === undefined ? migrateDatabase : async () => {});
    neonConfig.fetchEndpoint = server.endpoint;
    return await use(drizzle({ client: neon(server.connectionString) }));
  } finally {
    await server.close();
  }
}
