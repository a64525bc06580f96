import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, globSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

/** A Postgres server for the bench. */
export interface Cluster {
  /**
   * Creates a database and returns its connection string. The database is empty, or a copy of a
   * database that has no connections.
   */
  createDatabase(name: string, template?: string): Promise<string>;
  stop(): Promise<void>;
}

/**
 * The settings that differ from Postgres' defaults: only those for memory and for room to load
 * data. The planner's costs, JIT, parallelism and durability (fsync, full_page_writes,
 * synchronous_commit) are the defaults.
 */
const clusterSettings = {
  shared_buffers: "1GB",
  effective_cache_size: "4GB",
  maintenance_work_mem: "512MB",
  max_wal_size: "8GB",
  checkpoint_timeout: "30min",
};

/** The folder with the binaries of the newest installed Postgres version; null if there is none. */
function postgresPrograms(): string | null {
  const versions = globSync("/usr/lib/postgresql/*/bin/postgres").sort(
    new Intl.Collator("en", { numeric: true }).compare,
  );
  return versions.at(-1)?.replace(/\/postgres$/, "") ?? null;
}

/**
 * Runs a function with an empty Postgres in a temporary folder, then deletes the folder and ends
 * this process. If Postgres is not installed, prints what to install.
 */
export async function withCluster(use: (cluster: Cluster) => Promise<void>): Promise<never> {
  const programs = postgresPrograms();
  if (programs === null) {
    console.error(
      "This bench needs Postgres' programs under /usr/lib/postgresql: install postgresql.",
    );
    process.exit(1);
  }
  const cluster = await startCluster(programs);
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => cluster.stop().then(() => process.exit(1)));
  }
  try {
    await use(cluster);
  } finally {
    await cluster.stop();
  }
  process.exit();
}

/** Starts an empty Postgres in a temporary folder, which is deleted when Postgres stops. */
async function startCluster(programs: string): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), "bench-postgres-"));
  const owner = unprivilegedUser();
  if (owner) {
    chownSync(folder, owner.uid, owner.gid);
  }
  const data = join(folder, "data");
  const port = await freePort();
  const run = { ...owner, cwd: folder, env: { PATH: process.env["PATH"], LC_ALL: "C" } };
  execFileSync(
    join(programs, "initdb"),
    ["-D", data, "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C"],
    { ...run, stdio: "ignore" },
  );
  const settings = {
    ...clusterSettings,
    listen_addresses: "127.0.0.1",
    port: String(port),
    unix_socket_directories: folder,
  };
  const server = spawn(
    join(programs, "postgres"),
    [
      "-D",
      data,
      ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    ],
    { ...run, stdio: "ignore" },
  );
  const url = (database: string) => `postgresql://postgres@127.0.0.1:${port}/${database}`;
  const stop = async () => {
    if (server.exitCode === null && server.signalCode === null) {
      server.kill("SIGINT");
      await once(server, "exit");
    }
    rmSync(folder, { recursive: true, force: true });
  };
  while (!(await answers(url("postgres")))) {
    if (server.exitCode !== null || !existsSync(data)) {
      await stop();
      throw new Error("Postgres did not start.");
    }
    await sleep(50);
  }
  const createDatabase = async (name: string, template = "template0") => {
    const client = new pg.Client({ connectionString: url("postgres") });
    await client.connect();
    await client.query(`create database ${name} template ${template}`);
    await client.end();
    return url(name);
  };
  return { createDatabase, stop };
}

/** Connects as the owner. */
export async function connectTo(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  // If a bench fails, Postgres is stopped while connected; an unhandled "error" event would hide
  // the cause.
  client.on("error", () => {});
  await client.connect();
  return client;
}

/** Postgres refuses to run as root. */
function unprivilegedUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) {
    return undefined;
  }
  const id = (option: string) =>
    Number(execFileSync("id", [option, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") {
    throw new Error("There is no free port.");
  }
  return address.port;
}

async function answers(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString });
  client.on("error", () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}
