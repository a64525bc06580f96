import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { migrateDatabase } from "../../drizzle/migrate.ts";
import { makeDatabase, onPostgres } from "../local-database/postgres.ts";
import { startDatabaseProcess } from "../local-database/process.ts";

/** Empty, migrated databases for tests, each served by a separate process. */
export interface TestDatabases {
  /**
   * The URL of a server that responds to each `POST` with the `endpoint` and `connectionString` of
   * a database. A request without a body gets the database that is shared by a Worker's files. If
   * the body contains the endpoint of a Worker's shared database, that Worker gets another
   * database, and the database that it last got in this way is closed. A `DELETE` with the same
   * body only closes that database.
   */
  address: string;
  /** Closes the Workers' databases, so that the next run gets new ones. No Worker may be running. */
  renew(): Promise<void>;
  /** Closes all databases. */
  close(): Promise<void>;
}

interface TestDatabase {
  endpoint: string;
  connectionString: string;
  close(): Promise<void>;
}

/**
 * Connections to a real Postgres: enough that a race's sixteen writers and four readers do not wait
 * for each other.
 */
const connections = 20;

/** A migrated database to copy: a migration takes ten times as long as a copy. */
interface Template {
  copy(): Promise<TestDatabase>;
  remove(): Promise<void>;
}

/**
 * @param password of all copies, so that tests that switch to another database keep their
 * connection string
 */
async function makePgliteTemplate(password: string): Promise<Template> {
  const folder = await mkdtemp(join(tmpdir(), "inventory-test-"));
  const dump = join(folder, "migrated.tar");
  // In a separate process, since WebAssembly memory is never freed.
  await promisify(execFile)(process.execPath, [
    fileURLToPath(new URL("./dump-migrated.ts", import.meta.url)),
    dump,
  ]);
  return {
    async copy() {
      const { stop, ...address } = await startDatabaseProcess({ dump, password });
      return { ...address, close: () => stop() };
    },
    remove: () => rm(folder, { recursive: true }),
  };
}

/**
 * If TEST_DATABASE_TEMPLATE is set, copies that database instead: `mutants/` sets it to another one
 * for each run.
 * @param serverUrl any database on the Postgres on which the copies are made
 */
async function makePostgresTemplate(serverUrl: string, password: string): Promise<Template> {
  const template = await makeDatabase(serverUrl);
  await onPostgres(template.databaseUrl, migrateDatabase);
  return {
    async copy() {
      const changed = process.env["TEST_DATABASE_TEMPLATE"];
      const copied = changed === undefined ? template : { databaseUrl: changed };
      const made = await makeDatabase(serverUrl, copied);
      const databaseUrl = new URL(made.databaseUrl);
      // Ends the statements of a killed run promptly, so that they do not slow down the next run.
      // `mutants/` selects test files by the functions that they call.
      databaseUrl.searchParams.set(
        "options",
        `-c client_connection_check_interval=1000${changed === undefined ? "" : " -c track_functions=all"}`,
      );
      const location = { databaseUrl: databaseUrl.href, connections, password };
      try {
        const { stop, ...address } = await startDatabaseProcess(location);
        return {
          ...address,
          async close() {
            await stop();
            await made.drop();
          },
        };
      } catch (error) {
        await made.drop();
        throw error;
      }
    },
    remove: template.drop,
  };
}

/** @param databaseUrl the Postgres on which they are made; if undefined, PGlite in memory */
export async function offerTestDatabases(databaseUrl: string | undefined): Promise<TestDatabases> {
  const password = crypto.randomUUID();
  const template = await (databaseUrl === undefined
    ? makePgliteTemplate(password)
    : makePostgresTemplate(databaseUrl, password));
  let isClosed = false;
  const startNext = () => {
    if (isClosed) {
      throw new Error("The tests have ended.");
    }
    return template.copy();
  };
  const shared: Promise<TestDatabase>[] = [];
  const fresh = new Map<string, Promise<TestDatabase>>();
  const closeFresh = (worker: string) => {
    const before = fresh.get(worker);
    fresh.delete(worker);
    return close(before);
  };
  const give = async (worker: string): Promise<TestDatabase> => {
    if (worker === "") {
      const database = startNext();
      shared.push(database);
      return await database;
    }
    await closeFresh(worker);
    const next = startNext();
    fresh.set(worker, next);
    return await next;
  };
  const closeAll = async () => {
    const closing = [...shared.splice(0), ...fresh.values()].map(close);
    fresh.clear();
    await Promise.all(closing);
  };
  const server = createServer(async (request, response) => {
    try {
      const worker = await text(request);
      if (request.method === "DELETE") {
        await closeFresh(worker);
        response.end();
        return;
      }
      const { endpoint, connectionString } = await give(worker);
      response.end(JSON.stringify({ endpoint, connectionString }));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    address: `http://127.0.0.1:${typeof address === "object" ? address?.port : address}`,
    renew: closeAll,
    async close() {
      isClosed = true;
      server.close();
      server.closeAllConnections();
      await closeAll();
      await template.remove();
    },
  };
}

/** Closes a database that might have failed to start. */
const close = async (database: Promise<TestDatabase> | undefined): Promise<void> => {
  await database?.then(
    (started) => started.close(),
    () => {},
  );
};
