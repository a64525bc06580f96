import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** What SQLite says when another connection holds a lock (SQLITE_BUSY). */
const sqliteBusy = 5;

/** Keeps the locks from being collected as garbage, which would free them. */
const held = new Set<DatabaseSync>();

/**
 * Takes the folder for this process and resolves to the function that gives it back.
 *
 * The lock is SQLite's on a file, as Node itself has none: the kernel gives it to one holder only, and
 * takes it back when the process ends, however it ends.
 * @throws when another process, or another part of this one, holds the folder
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const path = resolve(folder);
  /** Tells people who holds the folder. */
  const holder = join(path, "lock");
  await mkdir(path, { recursive: true });
  const lock = new DatabaseSync(join(path, "lock.db"));
  try {
    lock.exec("begin exclusive");
  } catch (error) {
    lock.close();
    if (Object(error).errcode !== sqliteBusy) {
      throw error;
    }
    const pid = (await readFile(holder, "utf8").catch(() => "")).trim() || "unknown";
    throw new Error(
      `The data folder ${path} is in use by process ${pid}. Stop that process, or choose another ` +
        "folder: DATA_FOLDER=.local-2 npm run dev",
    );
  }
  held.add(lock);
  const unlock = async () => {
    await rm(holder, { force: true });
    lock.close();
    held.delete(lock);
  };
  try {
    await writeFile(holder, `${process.pid}\n`);
  } catch (error) {
    await unlock();
    throw error;
  }
  return unlock;
}
