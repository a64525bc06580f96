import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type DatabaseLocation, type LocalPool, openPool } from "./pool.ts";
import { executeSql } from "./sql-execution.ts";
import { ProxyError, readSqlRequest } from "./sql-request.ts";

/** Handles a request. Resolves once the response is sent, and never rejects. */
export type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export interface LocalDatabaseOptions extends DatabaseLocation {
  /** The password that callers must send; random by default. */
  readonly password?: string;
  /** Wraps the listener, to observe or disrupt calls. */
  readonly wrap?: (listener: Listener) => Listener;
}

/** A running server that speaks Neon's SQL-over-HTTP protocol. */
export interface LocalDatabase extends Pick<LocalPool, "withClient" | "failure"> {
  /** The value for `neonConfig.fetchEndpoint`. */
  readonly endpoint: string;
  /** The connection string for the driver, with the owner's privileges. */
  readonly connectionString: string;
  /** Aborts running requests, closes all connections, and frees the port and the data folder. */
  close(): Promise<void>;
}

/**
 * Starts a local stand-in for Neon, reachable only from this machine.
 *
 * An embedded database has one connection: inside `withClient`, another `withClient` or a request
 * to the server would wait forever.
 */
export async function startLocalDatabase(options: LocalDatabaseOptions): Promise<LocalDatabase> {
  const { password = randomBytes(24).toString("hex"), wrap = (listener) => listener } = options;
  const pool = await openPool(options);
  const running = new Set<Promise<void>>();
  const listener = wrap((request, response) => handle(pool, password, request, response));
  const server = createServer((request, response) => {
    const handled = listener(request, response).finally(() => running.delete(handled));
    running.add(handled);
  });
  // With a timeout, a client could reuse a connection just when the server closes it as idle.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;

  const close = async () => {
    server.close();
    server.closeAllConnections();
    await Promise.all(running);
    await pool.close();
  };
  let closing: Promise<void> | undefined;
  return {
    endpoint: `http://127.0.0.1:${port}/sql`,
    connectionString: `postgresql://local:${password}@localhost/inventory`,
    withClient: pool.withClient,
    failure: pool.failure,
    close() {
      closing ??= close();
      return closing;
    },
  };
}

async function handle(
  pool: LocalPool,
  password: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const caller = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) {
      caller.abort();
    }
  });
  try {
    requireAccess(request, password);
    send(response, 200, await executeSql(pool, await readSqlRequest(request), caller.signal));
  } catch (error) {
    const status = error instanceof ProxyError ? error.status : 400;
    if (status === 413) {
      // The rest of the body is not read: a caller that is still sending gets a connection error.
      response.once("finish", () => request.socket.destroySoon());
    }
    send(response, status, errorBody(error));
  }
}

function requireAccess({ headers, url, method }: IncomingMessage, password: string): void {
  if (!/^(127\.0\.0\.1|localhost)(:\d+)?$/.test(headers.host ?? "")) {
    // A web page whose name resolves to this machine (DNS rebinding) must not reach the data.
    throw new ProxyError(403, "the Host must be 127.0.0.1 or localhost");
  }
  if (url !== "/sql" || method !== "POST") {
    throw new ProxyError(404, "not found");
  }
  const given = URL.parse(String(headers["neon-connection-string"]))?.password ?? "";
  const hash = (text: string) => createHash("sha256").update(text).digest();
  if (!timingSafeEqual(hash(given), hash(password))) {
    // Neon's proxy names the user in this error, and returns no SQLSTATE (`proxy/src/auth/mod.rs`).
    throw new ProxyError(400, "password authentication failed for user 'local'");
  }
}

/** The fields of a Postgres error that the driver reads. */
const errorFields = [
  ...["severity", "code", "detail", "hint", "position", "internalPosition", "internalQuery"],
  ...["where", "schema", "table", "column", "dataType", "constraint", "file", "line", "routine"],
] as const;

function errorBody(error: unknown): string {
  const message = error instanceof Error ? error.message : "internal error";
  // Operating system errors, such as a reset connection, have a different kind of code.
  const databaseError = Object(error).syscall === undefined ? Object(error) : {};
  const fields = Object.fromEntries(errorFields.map((name) => [name, databaseError[name] ?? null]));
  return JSON.stringify({ message, ...fields });
}

/** Sends a complete response, unless the caller has disconnected. */
function send(response: ServerResponse, status: number, body: string): void {
  if (!response.destroyed) {
    response.writeHead(status, { "content-type": "application/json" }).end(body);
  }
}
