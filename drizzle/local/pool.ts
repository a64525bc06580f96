import { connect, Socket } from "node:net";
import pg from "pg";
import * as z from "zod";
import { type EmbeddedPostgres, openPglite } from "./pglite.ts";
import { ProxyError } from "./sql-request.ts";

/** The location of the data: a real Postgres, a folder, or (with neither) memory. */
export interface DatabaseLocation {
  /** Keep an embedded database in this folder. */
  readonly dataFolder?: string;
  /** Start an embedded in-memory database with the data from this dump: see `EmbeddedPostgres`. */
  readonly dump?: string;
  /** Use this Postgres. Cannot be combined with `dataFolder`. */
  readonly databaseUrl?: string;
  /** Maximum number of connections to `databaseUrl`; 10 by default. */
  readonly connections?: number;
  /**
   * True (the default) to cancel the statement of a disconnected caller. Neon's proxy cannot do
   * this if the compute requires TLS (`proxy/src/cancellation.rs`): the statement then runs until
   * its timeout.
   */
  readonly cancels?: boolean;
  /**
   * True to reset a connection before its next use, as Neon's pool does. False by default, so that
   * tests detect settings that leak. An embedded database is never reset, to keep its prepared
   * statements.
   */
  readonly cleans?: boolean;
  /**
   * Additional latency per round trip to Postgres, in milliseconds; 0 by default. Neon's proxy
   * makes one round trip to begin a batch, one to commit it, and two for each statement
   * (`proxy/src/serverless/sql_over_http.rs`).
   */
  readonly roundTripMs?: number;
}

/** Connections to a real Postgres, or the single connection to an embedded Postgres. */
export interface LocalPool {
  /**
   * Provides a connection exclusively. A transaction that `use` leaves open is rolled back.
   * @throws {ProxyError} 503 if there is no connection
   */
  withClient<Result>(use: (client: pg.PoolClient) => Promise<Result>): Promise<Result>;
  /**
   * The name under which to prepare a statement, or undefined. Without prepared statements, an
   * embedded database would spend most of its time parsing the same statements. A real Postgres
   * parses each one, as in production.
   */
  nameOf(statement: string): string | undefined;
  /**
   * Closes a connection and ends its running statement. An embedded database cannot be interrupted.
   */
  interrupt(client: pg.PoolClient): void;
  /** See `DatabaseLocation`. */
  readonly roundTripMs: number;
  /** Resolves to an error with the reason and the remedy when an embedded database has failed. */
  readonly failure: Promise<Error>;
  /** Waits until all connections have been released, and closes them. */
  close(): Promise<void>;
}

/** Opens a database. A real Postgres is not contacted until a connection is needed. */
export async function openPool(location: DatabaseLocation): Promise<LocalPool> {
  const {
    databaseUrl,
    dataFolder,
    dump,
    connections = 10,
    cancels = true,
    cleans = false,
  } = location;
  const { roundTripMs = 0 } = location;
  if (databaseUrl === undefined) {
    const { connection, failure, close } = await openPglite(dataFolder, dump);
    return poolOf(
      { connection, max: 1, idleTimeoutMillis: 0 },
      { nameOf: statementNames(), interrupt: () => {}, roundTripMs, failure, close },
      checkpoints(),
    );
  }
  if (dataFolder !== undefined) {
    throw new Error("Set either a data folder or a database URL, not both.");
  }
  return poolOf(
    { connectionString: databaseUrl, max: connections },
    {
      nameOf: () => undefined,
      roundTripMs,
      interrupt: (client) => {
        if (cancels) {
          cancel(client);
        }
        client.connection.stream.destroy();
      },
      failure: new Promise(() => {}),
      close: async () => {},
    },
    () => (cleans ? ["discard all"] : []),
  );
}

/** The number of uses after which an embedded database performs a checkpoint. */
const usesPerCheckpoint = 500;

/**
 * In single-user mode, Postgres does not perform automatic checkpoints, and without them its WAL
 * grows without limit.
 */
function checkpoints(): () => string[] {
  let uses = 0;
  return () => {
    uses += 1;
    return uses % usesPerCheckpoint === 0 ? ["checkpoint"] : [];
  };
}

/** Missing from the types for `pg`. */
const cancelKey = z.object({ processID: z.int(), secretKey: z.int() });

/**
 * Cancels a connection's running statement through a separate connection
 * (https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS).
 */
function cancel(client: pg.PoolClient): void {
  const { stream } = client.connection;
  if (!(stream instanceof Socket) || stream.remotePort === undefined) {
    return;
  }
  const { remoteAddress: host, remotePort: port } = stream;
  const { processID, secretKey } = cancelKey.parse(client);
  const request = Buffer.alloc(16);
  [16, 80_877_102, processID, secretKey].forEach((word, index) => {
    request.writeInt32BE(word, index * 4);
  });
  const socket = connect({ host, port }, () => socket.end(request));
  socket.once("error", () => {});
}

/** Maximum number of prepared statements per connection. */
const maximumPrepared = 1000;

/** Names the first statements, which are usually the most frequent ones. */
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

/** `connection` is missing from the types for `pg`. A client uses it instead of a socket. */
type Config = pg.PoolConfig & { connection?: EmbeddedPostgres["connection"] };

/** @param afterUse returns the statements that run after each use of a connection */
function poolOf(
  config: Config,
  rest: Omit<LocalPool, "withClient">,
  afterUse: () => string[],
): LocalPool {
  const pool = new pg.Pool(config);
  // The next user notices a broken connection; an unhandled "error" would end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return {
    ...rest,
    async withClient(use) {
      const client = await pool.connect().catch((cause) => {
        throw refusalOf(cause);
      });
      try {
        return await use(client);
      } finally {
        const isOpen = client.getTransactionStatus() !== "I";
        const left = [...(isOpen ? ["rollback"] : []), ...afterUse()];
        const error = await Promise.all(left.map((statement) => client.query(statement))).catch(
          () => true,
        );
        client.release(error === true);
      }
    },
    async close() {
      await pool.end();
      await rest.close();
    },
  };
}

/**
 * The error for a failed connection. Neon's proxy returns the SQLSTATE with its own status
 * (`proxy/src/serverless/sql_over_http.rs`): 400 for a database that does not exist, otherwise 500.
 */
function refusalOf(cause: unknown): ProxyError {
  if (!(cause instanceof pg.DatabaseError)) {
    return new ProxyError(500, "Couldn't connect to compute node", { cause });
  }
  const status = cause.code === "3D000" ? 400 : 500;
  return new ProxyError(status, cause.message, { code: cause.code, cause });
}
