import pg from "pg";
import { type LocalDatabase, startLocalDatabase } from "../../drizzle/local/server.ts";

/** A database that a test has filled, what answers for it, and a connection to it as its owner. */
export interface Loaded {
  database: LocalDatabase;
  client: pg.Client;
  close(): Promise<void>;
}

/** Creates a database on the server that a URL names, and fills it. */
export async function openLoaded(
  serverUrl: string,
  load: (client: pg.Client) => Promise<void>,
): Promise<Loaded> {
  const name = `plans_${crypto.randomUUID().replaceAll("-", "")}`;
  const asOwner = async (statement: string) => {
    const owner = new pg.Client({ connectionString: serverUrl });
    await owner.connect();
    await owner.query(statement);
    await owner.end();
  };
  await asOwner(`create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = name;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await load(client);
  const database = await startLocalDatabase({ databaseUrl: url.href });
  return {
    database,
    client,
    async close() {
      await database.close();
      await client.end();
      await asOwner(`drop database ${name} with (force)`);
    },
  };
}
