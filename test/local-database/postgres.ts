import pg from "pg";

/** A database on a real Postgres that goes with what made it. */
export interface MadeDatabase {
  databaseUrl: string;
  drop(): Promise<void>;
}

/**
 * Makes an empty database.
 * @param serverUrl any database of the same Postgres
 */
export async function makeDatabase(serverUrl: string): Promise<MadeDatabase> {
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  const made = new URL(serverUrl);
  made.pathname = name;
  await onPostgres(serverUrl, (client) => client.query(`create database ${name}`));
  return {
    databaseUrl: made.href,
    async drop() {
      await onPostgres(serverUrl, (client) =>
        client.query(`drop database if exists ${name} with (force)`),
      );
    },
  };
}

/** Lends a connection of its own. */
async function onPostgres<Result>(
  databaseUrl: string,
  use: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
