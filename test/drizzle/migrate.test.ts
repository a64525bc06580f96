import { appendFile, cp, mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { type LocalDatabase, startLocalDatabase } from "../../drizzle/local/server.ts";
import { migrateDatabase } from "../../drizzle/migrate.ts";
import journal from "../../drizzle/migrations/meta/_journal.json" with { type: "json" };
import { makeDatabase } from "../local-database/postgres.ts";
import { makeFolder } from "./helpers/folders.ts";
import { postgresUrl } from "./helpers/local-databases.ts";
import { internals, npmRun, root } from "./helpers/npm.ts";

const kinds = [
  {
    kind: "PGlite",
    async open() {
      const folder = await makeFolder("empty");
      return { options: { dataFolder: folder.postgres }, remove: folder.remove };
    },
  },
  ...(postgresUrl === undefined ? [] : [postgresUrl]).map((url) => ({
    kind: "Postgres",
    async open() {
      const { databaseUrl, drop } = await makeDatabase(url);
      return { options: { databaseUrl }, remove: drop };
    },
  })),
];

const rowsOf = (database: LocalDatabase, query: string) =>
  database.withClient(
    async (client) => (await client.query({ text: query, rowMode: "array" })).rows,
  );

/** The tables, types and functions that migrations have created. */
const createdIn = async (database: LocalDatabase) =>
  rowsOf(
    database,
    `select nspname, relname from pg_class join pg_namespace on pg_namespace.oid = relnamespace
     where nspname in ('public', 'app')
     union all select nspname, proname from pg_proc join pg_namespace on pg_namespace.oid = pronamespace
     where nspname = 'app' order by 1, 2`,
  );

const appliedIn = async (database: LocalDatabase) =>
  (await rowsOf(database, "select hash from drizzle.__drizzle_migrations")).length;

/** Returns the migrator from a copy of the project whose last migration ends with `statement`. */
async function migratorWith(folder: string, statement: string): Promise<typeof migrateDatabase> {
  for (const part of [
    "migrate.ts",
    "apply-files.ts",
    "generate",
    "records.ts",
    "commands/command.ts",
    "migrations",
    "functions",
    "rules",
  ]) {
    await cp(join(root, "drizzle", part), join(folder, "drizzle", part), { recursive: true });
  }
  for (const part of ["node_modules", "src"]) {
    await symlink(join(root, part), join(folder, part));
  }
  const last = journal.entries.at(-1)?.tag;
  await appendFile(
    join(folder, `drizzle/migrations/${last}.sql`),
    `--> statement-breakpoint\n${statement}`,
  );
  const { migrateDatabase } = await import(pathToFileURL(join(folder, "drizzle/migrate.ts")).href);
  return migrateDatabase;
}

describe.each(kinds)("migrations, on $kind", ({ open }) => {
  const withDatabase = async (use: (database: LocalDatabase) => Promise<void>) => {
    const { options, remove } = await open();
    const database = await startLocalDatabase(options);
    try {
      await use(database);
    } finally {
      await database.close();
      await remove();
    }
  };

  it("are applied either completely or not at all, and can be retried after a failure", () =>
    withDatabase(async (database) => {
      await using copy = await makeFolder();
      await mkdir(copy.path);
      const broken = await migratorWith(copy.path, "select nothing_there");
      await expect(database.withClient(broken)).rejects.toMatchObject({
        code: "42703",
        message: 'column "nothing_there" does not exist',
      });
      expect(await createdIn(database)).toEqual([]);
      expect(await rowsOf(database, "select to_regclass('drizzle.__drizzle_migrations')")).toEqual([
        [null],
      ]);
      const applied = await database.withClient(migrateDatabase);
      expect(applied.migrations).toEqual(journal.entries.map(({ tag }) => tag));
      expect(applied.functions).toBeGreaterThan(50);
      expect(applied.rules).toBeGreaterThan(10);
      expect(await appliedIn(database)).toBe(journal.entries.length);
    }));

  it("are applied only once, however many callers apply them concurrently", () =>
    withDatabase(async (database) => {
      await Promise.all(Array.from({ length: 3 }, () => database.withClient(migrateDatabase)));
      const made = await createdIn(database);
      expect(made).toContainEqual(["public", "credentials"]);
      expect(made).toContainEqual(["app", "enter"]);
      expect(await database.withClient(migrateDatabase)).toEqual({
        migrations: [],
        functions: 0,
        rules: 0,
      });
      expect(await createdIn(database)).toEqual(made);
      expect(await appliedIn(database)).toBe(journal.entries.length);
    }));

  it("do not leave a lock behind", () =>
    withDatabase(async (database) => {
      await database.withClient(migrateDatabase);
      expect(
        await rowsOf(
          database,
          `select objid from pg_locks where locktype = 'advisory'
           and database = (select oid from pg_database where datname = current_database())`,
        ),
      ).toEqual([]);
    }));
});

describe("npm run migrate", () => {
  it("names the variable that it needs", async () => {
    expect(await npmRun("migrate", [], {})).toEqual({
      status: 2,
      stdout: "",
      stderr: "Set DATABASE_URL to the direct (not pooled) connection string of the database.\n",
    });
  });

  it("does not treat an empty DATABASE_URL as a local database", async () => {
    expect(await npmRun("migrate", [], { DATABASE_URL: "" })).toEqual({
      status: 2,
      stdout: "",
      stderr: "DATABASE_URL is empty. Set it to a connection string, or unset it.\n",
    });
  });

  it("reports that the database cannot be reached, without printing a stack trace or the password", async () => {
    const { status, stdout, stderr } = await npmRun("migrate", [], {
      DATABASE_URL: "postgresql://somebody:secret@localhost:1/nowhere",
    });
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^connect ECONNREFUSED \S+:1(, connect ECONNREFUSED \S+:1)*\n$/);
    expect(stderr).not.toMatch(internals);
  });
});
