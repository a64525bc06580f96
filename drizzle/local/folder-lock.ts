import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

/** Folders held by this process: their lock files name a living process too. */
const held = new Set<string>();

/**
 * Takes the folder for this process and resolves to the function that gives it back.
 *
 * Rejects when another living process holds it; the lock of a dead one is taken over.
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const path = resolve(folder);
  const file = join(path, "lock");
  if (held.has(path)) {
    throw inUse(path, file, process.pid);
  }
  held.add(path);
  try {
    await mkdir(path, { recursive: true });
    await takeFile(path, file);
  } catch (error) {
    held.delete(path);
    throw error;
  }
  return async () => {
    await rm(file, { force: true });
    held.delete(path);
  };
}

async function takeFile(path: string, file: string): Promise<void> {
  if (await createFile(file)) {
    return;
  }
  const holder = Number.parseInt(await readFile(file, "utf8").catch(() => ""), 10);
  // A file with this process's id is from an earlier process that had the same one.
  if (holder !== process.pid && isAlive(holder)) {
    throw inUse(path, file, holder);
  }
  await rm(file, { force: true });
  if (!(await createFile(file))) {
    throw inUse(path, file, holder);
  }
}

async function createFile(file: string): Promise<boolean> {
  try {
    await writeFile(file, `${process.pid}\n`, { flag: "wx" });
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) {
      return false;
    }
    throw error;
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) {
    return false;
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives, under another user.
    return hasCode(error, "EPERM");
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

function inUse(path: string, file: string, pid: number): Error {
  return new Error(
    `The data folder ${path} is in use by process ${pid}. Stop that process, or choose another ` +
      `folder. If it is not a local database, delete ${file}.`,
  );
}
