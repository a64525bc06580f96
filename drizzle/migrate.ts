import { fileURLToPath } from "node:url";
import { type MigrationMeta, readMigrationFiles } from "drizzle-orm/migrator";
import pg from "pg";
import { applyFunctions, applyRules } from "./apply-files.ts";
import { runCommand, UsageError } from "./commands/command.ts";

const migrationsFolder = fileURLToPath(new URL("./migrations", import.meta.url));

/** Any number will do, as long as nothing else of ours locks it. */
const migrationLock = 4_919_001;

/**
 * Brings a database to the newest schema, in one transaction: the migrations that are missing, then the files of
 * `functions/` and `rules/` that have changed. A second migrator waits for the first.
 * @throws {UsageError} if other migrations than ours made the database
 */
export async function migrateDatabase(client: pg.PoolClient | pg.Client): Promise<void> {
  await client.query("begin");
  try {
    await client.query("select pg_advisory_xact_lock($1)", [migrationLock]);
    await applyMigrations(client, readMigrationFiles({ migrationsFolder }));
    await applyFunctions(client);
    await applyRules(client);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
}

/**
 * Applies what is newer than the newest that was applied. Drizzle's own migrator does the same in a transaction of
 * its own, which the files could not join. Its table is kept as it makes it.
 */
async function applyMigrations(
  client: pg.PoolClient | pg.Client,
  migrations: readonly MigrationMeta[],
): Promise<void> {
  await client.query("create schema if not exists drizzle");
  await client.query(
    `create table if not exists drizzle.__drizzle_migrations (
       id serial primary key, hash text not null, created_at bigint)`,
  );
  const { rows } = await client.query<{ hash: string; created_at: string }>(
    "select hash, created_at from drizzle.__drizzle_migrations order by created_at",
  );
  if (rows.length > 0 && rows[0]?.hash !== migrations[0]?.hash) {
    throw new UsageError(
      "Other migrations have made this database: it is from before the first release, or not ours. Make a new one.",
    );
  }
  const newest = Number(rows.at(-1)?.created_at ?? 0);
  for (const { sql, hash, folderMillis } of migrations.filter((one) => one.folderMillis > newest)) {
    await client.query(sql.join(""));
    await client.query(
      "insert into drizzle.__drizzle_migrations (hash, created_at) values ($1, $2)",
      [hash, folderMillis],
    );
  }
}

if (import.meta.main) {
  await runCommand(async () => {
    const connectionString = process.env["DATABASE_URL"];
    if (connectionString === undefined) {
      throw new UsageError(
        "Set DATABASE_URL to the direct (not pooled) connection string of the database.",
      );
    }
    const client = new pg.Client({ connectionString });
    await client.connect();
    try {
      await migrateDatabase(client);
    } finally {
      await client.end();
    }
    return "The database is at the newest schema.";
  });
}
