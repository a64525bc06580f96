import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { makeDatabase } from "../local-database/postgres.ts";
import { startDatabaseProcess } from "../local-database/process.ts";

/** Empty, migrated databases for tests, each served by a process of its own. */
export interface TestDatabases {
  /** The connection string of all of them, whose password is the same. */
  connectionString: string;
  /** Those that files share: one for each Worker that runs tests. */
  endpoints: string[];
  /**
   * Where a Worker gets a database for what is done to all organizations: a `POST` with the endpoint of
   * its shared one is answered with the endpoint, and ends what the Worker got before.
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

/**
 * Starts databases.
 * @param databaseUrl the Postgres on which they are made; PGlite in memory without one
 * @param workers how many Workers run tests
 */
export async function startTestDatabases(
  databaseUrl: string | undefined,
  workers: number,
): Promise<TestDatabases> {
  // Tests that change to another database keep their connection string.
  const password = crypto.randomUUID();
  const start = async (): Promise<TestDatabase> => {
    const made = databaseUrl === undefined ? null : await makeDatabase(databaseUrl);
    const location = made ? { databaseUrl: made.databaseUrl } : {};
    const served = await startDatabaseProcess({ ...location, password }, migratedDatabase);
    return {
      ...served,
      async close() {
        await served.stop();
        await made?.drop();
      },
    };
  };
  // One after another: roles belong to the whole cluster, and two migrations would clash over them.
  let last: Promise<unknown> = Promise.resolve();
  const startInTurn = (): Promise<TestDatabase> => {
    const next = last.then(start);
    last = next.catch(() => {});
    return next;
  };
  const shared = await Promise.all(Array.from({ length: workers }, startInTurn));
  const fresh = new Map<string, TestDatabase>();
  const server = createServer(async (request, response) => {
    const worker = await text(request);
    try {
      await fresh.get(worker)?.close();
      const database = await startInTurn();
      fresh.set(worker, database);
      response.end(database.endpoint);
    } catch (error) {
      fresh.delete(worker);
      response.writeHead(500).end(String(error));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    connectionString: shared[0]?.connectionString ?? "",
    endpoints: shared.map(({ endpoint }) => endpoint),
    address: `http://127.0.0.1:${typeof address === "object" ? address?.port : address}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await Promise.all([...shared, ...fresh.values()].map((database) => database.close()));
    },
  };
}
