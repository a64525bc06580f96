import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import * as z from "zod";

/** The data folder of local development. `DATA_FOLDER` overrides it. */
export const dataFolder = (): string => process.env["DATA_FOLDER"] || ".local";

const runningSchema = z.object({
  /** See `LocalDatabase`. */
  endpoint: z.url(),
  connectionString: z.string(),
  /** The control address of the demo daemons. */
  demoDaemons: z.url(),
  /** The port of the Worker, and the id of its process group. */
  port: z.string(),
  workerGroup: z.int().positive(),
});

/** The addresses of a running `npm run dev`, for use by other commands. */
export type Running = z.output<typeof runningSchema>;

const fileIn = (folder: string) => `${folder}/running.json`;

/**
 * Publishes the addresses of this service to other commands run by the same user. Returns a
 * function that withdraws them.
 */
export async function announceRunning(
  folder: string,
  running: Running,
): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true });
  const file = fileIn(folder);
  // The file contains the database's password, and an existing file would keep its mode.
  await rm(file, { force: true });
  await writeFile(file, JSON.stringify(running), { mode: 0o600, flag: "wx" });
  return () => rm(file, { force: true });
}

/** Reads the announcement of a service, even if the service is no longer running. */
export async function readRunning(folder: string): Promise<Running | null> {
  try {
    return runningSchema.parse(JSON.parse(await readFile(fileIn(folder), "utf8")));
  } catch {
    return null;
  }
}

/** Reads the announcement of a service, if its database still responds. */
export async function findRunning(folder: string): Promise<Running | null> {
  const running = await readRunning(folder);
  const response = await fetch(running?.endpoint ?? "", {
    method: "POST",
    headers: {
      "neon-connection-string": running?.connectionString ?? "",
      "neon-raw-text-output": "true",
      "neon-array-mode": "true",
    },
    body: '{"query": "select 1", "params": []}',
  }).catch(() => null);
  return response?.ok ? running : null;
}
