import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** SQLite's error code when another connection holds a lock (SQLITE_BUSY). */
const sqliteBusy = 5;

/** Keeps the locks from being garbage-collected, which would release them. */
const held = new Set<DatabaseSync>();

/**
 * Locks the folder for this process. Resolves to a function that unlocks it.
 *
 * Node does not provide file locks, so this uses SQLite's: the kernel grants the lock to one holder
 * and releases it when the process ends for any reason.
 * @throws if another process, or another part of this process, holds the lock
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const path = resolve(folder);
  /** The holder's process id, for error messages. */
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
        "folder; a second npm run dev also needs a port: PORT=8788 DATA_FOLDER=.local-2 npm run dev",
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
