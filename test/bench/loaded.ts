import type pg from "pg";
import { connectTo } from "./cluster.ts";
import { type DatabaseProcess, startDatabaseProcess } from "./database-process.ts";
import type { MeasuredOperation } from "./operations.ts";
import { postgresCpuMs } from "./postgres-cpu.ts";
import { cpuMs } from "./process.ts";
import { type BenchRequest, send } from "./requests.ts";
import { type RunningWorker, startWorkerd, type WorkerSource } from "./workerd.ts";

/** A database with data, and a Worker that uses it. */
export interface Loaded {
  /** A connection as the owner. */
  client: pg.Client;
  server: DatabaseProcess;
  source: WorkerSource;
  worker: RunningWorker;
}

/** Starts a database server and a Worker for a database. */
export async function openLoaded(
  databaseUrl: string,
  sourceOf: (server: DatabaseProcess) => WorkerSource,
): Promise<Loaded> {
  const server = await startDatabaseProcess({ databaseUrl });
  const source = sourceOf(server);
  return {
    client: await connectTo(databaseUrl),
    server,
    source,
    worker: await startWorkerd(source),
  };
}

/** Stops everything that {@link openLoaded} has started. */
export async function closeLoaded({ client, server, worker }: Loaded): Promise<void> {
  await worker.stop();
  await server.stop();
  await client.end();
}

/** The cost of one request. */
export interface Cost {
  /** The time until the response was read. */
  ms: number;
  /** CPU time used by Postgres' backends and by workerd. */
  postgresMs: number;
  workerMs: number;
  /** Bytes written to Postgres' write-ahead log. */
  walMib: number;
}

async function writtenMib(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ mib: number }>(
    "select ((pg_current_wal_insert_lsn() - '0/0') / 1024 / 1024)::float8 as mib",
  );
  return rows[0]?.mib ?? Number.NaN;
}

/** Sends a single request and measures it. */
export async function costOf(
  { client, worker: { origin, pid } }: Loaded,
  request: BenchRequest,
  status = 200,
): Promise<Cost> {
  const walBefore = await writtenMib(client);
  const workerBefore = cpuMs(pid);
  let ms = 0;
  const postgresMs = await postgresCpuMs(client, async () => {
    ({ totalMs: ms } = await send(origin, request, { status, keepBody: false }));
  });
  return {
    ms,
    postgresMs,
    workerMs: cpuMs(pid) - workerBefore,
    walMib: (await writtenMib(client)) - walBefore,
  };
}

/** Prepares a request for an operation and sends it. Only the sending is measured. */
export async function ask(loaded: Loaded, operation: MeasuredOperation): Promise<Cost> {
  const [request] = await operation.requests(loaded.worker.origin, 1);
  if (!request) {
    throw new Error(`${operation.name} has no request`);
  }
  return await costOf(loaded, request, operation.status);
}
