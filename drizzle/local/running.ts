import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import * as z from "zod";

/** Where local development keeps its data; `DATA_FOLDER` chooses another folder. */
export const dataFolder = (): string => process.env["DATA_FOLDER"] ?? ".local";

const runningSchema = z.object({
  /** See `LocalDatabase`. */
  endpoint: z.url(),
  connectionString: z.string(),
  /** The control address of the demo daemons. */
  demoDaemons: z.url(),
});

/** How other commands reach a running `npm run dev`. */
export type Running = z.output<typeof runningSchema>;

/** Lets other commands find a running service. Returns what takes that back. */
export async function announceRunning(
  folder: string,
  running: Running,
): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true });
  const file = `${folder}/running.json`;
  await writeFile(file, JSON.stringify(running));
  return () => rm(file, { force: true });
}

/** The service that another process has announced, if its database still answers. */
export async function findRunning(folder: string): Promise<Running | null> {
  try {
    const text = await readFile(`${folder}/running.json`, "utf8");
    const running = runningSchema.parse(JSON.parse(text));
    await fetch(running.endpoint);
    return running;
  } catch {
    return null;
  }
}
