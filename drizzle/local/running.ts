import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import type { LocalDatabase } from "./server.ts";

/** Where local development keeps its data; `DATA_FOLDER` chooses another folder. */
export const dataFolder = (): string => process.env["DATA_FOLDER"] ?? ".local";

/** How to reach the database of a running `npm run dev`. */
export type RunningDatabase = Pick<LocalDatabase, "endpoint" | "connectionString">;

/** Lets other commands find a database while it is in use. Returns what takes that back. */
export async function announceRunning(
  folder: string,
  { endpoint, connectionString }: RunningDatabase,
): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true });
  const file = `${folder}/running.json`;
  await writeFile(file, JSON.stringify({ endpoint, connectionString }));
  return () => rm(file, { force: true });
}

/** The database that another process has announced and still serves, if there is one. */
export async function findRunning(folder: string): Promise<RunningDatabase | null> {
  try {
    const running: RunningDatabase = JSON.parse(await readFile(`${folder}/running.json`, "utf8"));
    await fetch(running.endpoint);
    return running;
  } catch {
    return null;
  }
}
