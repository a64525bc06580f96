import { existsSync } from "node:fs";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { type LocalDatabase, startLocalDatabase } from "../../../drizzle/local/server.ts";
import { startDatabaseProcess } from "../../local-database/process.ts";
import { makeFolder } from "../helpers/folders.ts";
import { post } from "../helpers/local-databases.ts";

async function run(database: Pick<LocalDatabase, "endpoint" | "connectionString">, query: string) {
  const response = await post({ database }, JSON.stringify({ query, params: [] }));
  return Object(await response.json()).rows;
}

describe("a data folder", () => {
  it("keeps its data across restarts, even if its first start was interrupted", async () => {
    await using folder = await makeFolder();
    await mkdir(join(folder.postgres, "pgdata/base"), { recursive: true });
    await writeFile(join(folder.postgres, "pgdata/PG_VERSION"), "1");
    const first = await startLocalDatabase({ dataFolder: folder.postgres });
    await run(first, "create table kept as select 1 as id");
    await first.close();
    expect(existsSync(join(folder.postgres, "lock"))).toBe(false);
    const second = await startLocalDatabase({ dataFolder: folder.postgres });
    expect(await run(second, "select id from kept")).toEqual([["1"]]);
    await second.close();
  });

  it("keeps its data when its process is killed, and the next process takes over the lock", async () => {
    await using folder = await makeFolder("empty");
    const first = await startDatabaseProcess({ dataFolder: folder.postgres });
    await run(first, "create table kept as select 1 as id");
    await first.stop("SIGKILL");
    expect(existsSync(join(folder.postgres, "lock"))).toBe(true);
    const second = await startLocalDatabase({ dataFolder: folder.postgres });
    expect(await run(second, "select id from kept")).toEqual([["1"]]);
    await second.close();
  });

  it("has one server: another process fails and reports the id of the process that uses the folder", async () => {
    await using folder = await makeFolder("empty");
    const holder = await startDatabaseProcess({ dataFolder: folder.postgres });
    await run(holder, "create table kept as select 1 as id");
    await expect(startLocalDatabase({ dataFolder: folder.postgres })).rejects.toThrow(
      `The data folder ${folder.postgres} is in use by process ${holder.pid}.`,
    );
    expect(await run(holder, "select id from kept")).toEqual([["1"]]);
    await holder.stop("SIGTERM");
    expect(existsSync(join(folder.postgres, "lock"))).toBe(false);
  });

  it("also has one server within a process, however the path is written", async () => {
    await using folder = await makeFolder("empty");
    const holder = await startLocalDatabase({ dataFolder: folder.postgres });
    for (const dataFolder of [folder.postgres, relative(process.cwd(), folder.postgres)]) {
      await expect(startLocalDatabase({ dataFolder })).rejects.toThrow(
        `is in use by process ${process.pid}`,
      );
    }
    expect(await run(holder, "select 1")).toEqual([["1"]]);
    await holder.close();
  });

  it("reports a permanent failure of Postgres, and can be used again afterwards", async () => {
    await using folder = await makeFolder("empty");
    const database = await startLocalDatabase({ dataFolder: folder.postgres });
    await run(database, "create table kept as select 1 as id");
    // As on a full disk, the next WAL file cannot be created.
    const log = join(folder.postgres, "pgdata/pg_wal");
    await rename(log, `${log}-away`);
    await run(database, "select pg_switch_wal()");
    await run(database, "create table lost as select 1 as id");
    expect((await database.failure).message).toMatch(
      /^The local database has failed: could not .* file "pg_wal\/.*"(:.*)?\. Committed data is kept\./,
    );
    expect((await post({ database }, '{"query": "select 1", "params": []}')).ok).toBe(false);
    await database.close();
    await rename(`${log}-away`, log);
    const next = await startLocalDatabase({ dataFolder: folder.postgres });
    expect(await run(next, "select id from kept")).toEqual([["1"]]);
    await next.close();
  });

  it("cannot be combined with a database URL", async () => {
    await using folder = await makeFolder();
    await expect(
      startLocalDatabase({ dataFolder: folder.postgres, databaseUrl: "postgresql://127.0.0.1/x" }),
    ).rejects.toThrow("Set either a data folder or a database URL, not both.");
    expect(existsSync(folder.path)).toBe(false);
  });
});

describe("a Postgres that cannot be reached", () => {
  it("fails each request with 500, as Neon's proxy does, and the server keeps running", async () => {
    const database = await startLocalDatabase({
      databaseUrl: "postgresql://somebody:secret@127.0.0.1:1/nowhere",
    });
    const response = await post({ database }, '{"query": "select 1", "params": []}');
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({
      message: "Couldn't connect to compute node",
      code: "",
    });
    await database.close();
  });
});
