import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import type { DatabaseLocation } from "../../drizzle/local/pool.ts";
import type { InventorySize } from "./inventory.ts";

/** The local database server, in a process of its own. */
export interface DatabaseProcess {
  endpoint: string;
  connectionString: string;
  pid: number;
  /** Delays every call from now on, and starts to count calls from 0. */
  delay(milliseconds: number): Promise<void>;
  /** How many calls there were. */
  calls(): Promise<number>;
  stop(): Promise<void>;
}

const addressSchema = z.object({ endpoint: z.url(), connectionString: z.string() });
const countsSchema = z.object({ calls: z.int() });

/** What the process serves, and what it fills the database with before. */
export interface DatabaseOptions extends DatabaseLocation {
  readonly inventory?: InventorySize;
}

/** Starts the server that speaks Neon's protocol. Its CPU and memory are not the Worker's. */
export async function startDatabaseProcess(options: DatabaseOptions): Promise<DatabaseProcess> {
  const child = fork(fileURLToPath(new URL("./database-main.ts", import.meta.url)), [
    JSON.stringify(options),
  ]);
  const exited = once(child, "exit");
  const [message] = await Promise.race([
    once(child, "message"),
    exited.then(() => Promise.reject(new Error("The database server did not start."))),
  ]);
  const { endpoint, connectionString } = addressSchema.parse(message);
  const label = "bench";
  const url = new URL(connectionString);
  url.searchParams.set("application_name", label);
  const probe = new URL(`/probes/${label}`, endpoint);
  return {
    endpoint,
    connectionString: url.href,
    pid: child.pid ?? 0,
    async delay(delay_ms) {
      await fetch(probe, { method: "PUT", body: JSON.stringify({ delay_ms, faults: [] }) });
    },
    async calls() {
      return countsSchema.parse(await (await fetch(probe)).json()).calls;
    },
    async stop() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}
