import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { makeDatabase } from "../local-database/postgres.ts";
import { startDatabaseProcess } from "../local-database/process.ts";

/** Empty, migrated databases for tests, each served by a process of its own. */
export interface TestDatabases {
  /**
   * Starts one for each `POST` and answers with its `endpoint` and `connectionString`. A body says whom
   * it is for, who then loses what was started for them before.
   */
  address: string;
  /** Ends them all. */
  close(): Promise<void>;
}

interface TestDatabase {
  endpoint: string;
  connectionString: string;
  close(): Promise<void>;
}

const migratedDatabase = new URL("./database-main.ts", import.meta.url);

/** @param databaseUrl the Postgres on which they are made; PGlite in memory without one */
export async function offerTestDatabases(databaseUrl: string | undefined): Promise<TestDatabases> {
  // All have one password: tests that change to another database keep their connection string.
  const password = crypto.randomUUID();
  const start = async (): Promise<TestDatabase> => {
    const made = databaseUrl === undefined ? null : await makeDatabase(databaseUrl);
    try {
      const location = made ? { databaseUrl: made.databaseUrl } : {};
      const served = await startDatabaseProcess({ ...location, password }, migratedDatabase);
      return {
        ...served,
        async close() {
          await served.stop();
          await made?.drop();
        },
      };
    } catch (error) {
      await made?.drop();
      throw error;
    }
  };
  const databases = new Map<string, Promise<TestDatabase>>();
  const close = async (owner: string) => {
    const database = databases.get(owner);
    databases.delete(owner);
    // What did not start is not there to be closed.
    await database?.then(
      (started) => started.close(),
      () => {},
    );
  };
  let last: Promise<unknown> = Promise.resolve();
  const server = createServer(async (request, response) => {
    try {
      const owner = (await text(request)) || crypto.randomUUID();
      await close(owner);
      // Roles belong to a whole cluster, and two migrations at once would clash over them.
      const next = databaseUrl === undefined ? start() : last.then(start);
      last = next.catch(() => {});
      databases.set(owner, next);
      const { endpoint, connectionString } = await next;
      response.end(JSON.stringify({ endpoint, connectionString }));
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
      await Promise.all([...databases.keys()].map(close));
    },
  };
}
