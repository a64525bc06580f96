import { createServer } from "node:http";
import pg from "pg";
import { type LocalDatabase, startLocalDatabase } from "../../drizzle/local/server.ts";
import { migrateDatabase } from "../../drizzle/migrate.ts";
import { withProbes } from "../local-database/probes.ts";

/** Databases for tests that cannot share one, as what they do is for all organizations. */
export interface FreshDatabases {
  /** `POST` here starts an empty, migrated database and answers with its endpoint. */
  address: string;
  /** Ends them all. */
  close(): Promise<void>;
}

/**
 * Offers databases of their own to tests.
 * @param databaseUrl the Postgres on which they are made; PGlite in memory without one
 * @param password what all of them ask callers for
 */
export async function offerFreshDatabases(
  databaseUrl: string | undefined,
  password: string,
): Promise<FreshDatabases> {
  const started: (() => Promise<void>)[] = [];
  const start = async (): Promise<LocalDatabase> => {
    const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
    if (databaseUrl !== undefined) {
      await run(databaseUrl, `create database ${name}`);
      started.unshift(() => run(databaseUrl, `drop database ${name} with (force)`));
    }
    const database = await startLocalDatabase({
      ...(databaseUrl === undefined ? {} : { databaseUrl: withDatabase(databaseUrl, name) }),
      password,
      wrap: withProbes,
    });
    started.unshift(() => database.close());
    await database.withClient(migrateDatabase);
    return database;
  };
  // One after another: roles belong to the whole cluster, and two migrations would clash over them.
  let last: Promise<unknown> = Promise.resolve();
  const server = createServer(async (_request, response) => {
    const next = last.then(start);
    last = next.catch(() => undefined);
    try {
      response.end((await next).endpoint);
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    address: `http://127.0.0.1:${typeof address === "object" ? address?.port : address}`,
    async close() {
      server.close();
      server.closeAllConnections();
      for (const end of started) {
        await end();
      }
    },
  };
}

async function run(databaseUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

function withDatabase(databaseUrl: string, name: string): string {
  const url = new URL(databaseUrl);
  url.pathname = name;
  return url.href;
}
