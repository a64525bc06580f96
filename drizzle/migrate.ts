import { fileURLToPath } from "node:url";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import pg from "pg";
import { runCommand, UsageError } from "./commands/command.ts";

const migrationsFolder = fileURLToPath(new URL("./migrations", import.meta.url));

/** Any number will do, as long as nothing else of ours locks it. */
const migrationLock = 4_919_001;

/**
 * Brings a database to the newest schema: all missing migrations in one transaction, or none. A
 * second migrator waits for the first.
 */
export async function migrateDatabase(client: pg.PoolClient | pg.Client): Promise<void> {
  await client.query("select pg_advisory_lock($1)", [migrationLock]);
  try {
    await migrate(drizzle({ client }), { migrationsFolder });
  } finally {
    await client.query("select pg_advisory_unlock($1)", [migrationLock]);
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
