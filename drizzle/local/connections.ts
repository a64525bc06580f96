import type { Duplex } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import pg from "pg";
import { ProxyError } from "./neon-protocol.ts";

/** The connections behind the server: a pool of real ones, or the only one of a PGlite. */
export interface Connections {
  /** Waits for a free connection; rejects with a 503 {@link ProxyError} when there is none. */
  connect(): Promise<pg.PoolClient>;
  /** Ends a transaction that is still open and gives the connection back after `error`, if any. */
  release(client: pg.PoolClient, error?: unknown): Promise<void>;
  /** Lets news of callers who hung up arrive, where the database leaves the process no time. */
  pause(): Promise<void>;
  /** Stops what runs on the connection, where the database can, and retires the connection. */
  interrupt(client: pg.PoolClient): Promise<void>;
  /** Waits until every connection has been released, and ends them. */
  close(): Promise<void>;
}

/** A pool of connections to a real Postgres. */
export function connectToPostgres(connectionString: string, max: number): Connections {
  const backends = new WeakMap<pg.ClientBase, Promise<number | undefined>>();
  const retired = new WeakSet<pg.ClientBase>();
  const pool = quietPool({ connectionString, max });
  pool.on("connect", (client) => {
    const backend = client
      .query<{ pid: number }>("SELECT pg_backend_pid() AS pid")
      .then((result) => result.rows[0]?.pid)
      .catch(() => undefined);
    backends.set(client, backend);
  });

  return {
    connect: () => connect(pool),
    release: (client, error) => release(client, error, retired.has(client)),
    pause: () => Promise.resolve(),
    async interrupt(client) {
      // A cancellation has no address but the backend: it may arrive after the statement it was
      // meant for, so this connection must never serve another request.
      retired.add(client);
      const canceller = new pg.Client({ connectionString });
      canceller.on("error", ignore);
      try {
        await canceller.connect();
        await canceller.query("SELECT pg_cancel_backend($1)", [await backends.get(client)]);
      } catch {
        client.connection.stream.destroy();
      } finally {
        await canceller.end().catch(ignore);
      }
    },
    close: () => pool.end(),
  };
}

/** The single connection that `open` makes. Requests queue for it; nothing can interrupt it. */
export function connectToStream(open: () => Duplex): Connections {
  const pool = quietPool({
    stream: open,
    host: "localhost",
    user: "postgres",
    database: "postgres",
    ssl: false,
    max: 1,
    idleTimeoutMillis: 0,
  });
  return {
    connect: () => connect(pool),
    release: (client, error) => release(client, error, false),
    async pause() {
      // Turns of the event loop: to read a request that waited while PGlite was busy, to read the
      // end of its socket, to report the close, in the worst case.
      for (let turn = 0; turn < 3; turn += 1) {
        await nextTurn();
      }
    },
    interrupt: () => Promise.resolve(),
    close: () => pool.end(),
  };
}

/** Broken connections are noticed by whoever uses them next; an unheard "error" ends the process. */
function quietPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(config);
  pool.on("error", ignore);
  pool.on("connect", (client) => client.on("error", ignore));
  return pool;
}

async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (cause) {
    throw new ProxyError(503, "Couldn't connect to compute node", { cause });
  }
}

async function release(client: pg.PoolClient, error: unknown, retire: boolean): Promise<void> {
  if (isFatal(error)) {
    client.release(true);
    return;
  }
  try {
    if (client.getTransactionStatus() !== "I") {
      await client.query("ROLLBACK");
    }
    client.release(retire);
  } catch {
    client.release(true);
  }
}

/** Postgres ends the session after such an error, but `pg` notices only when the socket closes. */
function isFatal(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^(FATAL|PANIC)$/.test(error.severity ?? "");
}

function ignore(): void {}
