import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { type Connections, connectToPostgres } from "./connections.ts";
import { playFault } from "./faults.ts";
import { readBody, send } from "./http.ts";
import { errorBody, ProxyError, parseSqlRequest } from "./neon-protocol.ts";
import { openFolder, openInMemory } from "./pglite-database.ts";
import { handleProbe } from "./probe-control.ts";
import { Probes } from "./probes.ts";
import { executeSql } from "./sql-execution.ts";

/** Where the data is: a real Postgres, a folder, or (with neither) memory. */
export interface LocalDatabaseOptions {
  /** Keep an embedded database in this folder. */
  readonly dataFolder?: string;
  /** Use this Postgres. Excludes `dataFolder`. */
  readonly databaseUrl?: string;
  /** At most so many connections to `databaseUrl`; 10 by default. */
  readonly connections?: number;
  /** The TCP port on 127.0.0.1; 0, the default, takes a free one. */
  readonly port?: number;
}

/** A running server that speaks Neon's SQL over HTTP. */
export interface LocalDatabase {
  /** What `neonConfig.fetchEndpoint` must be. */
  readonly endpoint: string;
  /** What the driver is to be given; its `application_name`, if added, is the label of a probe. */
  readonly connectionString: string;
  /**
   * Lends a connection exclusively, for migrations and seeds in the same process.
   *
   * With an embedded database it is the only one: inside `use`, another `withClient` or a request
   * to the server would wait for ever.
   */
  withClient<T>(use: (client: pg.PoolClient) => Promise<T>): Promise<T>;
  /** Cancels what is running, ends all connections and frees the port and the data folder. */
  close(): Promise<void>;
}

/** Starts a local stand-in for Neon, reachable from this machine only. */
export async function startLocalDatabase(options: LocalDatabaseOptions): Promise<LocalDatabase> {
  const connections = await openConnections(options);
  const probes = new Probes();
  const running = new Set<Promise<void>>();
  const server = createServer((request, response) => {
    const handled = handle(connections, probes, request, response).finally(() =>
      running.delete(handled),
    );
    running.add(handled);
  });
  // A client may reuse a connection in the very moment in which the server gives it up as idle.
  server.keepAliveTimeout = 0;
  try {
    await listen(server, options.port ?? 0);
  } catch (error) {
    await connections.close();
    throw error;
  }
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;

  const close = async () => {
    server.close();
    server.closeAllConnections();
    await Promise.all(running);
    await connections.close();
  };
  let closing: Promise<void> | undefined;

  return {
    endpoint: `http://127.0.0.1:${port}/sql`,
    connectionString: "postgresql://local:local@localhost/inventory",
    async withClient(use) {
      const client = await connections.connect();
      try {
        return await use(client);
      } finally {
        await connections.release(client);
      }
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
}

async function openConnections(options: LocalDatabaseOptions): Promise<Connections> {
  const { dataFolder, databaseUrl, connections = 10 } = options;
  if (databaseUrl !== undefined) {
    if (dataFolder !== undefined) {
      throw new Error("Give either a data folder or a database URL, not both.");
    }
    return connectToPostgres(databaseUrl, connections);
  }
  return dataFolder === undefined ? openInMemory() : openFolder(dataFolder);
}

async function listen(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
}

async function handle(
  connections: Connections,
  probes: Probes,
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
    if (!/^(127\.0\.0\.1|localhost)(:\d+)?$/.test(request.headers.host ?? "")) {
      // A web page that lets its own name resolve to this machine must not reach the data.
      throw new ProxyError(403, "the Host must be 127.0.0.1 or localhost");
    }
    if (request.url === "/sql" && request.method === "POST") {
      await handleSql(connections, probes, request, response, caller.signal);
    } else if (!(await handleProbe(probes, request, response))) {
      throw new ProxyError(404, "not found");
    }
  } catch (error) {
    if (!response.headersSent) {
      const status = error instanceof ProxyError ? error.status : 400;
      send(response, status, "application/json", errorBody(error));
    }
  }
}

async function handleSql(
  connections: Connections,
  probes: Probes,
  request: IncomingMessage,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const probe = probes.get(probeLabel(request));
  const fault = probe.takeCall();
  const sqlRequest = parseSqlRequest(request.headers, await readBody(request));
  probe.countStatements(sqlRequest.kind === "batch" ? sqlRequest.statements.length : 1);
  if (probe.delayMs > 0) {
    await sleep(probe.delayMs, undefined, { signal });
  }
  if (fault.kind !== "none" && fault.kind !== "lost_answer") {
    await playFault(fault, response, signal);
    return;
  }
  try {
    const answer = await executeSql(connections, sqlRequest, signal);
    if (fault.kind === "none") {
      send(response, 200, "application/json", answer);
    }
  } finally {
    if (fault.kind === "lost_answer") {
      response.destroy();
    }
  }
}

/**
 * The `application_name` of the driver's connection string.
 *
 * The header is also what keeps web pages out: a browser asks before it sends one of its own to
 * another origin, and nothing here answers.
 */
function probeLabel(request: IncomingMessage): string {
  const connectionString = request.headers["neon-connection-string"];
  if (typeof connectionString !== "string" || !URL.canParse(connectionString)) {
    throw new ProxyError(400, "invalid header: neon-connection-string");
  }
  return new URL(connectionString).searchParams.get("application_name") ?? "";
}
