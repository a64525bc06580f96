import pg from "pg";
import { inject } from "vitest";
import { type LocalDatabase, startLocalDatabase } from "../../drizzle/local/server.ts";
import { makeDatabase } from "../local-database/postgres.ts";

/** A database with test data, its local server, and a connection as its owner. */
export interface Loaded {
  database: LocalDatabase;
  client: pg.Client;
  close(): Promise<void>;
}

/** Creates a migrated database on the given server, and fills it. */
export async function openLoaded(
  serverUrl: string,
  load: (client: pg.Client) => Promise<void>,
): Promise<Loaded> {
  const template = inject("migratedDatabase");
  if (template === null) {
    throw new Error("This test needs a Postgres: set TEST_DATABASE_URL.");
  }
  const { databaseUrl, drop } = await makeDatabase(serverUrl, { databaseUrl: template });
  const client = new pg.Client({ connectionString: databaseUrl });
  try {
    await client.connect();
    await load(client);
    const database = await startLocalDatabase({ databaseUrl });
    return {
      database,
      client,
      async close() {
        await database.close();
        await client.end();
        await drop();
      },
    };
  } catch (error) {
    await client.end();
    await drop();
    throw error;
  }
}
