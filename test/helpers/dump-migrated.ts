import { writeFile } from "node:fs/promises";
import pg from "pg";
import { openPglite } from "../../drizzle/local/pglite.ts";
import { migrateDatabase } from "../../drizzle/migrate.ts";

/**
 * A command that writes the archive of a migrated, embedded database to the path in its argument.
 */
const [, , path = ""] = process.argv;
const { connection, dump } = await openPglite();
/** `connection`, which is missing from the types for `pg`, is used instead of a socket. */
const config: pg.ClientConfig & { connection: typeof connection } = { connection };
const client = new pg.Client(config);
await client.connect();
await migrateDatabase(client);
await client.query("checkpoint");
await writeFile(path, await (await dump()).bytes());
process.exit(0);
