import { openAsBlob } from "node:fs";
import { access, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { messages, PGlite } from "@electric-sql/pglite";
import { btree_gist } from "@electric-sql/pglite/contrib/btree_gist";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";
import { PglitePgConnection } from "@electric-sql/pglite/node-postgres";
import { lockFolder } from "./folder-lock.ts";

/** An embedded Postgres, in memory or in a folder that it holds exclusively. */
export interface EmbeddedPostgres {
  /** The connection for a `pg.Client`. There is one session, so there must be only one client. */
  readonly connection: PglitePgConnection;
  /** Resolves to an error with the reason and the remedy when Postgres can no longer run. */
  readonly failure: Promise<Error>;
  /** Resolves to an archive of all data, for `openPglite`. No statement may run in the meantime. */
  dump(): Promise<Blob>;
  close(): Promise<void>;
}

const extensions = { btree_gist, pg_trgm };

/**
 * Settings for in-memory data, which is lost when the process ends: a small WAL, and few buffers,
 * since files are just as fast here.
 */
const inMemory = [
  "shared_buffers=32MB",
  "min_wal_size=32MB",
  "max_wal_size=64MB",
  "full_page_writes=off",
  "wal_level=minimal",
  "max_wal_senders=0",
].flatMap((setting) => ["-c", setting]);

/**
 * Opens an embedded Postgres.
 * @param folder the data folder, created if missing; without it, the data is in memory
 * @param dump the path of an archive made by `dump`; an in-memory database starts with its data
 * @throws if another process holds the folder, or Postgres does not start in it
 */
export async function openPglite(folder?: string, dump?: string): Promise<EmbeddedPostgres> {
  const unlock = folder === undefined ? undefined : await lockFolder(folder);
  try {
    const pglite = new GuardedPglite(
      folder === undefined
        ? {
            dataDir: "memory://",
            extensions,
            startParams: [...PGlite.defaultStartParams, ...inMemory],
            ...(dump !== undefined && { loadDataDir: await openAsBlob(dump) }),
          }
        : { dataDir: await prepare(folder), extensions },
    );
    await pglite.waitReady;
    if (folder !== undefined) {
      await writeFile(join(folder, "complete"), "");
    }
    const connection = new Connection({ pglite });
    return {
      connection,
      failure: pglite.failure,
      dump: () => pglite.dumpDataDir("none"),
      async close() {
        await connection.ended;
        if (!pglite.hasFailed) {
          await pglite.close();
        }
        await unlock?.();
      },
    };
  } catch (error) {
    await unlock?.();
    throw startError(error, folder);
  }
}

/** True if a folder contains an embedded Postgres whose first start completed. */
export const hasPglite = (folder: string): Promise<boolean> =>
  access(join(folder, "complete")).then(
    () => true,
    () => false,
  );

/**
 * Removes the files of an interrupted first start: otherwise, an incomplete database could never be
 * opened.
 */
async function prepare(folder: string): Promise<string> {
  const data = join(folder, "pgdata");
  if (!(await hasPglite(folder))) {
    await rm(data, { recursive: true, force: true });
  }
  return data;
}

/** A PGlite that detects when Postgres has failed inside it. */
class GuardedPglite extends PGlite {
  readonly #failure = Promise.withResolvers<Error>();
  #failed: Error | undefined;

  get failure(): Promise<Error> {
    return this.#failure.promise;
  }

  get hasFailed(): boolean {
    return this.#failed !== undefined;
  }

  override async execProtocolStream(
    ...[message, options]: Parameters<PGlite["execProtocolStream"]>
  ): ReturnType<PGlite["execProtocolStream"]> {
    // Postgres blocks the event loop: without this pause, disconnects and Ctrl-C would not be
    // handled.
    await nextTurn();
    if (this.#failed) {
      // After a panic, the next message would cause an endless loop in WebAssembly.
      throw this.#failed;
    }
    try {
      const received = await super.execProtocolStream(message, { ...options, throwOnError: false });
      for (const part of received) {
        if (part instanceof messages.DatabaseError && part.severity === "PANIC") {
          throw part;
        }
      }
      return received;
    } catch (error) {
      this.#failed = new Error(
        `The local database has failed: ${Object(error).message}. Committed data is kept. ` +
          "Fix the cause (a full disk?) and start again.",
      );
      this.#failure.resolve(this.#failed);
      throw this.#failed;
    }
  }
}

/** PGlite's own connection for `pg`. */
class Connection extends PglitePgConnection {
  /** Resolves when no message to Postgres is pending. */
  ended: Promise<void> = Promise.resolve();

  override parse({ text, name }: { text: string; name?: string }): void {
    // `pg` also passes result parsers as `types`, which PGlite would interpret as parameter types.
    super.parse({ text, name });
  }

  override end(): void {
    // This removes all listeners. Later messages and errors are ignored.
    super.end();
    this.on("error", () => {});
    this.ended = new Promise((resolve) => this.once("end", resolve));
  }
}

/**
 * Emscripten's file errors are not instances of `Error`, and have a number instead of a message.
 */
function startError(error: unknown, folder = "memory"): Error {
  if (error instanceof Error) {
    return error;
  }
  const errno = Object(error).errno;
  return new Error(
    errno === 51 // ENOSPC
      ? `The disk is full: the local database in ${folder} cannot start. Free some space and start again.`
      : `The local database in ${folder} cannot start: error ${errno} of the file system.`,
  );
}
