import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import type { DatabaseLocation } from "../../../drizzle/local/pool.ts";

const addressSchema = z.object({ endpoint: z.url(), connectionString: z.string() });

/** A local database server in a process of its own. */
export interface DatabaseProcess extends z.output<typeof addressSchema> {
  pid: number;
  stop(signal: "SIGTERM" | "SIGKILL"): Promise<void>;
}

/** Starts one. It ends with the process that started it, at the latest. */
export async function startDatabaseProcess(options: DatabaseLocation): Promise<DatabaseProcess> {
  const child = fork(fileURLToPath(new URL("./database-main.ts", import.meta.url)), [
    JSON.stringify(options),
  ]);
  const exited = once(child, "exit");
  const [message] = await Promise.race([
    once(child, "message"),
    exited.then(() => Promise.reject(new Error("The database server did not start."))),
  ]);
  return {
    ...addressSchema.parse(message),
    pid: child.pid ?? 0,
    async stop(signal) {
      child.kill(signal);
      await exited;
    },
  };
}
