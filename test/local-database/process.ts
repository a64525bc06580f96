import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import type { ServedDatabase } from "./serve.ts";

/** The URL at which a process serves a database. */
export const addressSchema = z.object({ endpoint: z.url(), connectionString: z.string() });

/** A local database server in a separate process. */
export interface DatabaseProcess extends z.output<typeof addressSchema> {
  pid: number;
  stop(signal?: "SIGTERM" | "SIGKILL"): Promise<void>;
}

const emptyDatabase = new URL("./database-main.ts", import.meta.url);

/**
 * Starts a database process. It ends no later than its parent process.
 * @param main the module that the process runs, which calls `serveDatabase`
 */
export async function startDatabaseProcess(
  options: ServedDatabase,
  main: URL = emptyDatabase,
): Promise<DatabaseProcess> {
  const child = fork(fileURLToPath(main), [JSON.stringify(options)]);
  const exited = once(child, "exit");
  const [message] = await Promise.race([
    once(child, "message"),
    exited.then(() => Promise.reject(new Error("The database server did not start."))),
  ]);
  return {
    ...addressSchema.parse(message),
    pid: child.pid ?? 0,
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      await exited;
    },
  };
}
