import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, globSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

/** A Postgres of the bench's own. */
export interface Cluster {
  /** The connection string of one of its databases. */
  url(database: string): string;
  stop(): Promise<void>;
}

/**
 * What differs from Postgres' defaults. Memory only, and room to load: the planner's costs, JIT,
 * parallelism and durability (fsync, full_page_writes, synchronous_commit) are the defaults.
 */
export const clusterSettings = {
  shared_buffers: "1GB",
  effective_cache_size: "4GB",
  maintenance_work_mem: "512MB",
  max_wal_size: "8GB",
  checkpoint_timeout: "30min",
};

/** The folder of Postgres' programs, the newest version first; null where there are none. */
export function postgresPrograms(): string | null {
  const versions = globSync("/usr/lib/postgresql/*/bin/postgres").sort(
    new Intl.Collator("en", { numeric: true }).compare,
  );
  return versions.at(-1)?.replace(/\/postgres$/, "") ?? null;
}

/** Starts an empty Postgres in a folder of its own, which goes with it. */
export async function startCluster(programs: string): Promise<Cluster> {
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
  return { url, stop };
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
