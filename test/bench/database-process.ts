import * as z from "zod";
import type { DatabaseLocation } from "../../drizzle/local/pool.ts";
import * as local from "../local-database/process.ts";
import type { InventorySize } from "./inventory.ts";

/**
 * The local database server, in a separate process, so that its CPU time and memory are not
 * attributed to the Worker.
 */
export interface DatabaseProcess extends local.DatabaseProcess {
  /** Delays all subsequent calls, and resets the call counter. */
  delay(milliseconds: number): Promise<void>;
  /** The number of calls. */
  calls(): Promise<number>;
}

const countsSchema = z.object({ calls: z.int() });

/** The database that the process serves, and the data that it loads first. */
export interface DatabaseOptions extends DatabaseLocation {
  readonly inventory?: InventorySize;
}

/** Starts a server that speaks Neon's protocol. */
export async function startDatabaseProcess(options: DatabaseOptions): Promise<DatabaseProcess> {
  const started = await local.startDatabaseProcess(
    { ...options, roundTripMs: Number(process.env["BENCH_ROUND_TRIP_MS"] ?? 0) },
    new URL("./database-main.ts", import.meta.url),
  );
  const label = "bench";
  const url = new URL(started.connectionString);
  url.searchParams.set("application_name", label);
  const probe = new URL(`/probes/${label}`, started.endpoint);
  return {
    ...started,
    connectionString: url.href,
    async delay(delay_ms) {
      await fetch(probe, { method: "PUT", body: JSON.stringify({ delay_ms, faults: [] }) });
    },
    async calls() {
      return countsSchema.parse(await (await fetch(probe)).json()).calls;
    },
  };
}
