import { startLocalDatabase } from "../../drizzle/local/server.ts";

/** The process that {@link startDatabaseProcess} starts; its argument is the server's options. */
const database = await startLocalDatabase(JSON.parse(process.argv[2] ?? "{}"));
process.send?.({ endpoint: database.endpoint, connectionString: database.connectionString });
process.once("SIGTERM", () => database.close().then(() => process.exit(0)));
process.once("disconnect", () => process.exit(1));
