import { setTimeout as sleep } from "node:timers/promises";
import { neon, neonConfig } from "@neondatabase/serverless";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LocalDatabase, startLocalDatabase } from "../../../drizzle/local/server.ts";
import { makeDatabase } from "../../local-database/postgres.ts";
import { type DatabaseProcess, startDatabaseProcess } from "../../local-database/process.ts";
import { makeFolder } from "../helpers/folders.ts";
import { postgresUrl } from "../helpers/local-databases.ts";

const makers = [
  {
    kind: "PGlite",
    isPostgres: false,
    async make() {
      const folder = await makeFolder("empty");
      return { options: { dataFolder: folder.postgres }, remove: folder.remove };
    },
  },
  ...(postgresUrl === undefined ? [] : [postgresUrl]).map((url) => ({
    kind: "Postgres",
    isPostgres: true,
    async make() {
      const { databaseUrl, drop } = await makeDatabase(url);
      return { options: { databaseUrl, connections: 2 }, remove: drop };
    },
  })),
];

const abortAfter = (milliseconds: number) => ({
  fetchOptions: { signal: AbortSignal.timeout(milliseconds) },
});

describe.each(makers)("a caller of $kind who disconnects", ({ make, isPostgres }) => {
  // The server runs in a separate process, since PGlite blocks its process's event loop.
  let server: DatabaseProcess;
  let sql: ReturnType<typeof neon<false, false>>;
  let remove = async () => {};
  beforeAll(async () => {
    const made = await make();
    server = await startDatabaseProcess(made.options);
    neonConfig.fetchEndpoint = server.endpoint;
    sql = neon(server.connectionString);
    remove = async () => {
      await server.stop("SIGTERM");
      await made.remove();
    };
    await sql`create table effects (id int)`;
  });
  afterAll(() => remove());
  const effects = () => sql`select id from effects`;

  it("in the middle of a batch rolls back the whole batch", async () => {
    await expect(
      sql.transaction(
        [
          sql`insert into effects values (1)`,
          sql`select pg_sleep(0.6)`,
          sql`insert into effects values (2)`,
        ],
        abortAfter(200),
      ),
    ).rejects.toThrow("TimeoutError");
    expect(await effects()).toEqual([]);
  });

  it("while waiting for a connection never gets one", async () => {
    const busy = [sql`select pg_sleep(0.6)`, sql`select pg_sleep(0.6)`].map((query) =>
      query.then(() => "answered"),
    );
    await sleep(100);
    await expect(sql.query("insert into effects values (3)", [], abortAfter(100))).rejects.toThrow(
      "TimeoutError",
    );
    expect(await Promise.all(busy)).toEqual(["answered", "answered"]);
    expect(await effects()).toEqual([]);
  });

  // PGlite completes a statement even if the caller disconnects.
  const itOnPostgres = isPostgres ? it : () => {};
  itOnPostgres("cancels the running statement", async () => {
    await expect(sql.query("select pg_sleep(300)", [], abortAfter(200))).rejects.toThrow();
    await expect
      .poll(
        () => sql`
          select count(*)::int as sleeping from pg_stat_activity
          where query like '%pg_sleep(300)%' and state = 'active' and pid <> pg_backend_pid()
            and datname = current_database()`,
      )
      .toEqual([{ sleeping: 0 }]);
  });

  itOnPostgres(
    "does not cancel the statement if the proxy cannot do so; the statement times out instead",
    async () => {
      const { databaseUrl, drop } = await makeDatabase(postgresUrl ?? "");
      const other = await startDatabaseProcess({ databaseUrl, cancels: false });
      try {
        neonConfig.fetchEndpoint = other.endpoint;
        const alone = neon(other.connectionString);
        const sleeping = async () => {
          const [row] = await alone`
          select count(*)::int as count from pg_stat_activity
          where query like '%pg_sleep(301)%' and state = 'active' and pid <> pg_backend_pid()
            and datname = current_database()`;
          return row?.["count"];
        };
        const batch = alone.transaction(
          [
            alone`select set_config('statement_timeout', '1500', true)`,
            alone`select pg_sleep(301)`,
          ],
          abortAfter(300),
        );
        await expect(batch).rejects.toThrow();
        await sleep(300);
        expect(await sleeping()).toBe(1);
        await expect.poll(sleeping, { timeout: 3000 }).toBe(0);
      } finally {
        neonConfig.fetchEndpoint = server.endpoint;
        await other.stop("SIGTERM");
        await drop();
      }
    },
  );

  it("often, at any moment, does not affect other callers or leave a transaction open", async () => {
    const others = Array.from({ length: 60 }, () => sql`select 1 as one`);
    await Promise.allSettled(
      Array.from({ length: 60 }, (_, index) =>
        sql.transaction(
          [
            sql`insert into effects values (4)`,
            sql`select repeat('x', 1000) from generate_series(1, 300)`,
            sql`delete from effects where id = 4`,
          ],
          abortAfter(index * 4),
        ),
      ),
    );
    expect(await Promise.all(others)).toEqual(others.map(() => [{ one: 1 }]));
    expect(await effects()).toEqual([]);
    if (isPostgres) {
      await expect
        .poll(
          () => sql`
            select count(*)::int as open from pg_stat_activity
            where state like 'idle in transaction%' and datname = current_database()`,
        )
        .toEqual([{ open: 0 }]);
    }
  });
});

describe.each(makers)("closing the server of $kind", ({ make, isPostgres }) => {
  let database: LocalDatabase;
  let remove = async () => {};
  beforeAll(async () => {
    const made = await make();
    database = await startLocalDatabase(made.options);
    remove = made.remove;
    neonConfig.fetchEndpoint = database.endpoint;
  });
  afterAll(() => remove());

  it("ends running statements and waiting requests, and frees the port", async () => {
    // An embedded database completes a running statement.
    const seconds = isPostgres ? 30 : 0.3;
    const sql = neon(database.connectionString);
    const failures = Array.from({ length: 4 }, () =>
      sql`select pg_sleep(${seconds})`.then(() => "answered").catch((error) => error.message),
    );
    await sleep(200);
    await Promise.all([database.close(), database.close()]);
    for (const failure of failures) {
      expect(await failure).toBe("Error connecting to database: TypeError: fetch failed");
    }
    await expect(fetch(database.endpoint)).rejects.toThrow("fetch failed");
  });
});
