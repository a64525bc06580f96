import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { makeDatabase } from "../local-database/postgres.ts";
import { startDatabaseProcess } from "../local-database/process.ts";

/** Empty, migrated databases for tests, each served by a process of its own. */
export interface TestDatabases {
  /**
   * Answers each `POST` with the `endpoint` and `connectionString` of a database. Without a body,
   * it is for a Worker, whose files share it. With a body, which is the endpoint of a Worker's own
   * database, that Worker gets another one, and the one that it got before in this way is closed.
   */
  address: string;
  /** Says that no Worker runs: the next ones get the databases of those before. */
  reuse(): void;
  /** Ends them all. */
  close(): Promise<void>;
}

interface TestDatabase {
  endpoint: string;
  connectionString: string;
  close(): Promise<void>;
}

/** To a real Postgres, so that the sixteen writers and four readers of a race need not wait for each other. */
const connections = 20;

const migratedDatabase = new URL("./database-main.ts", import.meta.url);

/** @param databaseUrl the Postgres on which they are made; PGlite in memory without one */
export async function offerTestDatabases(databaseUrl: string | undefined): Promise<TestDatabases> {
  // All have one password: tests that change to another database keep their connection string.
  const password = crypto.randomUUID();
  const start = async (): Promise<TestDatabase> => {
    const made = databaseUrl === undefined ? null : await makeDatabase(databaseUrl);
    try {
      const location = made ? { databaseUrl: made.databaseUrl, connections } : {};
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
  let last: Promise<unknown> = Promise.resolve();
  let isClosed = false;
  const startNext = () => {
    if (isClosed) {
      throw new Error("The tests have ended.");
    }
    // Roles belong to a whole cluster, and two migrations at once would clash over them.
    const next = databaseUrl === undefined ? start() : last.then(start);
    last = next.catch(() => {});
    return next;
  };
  const shared = new Map<number, Promise<TestDatabase>>();
  let workers = 0;
  const fresh = new Map<string, Promise<TestDatabase>>();
  const give = async (worker: string): Promise<TestDatabase> => {
    if (worker === "") {
      const number = workers++;
      const database = shared.get(number) ?? startNext();
      shared.set(number, database);
      // The next run of watch mode tries again.
      database.catch(() => shared.delete(number));
      return await database;
    }
    const before = fresh.get(worker);
    fresh.delete(worker);
    await close(before);
    const next = startNext();
    fresh.set(worker, next);
    return await next;
  };
  const server = createServer(async (request, response) => {
    try {
      const { endpoint, connectionString } = await give(await text(request));
      response.end(JSON.stringify({ endpoint, connectionString }));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    address: `http://127.0.0.1:${typeof address === "object" ? address?.port : address}`,
    reuse() {
      workers = 0;
    },
    async close() {
      isClosed = true;
      server.close();
      server.closeAllConnections();
      await Promise.all([...shared.values(), ...fresh.values()].map(close));
    },
  };
}

/** Closes a database, which may not have started. */
const close = async (database: Promise<TestDatabase> | undefined): Promise<void> => {
  await database?.then(
    (started) => started.close(),
    () => {},
  );
};
