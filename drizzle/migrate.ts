import { fileURLToPath } from "node:url";
import { type MigrationMeta, readMigrationFiles } from "drizzle-orm/migrator";
import pg from "pg";
import { applyFunctions, applyRules } from "./apply-files.ts";
import {
  announceDatabase,
  answerHelp,
  databaseUrl,
  runCommand,
  UsageError,
  withoutSecrets,
} from "./commands/command.ts";
import journal from "./migrations/meta/_journal.json" with { type: "json" };

const migrationsFolder = fileURLToPath(new URL("./migrations", import.meta.url));

/** The migrators' advisory lock. No other part of the service uses this number. */
const migrationLock = 4_919_001;

/** The migrations and files that a migrator has applied. */
export interface Applied {
  /** The names of the migrations, in order. */
  migrations: string[];
  /** The number of applied files from `functions/` and from `rules/`. */
  functions: number;
  rules: number;
}

/** The first migration of the database is not the first migration of this version. */
class UnknownMigrationError extends UsageError {}

/**
 * Migrates a database to the newest schema, in one transaction: the missing migrations, then the
 * changed files of `functions/` and `rules/`. A second migrator waits for the first one.
 * @throws {UsageError} if the database's first migration is a different one
 */
export async function migrateDatabase(client: pg.PoolClient | pg.Client): Promise<Applied> {
  await client.query("begin");
  try {
    await client.query("select pg_advisory_xact_lock($1)", [migrationLock]);
    const migrations = await applyMigrations(client, readMigrationFiles({ migrationsFolder }));
    const functions = await applyFunctions(client, migrations.length > 0);
    const rules = await applyRules(client);
    await client.query("commit");
    return { migrations, functions, rules };
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
}

/**
 * Migrates the embedded database in a data folder.
 * @throws {UsageError} naming the folder, if the database's first migration is a different one
 */
export async function migrateLocalDatabase(client: pg.PoolClient, folder: string): Promise<void> {
  try {
    await migrateDatabase(client);
  } catch (error) {
    throw error instanceof UnknownMigrationError
      ? new UsageError(
          `The local database in ${folder} cannot be upgraded to this version. ` +
            "To replace it with a new one: npm run dev -- --reset",
        )
      : error;
  }
}

/**
 * Applies the migrations that are newer than the last applied one. Drizzle's own migrator uses a
 * separate transaction, which `functions/` and `rules/` could not join. The table is the one that
 * Drizzle creates.
 * @returns the names of the applied migrations
 */
async function applyMigrations(
  client: pg.PoolClient | pg.Client,
  migrations: readonly MigrationMeta[],
): Promise<string[]> {
  await client.query("create schema if not exists drizzle");
  await client.query(
    `create table if not exists drizzle.__drizzle_migrations (
       id serial primary key, hash text not null, created_at bigint)`,
  );
  const { rows } = await client.query<{ hash: string; created_at: string }>(
    "select hash, created_at from drizzle.__drizzle_migrations order by created_at",
  );
  if (rows.length > 0 && rows[0]?.hash !== migrations[0]?.hash) {
    throw new UnknownMigrationError(
      "The database cannot be upgraded: its first migration is not the first one of this version. Create a new database.",
    );
  }
  const newest = Number(rows.at(-1)?.created_at ?? 0);
  const missing = migrations.filter((one) => one.folderMillis > newest);
  for (const { sql, hash, folderMillis } of missing) {
    await client.query(sql.join(""));
    await client.query(
      "insert into drizzle.__drizzle_migrations (hash, created_at) values ($1, $2)",
      [hash, folderMillis],
    );
  }
  const names = new Map(journal.entries.map(({ when, tag }) => [when, tag]));
  return missing.map(({ folderMillis }) => names.get(folderMillis) ?? String(folderMillis));
}

const usage = `Usage:
  DATABASE_URL=… npm run migrate

Brings a database to the newest schema, in one transaction. DATABASE_URL is the direct (not pooled)
connection string of its owner.`;

const counted = (count: number, what: string) => `${count} ${what} file${count === 1 ? "" : "s"}`;

/** The output of the command. */
function described({ migrations, functions, rules }: Applied): string {
  if (migrations.length + functions + rules === 0) {
    return "There was nothing to apply: the database is at the newest schema.";
  }
  const lines = migrations.map((name) => `Applied the migration ${name}.`);
  return [
    ...lines,
    `Applied ${counted(functions, "function")} and ${counted(rules, "rule")}. The database is at the newest schema.`,
  ].join("\n");
}

if (import.meta.main) {
  answerHelp(usage);
  await runCommand(async () => {
    const connectionString = databaseUrl();
    if (connectionString === undefined) {
      throw new UsageError(
        "Set DATABASE_URL to the direct (not pooled) connection string of the database.",
      );
    }
    announceDatabase(withoutSecrets(connectionString));
    const client = new pg.Client({ connectionString });
    await client.connect();
    try {
      return described(await migrateDatabase(client));
    } finally {
      await client.end();
    }
  });
}
