import pg from "pg";
import { type EmbeddedPostgres, openPglite } from "./pglite.ts";
import { ProxyError } from "./sql-request.ts";

/** Where the data is: a real Postgres, a folder, or (with neither) memory. */
export interface DatabaseLocation {
  /** Keep an embedded database in this folder. */
  readonly dataFolder?: string;
  /** Use this Postgres. Excludes `dataFolder`. */
  readonly databaseUrl?: string;
  /** At most so many connections to `databaseUrl`; 10 by default. */
  readonly connections?: number;
}

/** Connections to a real Postgres, or the only one to an embedded one. */
export interface LocalPool {
  /**
   * Lends a connection exclusively. A transaction that `use` leaves open is rolled back.
   * @throws {ProxyError} 503 if there is no connection
   */
  withClient<Result>(use: (client: pg.PoolClient) => Promise<Result>): Promise<Result>;
  /**
   * The name under which a statement stays prepared on its connection, or undefined. Most of an embedded
   * database's time went into parsing the same statements; a real Postgres parses each, as in production.
   */
  nameOf(statement: string): string | undefined;
  /** Ends a connection and what runs on it. An embedded database cannot be interrupted. */
  interrupt(client: pg.PoolClient): void;
  /** Resolves when an embedded database has failed, with an error that says why and what to do. */
  readonly failure: Promise<Error>;
  /** Waits until all connections have been given back, and ends them. */
  close(): Promise<void>;
}

/** Opens a database. A real Postgres is first contacted when a connection is needed. */
export async function openPool(location: DatabaseLocation): Promise<LocalPool> {
  const { databaseUrl, dataFolder, connections = 10 } = location;
  if (databaseUrl === undefined) {
    const { connection, failure, close } = await openPglite(dataFolder);
    return poolOf(
      { connection, max: 1, idleTimeoutMillis: 0 },
      { nameOf: statementNames(), interrupt: () => {}, failure, close },
    );
  }
  if (dataFolder !== undefined) {
    throw new Error("Give either a data folder or a database URL, not both.");
  }
  return poolOf(
    {
      connectionString: databaseUrl,
      max: connections,
      // Without this, Postgres finishes a statement although its client is gone.
      options: "-c client_connection_check_interval=200ms",
    },
    {
      nameOf: () => undefined,
      interrupt: (client) => client.connection.stream.destroy(),
      failure: new Promise(() => {}),
      close: async () => {},
    },
  );
}

/** How many statements a connection keeps prepared. */
const maximumPrepared = 1000;

/** Names the first statements that come, as these are the ones that come again and again. */
function statementNames(): LocalPool["nameOf"] {
  const names = new Map<string, string>();
  return (statement) => {
    const known = names.get(statement);
    if (known !== undefined || names.size >= maximumPrepared) {
      return known;
    }
    const name = `statement_${names.size}`;
    names.set(statement, name);
    return name;
  };
}

/** `connection`, missing in the types of `pg`, is what a client uses instead of a socket. */
type Config = pg.PoolConfig & { connection?: EmbeddedPostgres["connection"] };

function poolOf(config: Config, rest: Omit<LocalPool, "withClient">): LocalPool {
  const pool = new pg.Pool(config);
  // The next user notices a broken connection; an unhandled "error" would end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return {
    ...rest,
    async withClient(use) {
      const client = await pool.connect().catch((cause) => {
        // What Postgres itself refuses, a login for instance, Neon passes on with its SQLSTATE.
        throw cause instanceof pg.DatabaseError
          ? cause
          : new ProxyError(503, "Couldn't connect to compute node", { cause });
      });
      try {
        return await use(client);
      } finally {
        const isOpen = client.getTransactionStatus() !== "I";
        const error = isOpen ? await client.query("rollback").catch(() => true) : false;
        client.release(error === true);
      }
    },
    async close() {
      await pool.end();
      await rest.close();
    },
  };
}
